import assert from 'node:assert/strict';
import type { Capability } from '../../ports/index.ts';
import { getField, getFields } from '../../toolkit/records.ts';
import { createCoverage, createDni, createPerson, registerPatient, takePatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { checkSuccess } from '../expect.ts';
import type { Rule } from '../fixtures.ts';
import { getPatient, listCoverages, ofPatient } from '../queries.ts';
import type { Request, Response, Subject } from '../subject.ts';
import { Skipped } from '../thrown.ts';

/** Texts by their places in a body (RFC 6901). */
type Texts = Readonly<Record<string, string>>;

/** A write for one patient. */
interface TextWrite {
  readonly build: (texts: Texts) => Request;
  /** The texts as a read shows them after the write was answered. */
  readonly show: (answer: Response) => Promise<(place: string) => unknown>;
}

/** The texts of a write, and their reads. */
interface TextWrites {
  readonly needs: Capability;
  readonly requires: readonly Capability[];
  readonly status: 200 | 201;
  /** The most characters of each text, by its place. */
  readonly longest: Readonly<Record<string, number>>;
  readonly rule: readonly Rule[];
  readonly prepare: (subject: Subject) => Promise<TextWrite>;
}

/** A kind of text that a system may change. ISO-8859-1 has its characters if `isLatin`. */
interface HostileText {
  readonly what: string;
  readonly text: string;
  readonly isLatin: boolean;
}

const hostileTexts: readonly HostileText[] = [
  {
    what: 'characters beyond the basic multilingual plane',
    text: 'Zoë 𝔷𝔲 👩‍⚕️ 𠮷',
    isLatin: false,
  },
  { what: 'letters of several scripts', text: 'Ñandú Ωμέγα Жук 東京 שלום', isLatin: false },
  { what: 'typographic marks', text: 'D’Amico – «Paz» “x” …', isLatin: false },
  {
    what: 'marks that HTML, XML, SQL, JSON and URLs use',
    text: `O'Neil & "Ana" <b> &amp; &#233; 50%25 + \\ \\n ; -- $1 {x} #?/|^~`,
    isLatin: true,
  },
  { what: 'the form of a number', text: '0012e3', isLatin: true },
  { what: 'the form of a missing value', text: 'Null', isLatin: true },
  { what: 'as many characters as the API takes', text: 'Sé-çà '.repeat(100), isLatin: true },
];

const patientPlaces = [
  ...['/name', '/last_name', '/medical_record_id', '/phone', '/email'],
  ...['street', 'number', 'floor', 'apartment', 'city', 'state', 'country', 'zip_code'].map(
    (part) => `/address/${part}`,
  ),
];

const ofPatients = {
  longest: Object.fromEntries(patientPlaces.map((place) => [place, 500])),
  rule: ['spelling'],
} as const;

const getAt = (value: unknown, place: string): unknown => place.slice(1).split('/').reduce<unknown>(getField, value);

/** The body with these texts in their places. */
function fillIn(body: object, texts: Texts): object {
  const filled: Record<string, unknown> = { ...body };
  for (const [place, text] of Object.entries(texts)) {
    const [name = '', part] = place.slice(1).split('/');
    filled[name] = part === undefined ? text : { ...getFields(filled[name]), [part]: text };
  }
  return filled;
}

const showPatient = async (subject: Subject, id: string) => {
  const patient = await getPatient(subject, id);
  return (place: string) => getAt(patient, place);
};

const showCredential = async (subject: Subject, patientId: string, id: string) => {
  const found = (await listCoverages(subject, patientId)).find((coverage) => coverage.id === id);
  return () => found?.credential_number;
};

const ofCoverages = { longest: { '/credentialNumber': 64 }, rule: [] } as const;

const rows: readonly TextWrites[] = [
  {
    ...ofPatients,
    needs: 'patients.register',
    requires: ['patients.get'],
    rule: [...ofPatients.rule, 'verified-later'],
    status: 200,
    prepare: async (subject) => ({
      build: (texts) => ({ route: 'POST /patients/', body: fillIn(createPerson(), texts) }),
      show: ({ body }) => showPatient(subject, String(getField(body, 'id'))),
    }),
  },
  {
    ...ofPatients,
    needs: 'patients.update',
    requires: ['patients.register', 'patients.get'],
    status: 200,
    prepare: async (subject) => {
      const id = await registerPatient(subject);
      return {
        build: (texts) => ofPatient('PUT /patients/{id}', id, fillIn({}, texts)),
        show: () => showPatient(subject, id),
      };
    },
  },
  {
    ...ofCoverages,
    needs: 'insurance.create',
    requires: ['insurance.coverages'],
    status: 201,
    prepare: async (subject) => {
      const beneficiaryId = await takePatient(subject);
      const insurancePlanId = subject.fixtures.plans.accepted;
      return {
        build: (texts) => ({
          route: 'POST /v1/coverages',
          body: { credentialNumber: String(createDni()), beneficiaryId, insurancePlanId, ...fillIn({}, texts) },
        }),
        show: ({ body }) => showCredential(subject, beneficiaryId, String(getAt(body, '/model/id'))),
      };
    },
  },
  {
    ...ofCoverages,
    needs: 'insurance.edit',
    requires: ['insurance.create', 'insurance.coverages'],
    status: 200,
    prepare: async (subject) => {
      const patientId = await takePatient(subject);
      const coverageId = await createCoverage(subject, patientId);
      return {
        build: (texts) => ({
          route: 'PUT /v1/coverages/{coverageId}',
          params: { coverageId },
          body: fillIn({}, texts),
        }),
        show: () => showCredential(subject, patientId, coverageId),
      };
    },
  },
];

/** The start and the end of a text in a field with a form: a number differs each time, and an address of e-mail has a domain. */
const createFrame = (place: string): readonly [start: string, end: string] => {
  if (place === '/email') return ['', '@example.org'];
  if (place === '/medical_record_id') return [`HC-${createDni()} `, ''];
  return [place === '/credentialNumber' ? `${createDni()} ` : '', ''];
};

/** The text in the form of its field, cut to this length. */
function shapeText(place: string, text: string, longest: number): string {
  const [start, end] = createFrame(place);
  const middle = place === '/email' ? text.toLowerCase().replaceAll(' ', '.') : text;
  return `${start}${middle.slice(0, longest - start.length - end.length).trim()}${end}`;
}

/** The places of a body at which the answer finds faults. */
const listRefused = ({ status, body }: Response): readonly string[] => {
  const errors = status === 422 ? getField(body, 'errors') : undefined;
  return Array.isArray(errors) ? errors.map((fault) => String(getField(fault, 'at'))) : [];
};

/** Sends the texts without those that the system refuses. Returns the texts that it took, and its answer; undefined if it takes none. */
async function sendTaken(subject: Subject, { status }: TextWrites, { build }: TextWrite, texts: Texts) {
  const send = (some: Texts): Promise<Response | Skipped> =>
    subject.send(build(some)).catch((error: unknown) => {
      if (error instanceof Skipped) return error;
      throw error;
    });
  let taken = Object.entries(texts);
  while (taken.length > 0) {
    const some = Object.fromEntries(taken);
    const answer = await send(some);
    if (!(answer instanceof Skipped)) {
      const refused = listRefused(answer);
      const rest = taken.filter(([place]) => !refused.some((each) => each === place || place.startsWith(`${each}/`)));
      if (rest.length === taken.length) {
        checkSuccess(build(some).route, answer, status);
        return { answer, taken: some };
      }
      taken = rest;
    } else {
      // 501 does not name the text.
      const alone: typeof taken = [];
      for (const each of taken.length > 1 ? taken : [])
        if (!((await send(Object.fromEntries([each]))) instanceof Skipped)) alone.push(each);
      if (alone.length === 0 || alone.length === taken.length) throw answer;
      taken = alone;
    }
  }
  return undefined;
}

const quote = (value: unknown): string =>
  typeof value === 'string' && value.length > 60 ? `${value.length} characters` : JSON.stringify(value);

/** The places of the texts that the institution promises to keep. */
const listPlaces = ({ longest }: TextWrites, { fixtures: { rules = [] } }: Subject): readonly string[] =>
  Object.keys(longest).filter(
    (place) =>
      (place !== '/phone' || !rules.includes('digits-only-phones')) &&
      (!rules.includes('fewer-patient-fields') || ['/name', '/last_name', '/credentialNumber'].includes(place)),
  );

/** Reads show every text that a write took. A system may refuse a text at its field. */
export const writtenTextCases: readonly Case[] = rows.map((row) => {
  const { needs, requires, rule } = row;
  return defineCase({ level: 'write', needs, requires, section: '2' }, `texts.${needs}`, {
    ...(rule.length > 0 && { rule }),
    title: `${needs} keeps every text as it was given, in whatever characters and however long, or refuses it at its field`,
    run: async (subject) => {
      const isLatinAlone = subject.fixtures.rules?.includes('iso-8859-1');
      for (const { what, text } of hostileTexts.filter(({ isLatin }) => isLatin || !isLatinAlone)) {
        const write = await row.prepare(subject);
        const places = listPlaces(row, subject);
        const texts = Object.fromEntries(
          places.map((place) => [place, shapeText(place, text, row.longest[place] ?? 0)]),
        );
        const sent = await sendTaken(subject, row, write, texts);
        if (!sent) continue;
        const show = await write.show(sent.answer);
        for (const [place, given] of Object.entries(sent.taken)) {
          const shown = show(place);
          assert.ok(
            shown === given,
            `the text at ${place}, with ${what}, is shown as ${quote(shown)} instead of ${quote(given)}`,
          );
        }
      }
    },
  });
});
