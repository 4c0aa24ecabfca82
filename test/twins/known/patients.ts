import type { Outcome } from '../outcome.ts';
import { areAll, type KnownDisagreement } from './known.ts';

const address = (part: string) => new RegExp(`/address/${part}$`);

interface SearchedPatient {
  readonly id: string;
  readonly identifier_type: string;
  readonly identifier: string | number;
}

const listFound = (outcomes: readonly Outcome[]): SearchedPatient[] =>
  outcomes.flatMap(({ body }) => (body as { readonly patients: readonly SearchedPatient[] }).patients);

export const ofPatients: readonly KnownDisagreement[] = [
  {
    what: 'blanks around and within names',
    ruling: 'open: FHIR cannot carry them in given names; the API should drop them before an adapter sees them',
    harmless: true,
    explains: ({ difference: { at, memory, fhir } }) =>
      /\/(name|last_name)$/.test(at) &&
      typeof memory === 'string' &&
      memory !== fhir &&
      memory.split(/\s+/).filter(Boolean).join(' ') === fhir,
    example: (id) => [
      { route: 'PUT /patients/{id}', params: { id: id('Patient', 'ana') }, body: { name: ' Ana  María' } },
      { route: 'GET /patients/{id}', params: { id: id('Patient', 'ana') } },
    ],
  },
  {
    what: 'empty parts of an address',
    ruling: 'memory is wrong: parts that are not known are absent, says the schema of the address',
    harmless: true,
    explains: ({ difference: { at, memory, fhir } }) => address('\\w+').test(at) && memory === '' && fhir === undefined,
    example: (id) => [
      {
        route: 'PUT /patients/{id}',
        params: { id: id('Patient', 'ana') },
        body: { address: { street: 'Los Patos', floor: '' } },
      },
      { route: 'GET /patients/{id}', params: { id: id('Patient', 'ana') } },
    ],
  },
  {
    what: 'the street of an address that has none',
    ruling: 'fhir is wrong: it reads the floor and the apartment as a street that nobody wrote',
    harmless: true,
    explains: ({ difference: { at, memory, fhir } }) =>
      address('street').test(at) && (memory === undefined || memory === '') && /^(Piso|Dto) /.test(String(fhir)),
    example: (id) => [
      { route: 'PUT /patients/{id}', params: { id: id('Patient', 'ana') }, body: { address: { apartment: 'B' } } },
      { route: 'GET /patients/{id}', params: { id: id('Patient', 'ana') } },
    ],
  },
  {
    what: 'a country by its code',
    ruling: 'open: fhir reads AR as Argentina, as servers store it; the API should do so for every adapter',
    harmless: true,
    explains: ({ difference: { at, memory, fhir } }) =>
      address('country').test(at) && memory === 'AR' && fhir === 'Argentina',
    example: (id) => [
      { route: 'PUT /patients/{id}', params: { id: id('Patient', 'ana') }, body: { address: { country: 'AR' } } },
      { route: 'GET /patients/{id}', params: { id: id('Patient', 'ana') } },
    ],
  },
  {
    what: 'the document that a patient had before one of another type',
    ruling:
      'memory is wrong: docs/fhir/gaps.md, the earlier document stays on record and is found, so that nobody is registered twice',
    explains: ({ request, memory, fhir }) => {
      if (request.route !== 'GET /patients/search' || !areAll(memory, '200') || !areAll(fhir, '200')) return false;
      const { identifier_type: type, identifier } = request.query ?? {};
      const shows = (row: SearchedPatient) =>
        String(row.identifier) === identifier && (!type || row.identifier_type === type);
      const [here, there] = [listFound(memory), listFound(fhir)];
      return there.some((row) => !shows(row)) && here.every(({ id }) => there.some((row) => row.id === id));
    },
    example: (id) => [
      {
        route: 'PUT /patients/{id}',
        params: { id: id('Patient', 'ana') },
        body: { identifier_type: 'Passport', identifier: 'AB-1234' },
      },
      { route: 'GET /patients/search', query: { identifier_type: 'DNI', identifier: '31465466' } },
    ],
  },
  {
    what: 'an update of an unknown patient with a birth date to come',
    ruling: 'fhir is wrong: decision 14, an unknown patient is a 404 before anything else',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      request.route === 'PUT /patients/{id}' &&
      areAll(memory, '404 not_found') &&
      areAll(fhir, '422 validation body /birth_date'),
    example: () => [{ route: 'PUT /patients/{id}', params: { id: 'no-such-id' }, body: { birth_date: '2099-01-01' } }],
  },
];
