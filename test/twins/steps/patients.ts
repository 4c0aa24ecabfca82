import fc from 'fast-check';
import type { Knowledge, Person } from '../knowledge.ts';
import type { KeyedRequest } from '../side.ts';
import { viewByDocument, viewEverything, viewFrequent, viewPatient, viewServices } from '../views.ts';
import { anyPatient, choosePatient, seldom } from './choices.ts';
import { read, type Steps, write } from './step.ts';

const gender = fc.constantFrom('Female', 'Male', 'Other');
const birthDate = fc.constantFrom(
  '1992/04/17',
  '1992-04-17',
  '1941/12/31',
  '2016/02/29',
  '2026/08/30',
  '2026/11/22',
  '2099/01/01',
);

/** Few enough that they meet again. */
const document = fc.oneof(
  fc.record({
    identifier_type: fc.constant('DNI'),
    identifier: fc.constantFrom<number | string>(
      40111001,
      '40111001',
      '40.111.001',
      '040111001',
      '40 111 002',
      40111003,
    ),
  }),
  fc.record({
    identifier_type: fc.constant('Passport'),
    identifier: fc.constantFrom<number | string>('AB-1234', 'ab-1234', 'A B-1234', 998877),
  }),
  fc.record({
    identifier_type: fc.constant('Other'),
    identifier: fc.constantFrom<number | string>('LE 7', 'le7', 40111001, '0012'),
  }),
);

const text = (...values: readonly string[]) => fc.constantFrom(...values);

const address = fc.record(
  {
    street: text('Av. Rivadavia', 'Los Patos', ''),
    number: text('5480', 's/n', ''),
    floor: text('6', 'PB', ''),
    apartment: text('B', ''),
    city: text('Buenos Aires', 'Ñuñoa'),
    state: text('Mendoza'),
    country: text('Argentina', 'AR', 'Chile'),
    zip_code: text('1424', ''),
  },
  { requiredKeys: [] },
);

const details = {
  name: text('Ana', 'María José', 'José', '', 'Ana  María', ' Ana'),
  last_name: text('Ferreyra', 'de la Cruz', 'Muñoz Ibarra', '', 'O’Higgins '),
  phone: text('+54 9 11 5555-0142', '4555-0142', ''),
  email: text('persona@example.org', '', ' x '),
  medical_record_id: text('HC-777001', 'X 9', ''),
  address,
};

/** The document of somebody who is registered, as it stands or spelt otherwise. */
const spellings: Readonly<Record<string, (person: Person) => string | number>> = {
  asItStands: ({ identifier }) => identifier,
  asText: ({ identifier }) => String(identifier),
  withDots: ({ identifier }) => String(identifier).replaceAll(/\B(?=(\d{3})+$)/g, '.'),
  withZeros: ({ identifier }) => `00${identifier}`,
  inLowerCase: ({ identifier }) => String(identifier).toLowerCase(),
};
const spelling = fc.constantFrom(...Object.keys(spellings));
const spell = (how: string, person: Person) => spellings[how]?.(person) ?? '';

const afterwards = (known: Knowledge, id: string): KeyedRequest[] => [
  viewPatient(id),
  ...viewByDocument(known, id),
  viewServices(id),
  ...viewFrequent(known, id),
];

const lastOf = ({ people }: Knowledge): string => [...people.keys()].at(-1) ?? '';

export const patientSteps: readonly Steps[] = [
  write(
    'register somebody new',
    3,
    fc.record({ document, birth_date: birthDate, gender, details: fc.record(details, { requiredKeys: [] }) }),
    ({ document, birth_date, gender, details }) => ({
      request: { route: 'POST /patients/', body: { ...document, birth_date, gender, ...details } },
      views: (known) => afterwards(known, lastOf(known)),
    }),
  ),
  write(
    'register somebody who is registered',
    2,
    fc.record({
      who: anyPatient,
      spelling,
      gender: seldom(gender),
      birth_date: seldom(birthDate),
      details: fc.record({ name: details.name, phone: details.phone }, { requiredKeys: [] }),
    }),
    ({ who, spelling, gender, birth_date, details }, known) => {
      const person = known.people.get(choosePatient(known, who));
      if (!person) return undefined;
      const body = {
        identifier_type: person.identifier_type,
        identifier: spell(spelling, person),
        birth_date: birth_date ?? person.birth_date.replaceAll('-', '/'),
        gender: gender ?? person.gender,
        ...details,
      };
      return { request: { route: 'POST /patients/', body }, views: () => afterwards(known, person.id) };
    },
  ),
  write(
    'update a patient',
    5,
    fc.record({
      who: anyPatient,
      body: fc.record({ ...details, gender, birth_date: birthDate }, { requiredKeys: [] }),
      document: seldom(document),
      keep: fc.constantFrom('one', 'all'),
    }),
    ({ who, body, document, keep }, known) => {
      const id = choosePatient(known, who);
      const fields = Object.fromEntries(Object.entries(body).slice(0, keep === 'one' ? 1 : undefined));
      return {
        request: { route: 'PUT /patients/{id}', params: { id }, body: { ...fields, ...document } },
        views: () => [viewPatient(id), ...afterwards(known, id)],
      };
    },
  ),
  write(
    'give a patient the document of another',
    1,
    fc.record({ who: anyPatient, other: anyPatient, spelling }),
    ({ who, other, spelling }, known) => {
      const id = choosePatient(known, who);
      const person = known.people.get(choosePatient(known, other));
      if (!person) return undefined;
      const body = { identifier_type: person.identifier_type, identifier: spell(spelling, person) };
      return {
        request: { route: 'PUT /patients/{id}', params: { id }, body },
        views: () => [viewPatient(id), ...afterwards(known, id), ...viewByDocument(known, person.id)],
      };
    },
  ),
  read('look at everything of a patient', 2, anyPatient, (who, known) => {
    const id = choosePatient(known, who);
    return { request: viewPatient(id), views: () => viewEverything(known, id) };
  }),
  read(
    'search for a patient',
    3,
    fc.record({
      who: anyPatient,
      spelling,
      by: fc.constantFrom('document', 'number', 'birth', 'type', 'all', 'nothing'),
      gender: seldom(gender),
    }),
    ({ who, spelling, by, gender }, known) => {
      const person = known.people.get(choosePatient(known, who));
      if (!person) return undefined;
      const identifier = { identifier: String(spell(spelling, person)) };
      const type = { identifier_type: person.identifier_type };
      const birth = { birth_date: person.birth_date.replaceAll('-', '/'), gender: gender ?? person.gender };
      const queries = {
        document: { ...identifier, ...type },
        number: identifier,
        birth,
        type: { ...type, ...birth },
        all: { ...identifier, ...type, ...birth },
        nothing: { gender: person.gender },
      };
      return { request: { route: 'GET /patients/search', query: queries[by] } };
    },
  ),
];
