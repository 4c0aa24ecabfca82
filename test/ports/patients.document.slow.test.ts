import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Rejection } from '../../src/api/index.ts';
import { normalizeDocument, type Patients } from '../../src/ports/index.ts';
import { openHospital } from '../adapters/memory/small-world.ts';
import { brokenDni, dniNumber, spelledDni } from '../support/documents.ts';
import { performOperation } from '../support/fake-port.ts';
import { setUpHospital } from '../support/fhir-hospital.ts';
import { makeDatabase, openMapping, writeMapping } from '../support/mapped-clinic.ts';

test('a document of the type DNI is its digits in whatever spelling, so that two numbers never are one', () => {
  const spelled = dniNumber.chain((digits) => fc.tuple(fc.constant(digits), spelledDni(digits)));
  fc.assert(
    fc.property(spelled, ([digits, text]) => {
      expect(normalizeDocument('DNI', text)).toBe(digits);
    }),
  );
});

test('a document of the type DNI never becomes a number when something stands where no mark groups it', () => {
  fc.assert(
    fc.property(dniNumber.chain(brokenDni), (text) => {
      expect(normalizeDocument('DNI', text)).not.toMatch(/^\d+$/);
    }),
  );
});

test('a document of another type is the same in any case and with any blanks, and with other marks never', () => {
  const sign = fc.constantFrom(...'aAbBñÑ0123.,-/’ \u00a0');
  const text = fc.string({ unit: sign, minLength: 1, maxLength: 8 }).filter((each) => /[\p{L}\p{N}]/u.test(each));
  const plain = (each: string) => each.replaceAll(/\s/g, '').toUpperCase();
  fc.assert(
    fc.property(fc.constantFrom('Passport', 'Other'), text, text, (type, one, other) => {
      const isSame = normalizeDocument(type, one) === normalizeDocument(type, other);
      expect(isSame).toBe(plain(one) === plain(other));
    }),
    { numRuns: 2000 },
  );
});

// Whoever registers or searches with one document must never get the person who has another.

const { ports } = await setUpHospital();

interface Pair {
  readonly type: 'DNI' | 'Passport' | 'Other';
  readonly one: string;
  readonly other: string;
  /** `none` is no document of that type. */
  readonly expected: 'same' | 'other' | 'none';
}

const inBothSpellings = (one: string, other: string) => fc.tuple(spelledDni(one), spelledDni(other));

const dniPair: fc.Arbitrary<Pair> = fc.tuple(dniNumber, dniNumber).chain(([first, second]) => {
  const other = second === first ? `${BigInt(first) + 1n}`.slice(-9) : second;
  return fc.oneof(
    inBothSpellings(first, first).map(([a, b]) => ({ type: 'DNI', one: a, other: b, expected: 'same' }) as const),
    inBothSpellings(first, other).map(([a, b]) => ({ type: 'DNI', one: a, other: b, expected: 'other' }) as const),
    fc
      .tuple(spelledDni(first), brokenDni(first))
      .map(([a, b]) => ({ type: 'DNI', one: a, other: b, expected: 'none' }) as const),
  );
});

const sign = fc.constantFrom(...'ab01.,-/ ');
const otherPair: fc.Arbitrary<Pair> = fc
  .record({
    type: fc.constantFrom('Passport', 'Other'),
    number: fc.integer({ min: 10_000, max: 99_999_999 }).map(String),
    ends: fc.tuple(fc.string({ unit: sign, maxLength: 3 }), fc.string({ unit: sign, maxLength: 3 })),
    at: fc.tuple(fc.nat(4), fc.nat(4)),
  })
  .map(({ type, number, ends, at }) => {
    const [one, other] = ends.map((end, i) => number.slice(0, at[i]) + end + number.slice(at[i])).map(tidyEdge);
    const plain = (text: string) => text.replaceAll(' ', '').toUpperCase();
    return { type, one: one!, other: other!, expected: plain(one!) === plain(other!) ? 'same' : 'other' };
  });
/** A document begins with a letter or a digit. */
const tidyEdge = (text: string): string => text.replace(/^[.,\-/ ]+/, '');

const person = { birth_date: '1990/02/01', gender: 'Female', name: 'Eva', last_name: 'Luna' };

async function compare(patients: Patients, { type, one, other, expected }: Pair): Promise<void> {
  const perform = async <T>(name: string, request: object) =>
    (await performOperation(name, patients, request)).body as T;
  const find = async (query: object) =>
    (await perform<{ patients: { id: string }[] }>('searchPatients', { query })).patients.map((each) => each.id);
  const findTyped = (identifier: string) => find({ identifier_type: type, identifier });
  const register = async (identifier: string) =>
    (await perform<{ id: string }>('registerPatient', { body: { ...person, identifier_type: type, identifier } })).id;
  const id = await register(one);
  expect(await findTyped(one)).toEqual([id]);
  if (expected === 'none') {
    await expect(findTyped(other)).rejects.toMatchObject({ code: 'validation' });
    await expect(register(other)).rejects.toMatchObject({ code: 'validation' });
  } else {
    expect((await findTyped(other)).includes(id)).toBe(expected === 'same');
    expect((await register(other)) === id).toBe(expected === 'same');
  }
  const found = await find({ identifier: other }).catch((error: unknown): string[] => {
    if (error instanceof Rejection) return [];
    throw error;
  });
  expect(found.includes(id)).toBe(expected === 'same');
}

const openMapped = async () => (await openMapping(writeMapping(makeDatabase()))).patients as Patients;

test.each([
  ['memory', 100, async () => openHospital().patients],
  ['fhir', 30, async () => ports.patients],
  ['mapping', 30, openMapped],
] as const)('on %s two documents are one person exactly when they are one document', async (_, numRuns, open) => {
  const patients = await open();
  await fc.assert(
    fc.asyncProperty(fc.oneof(dniPair, otherPair), (pair) => compare(patients, pair)),
    { numRuns },
  );
});

test.each([
  ['memory', async () => openHospital().patients],
  ['fhir', async () => ports.patients],
  ['mapping', openMapped],
] as const)('on %s a float, a superscript or another mark finds and registers nobody else', async (_, open) => {
  const patients = await open();
  const pairs: readonly Pair[] = [
    { type: 'DNI', one: '40111220', other: '4011122.0', expected: 'none' },
    { type: 'DNI', one: '40111220', other: '401112²0', expected: 'none' },
    { type: 'DNI', one: '40111221', other: '4011122e1', expected: 'none' },
    { type: 'DNI', one: '40111223', other: '4011122 3', expected: 'none' },
    { type: 'Other', one: '12/34', other: '123/4', expected: 'other' },
    { type: 'Passport', one: 'AB-12345', other: 'AB12345', expected: 'other' },
    { type: 'Passport', one: '00123', other: '123', expected: 'other' },
    { type: 'Passport', one: '300.123', other: '3 00123', expected: 'other' },
  ];
  for (const pair of pairs) await compare(patients, pair);
});
