import type { Example, IdOf, Scenario } from '../known/known.ts';

/** Changes Ana and reads her again. */
const update = (id: IdOf, body: object): Example[] => {
  const params = { id: id('Patient', 'ana') };
  return [
    { route: 'PUT /patients/{id}', params, body },
    { route: 'GET /patients/{id}', params },
  ];
};

export const ofPatients: readonly Scenario[] = [
  { what: 'blanks around and within names are dropped', example: (id) => update(id, { name: ' Ana  María' }) },
  { what: 'text of blanks alone is no text', example: (id) => update(id, { phone: ' ' }) },
  {
    what: 'empty parts of an address are none',
    example: (id) => update(id, { address: { street: 'Los Patos', floor: '' } }),
  },
  {
    what: 'an address without street has none',
    example: (id) => [
      ...update(id, { address: { apartment: 'B' } }),
      ...update(id, { address: { floor: '6', apartment: 'B' } }),
    ],
  },
  { what: 'a country by its code is shown by its name', example: (id) => update(id, { address: { country: 'AR' } }) },
  {
    what: 'the documents that a patient had before one of another type find the patient',
    example: (id) => [
      ...update(id, { identifier_type: 'Passport', identifier: 'AB-1234' }),
      { route: 'GET /patients/search', query: { identifier_type: 'DNI', identifier: '31465466' } },
      { route: 'GET /patients/search', query: { identifier: '31465466' } },
      ...update(id, { identifier_type: 'Other', identifier: 'AB-1234' }),
      { route: 'GET /patients/search', query: { identifier: 'AB-1234' } },
      ...update(id, { identifier_type: 'DNI', identifier: 31465467 }),
      { route: 'GET /patients/search', query: { identifier: '31465466' } },
      { route: 'GET /patients/search', query: { identifier_type: 'Passport', identifier: 'AB-1234' } },
    ],
  },
  {
    what: 'a type of document alone is a criterion too',
    example: () => [
      {
        route: 'GET /patients/search',
        query: { birth_date: '1985/11/30', gender: 'Female', identifier_type: 'Passport' },
      },
    ],
  },
  {
    what: 'a number of whatever kind finds a DNI, with zeros in front or the word before it',
    example: () =>
      ['0031465466', 'DNI 31465466', '31.465.466'].map((identifier) => ({
        route: 'GET /patients/search',
        query: { identifier },
      })),
  },
  {
    what: 'an unknown patient is told before a birth date to come',
    example: () => [{ route: 'PUT /patients/{id}', params: { id: 'no-such-id' }, body: { birth_date: '2099-01-01' } }],
  },
];
