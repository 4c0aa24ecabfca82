import assert from 'node:assert/strict';
import { Failure, type Identifier, type IdentifierType } from '../../ports/index.ts';
import { createDni, createPerson } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import type { PortsSubject } from '../subject.ts';

/** Marks that URLs, forms, SQL patterns and search languages use. */
const marks = ['&', '+', '#', '%', '%58', '=', ',', ';', '|', '/', '?', '*', '_', "'", '"', '\\', '-'];

/** Two numbers that are one number as a float, because they have 17 digits. */
function createLongNumbers(): [string, string] {
  const base = (BigInt(createDni()) * 10n ** 9n) & ~63n;
  return [String(base + 1n), String(base + 2n)];
}

/** Numbers that a system may confuse with one another if it converts or shortens them. */
function listLikeNumbers(): readonly (readonly [IdentifierType, readonly string[]])[] {
  const [dni, zeros, exponent] = [createDni(), createDni(), createDni()];
  return [
    ['DNI', [String(dni), String(dni + 2 ** 32)]],
    ['DNI', createLongNumbers()],
    ['Other', createLongNumbers()],
    ['Passport', [`00${zeros}`, String(zeros)]],
    ['Passport', [`${exponent}E1`, `${exponent}0`]],
  ];
}

/** Registers a person with this document. Undefined if the system refuses the document. */
async function registerHolder(subject: PortsSubject, identifier: Identifier): Promise<string | undefined> {
  const { gender: _, name, last_name: lastName, phone, email } = createPerson();
  const person = { identifier, birthDate: '1992-04-17', gender: 'Female', name, lastName, phone, email } as const;
  try {
    return (await subject.getPort('patients').register(person, subject.createCall())).id;
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'conflict') return undefined;
    throw error;
  }
}

/**
 * Registers a person for each number. Asserts that all are different patients, who have their numbers unchanged, and
 * that a search by each finds its patient alone. Returns the numbers that the system accepts.
 */
async function expectApart(subject: PortsSubject, type: IdentifierType, numbers: readonly string[]) {
  const patients = subject.getPort('patients');
  const holders = new Map<string, string>();
  for (const value of numbers) {
    const id = await registerHolder(subject, { type, value });
    if (id === undefined) continue;
    const same = [...holders].find(([, other]) => other === id)?.[0];
    const advice = 'compare numbers as texts, or refuse a number that the system cannot store';
    assert.ok(
      same === undefined,
      `the documents ${value} and ${same} (${type}) are registered as one patient: ${advice}`,
    );
    holders.set(value, id);
  }
  for (const [value, id] of holders) {
    const { identifier } = await patients.get(id, subject.createCall());
    assert.equal(
      identifier.value,
      value,
      `a document (${type}) is registered, and shown with another number: keep it as a text, or refuse it`,
    );
    const found = await patients.search({ identifierType: type, identifier: value }, subject.createCall());
    const message = `a search for ${value} (${type}) does not find its patient alone: escape the text in the request`;
    assert.deepEqual(
      found.map((each) => each.id),
      [id],
      message,
    );
  }
  return [...holders.keys()];
}

/** Numbers of documents are texts. */
export const identityDocumentCases: readonly Case[] = [
  definePortCase({ level: 'write', needs: 'patients.register', section: '2' }, 'ports.patients.register.documents', {
    requires: ['patients.get', 'patients.search'],
    title:
      'register keeps the number of a document with every digit and mark, or refuses it, and search finds its holder alone',
    run: async (subject) => {
      for (const [type, numbers] of listLikeNumbers()) await expectApart(subject, type, numbers);
      const start = `P${createDni()}`;
      const all = `${start}${marks.join('')}X`;
      // A system may take the number for one of these: it cuts it, drops its marks, or reads them as a pattern.
      const likely = [start, `${start}X`, `${start}ZX`, all.replaceAll(/[%*?_]/g, 'Z')];
      const accepted = await expectApart(subject, 'Passport', [...likely, all]);
      if (accepted.includes(all)) return;
      const begin = `P${createDni()}`;
      const each = marks.map((mark) => `${begin}${mark}X`);
      await expectApart(subject, 'Passport', [begin, `${begin}X`, `${begin}ZX`, ...each]);
    },
  }),
];
