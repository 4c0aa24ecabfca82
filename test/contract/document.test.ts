import { describe, expect, test } from '@jest/globals';
import { exampleRequests } from '../../src/contract/cases/example-requests.ts';
import {
  checkShape,
  documentedOperations,
  findOperation,
  getInvalidValue,
  getProperties,
  getSchema,
  type Schema,
} from '../../src/contract/document.ts';

function check(schema: Schema, value: unknown): string {
  try {
    checkShape(schema, value, 'body');
    return 'fits';
  } catch (error) {
    return (error as Error).message;
  }
}

const isFit = (schema: Schema, value: unknown): boolean => check(schema, value) === 'fits';

describe('the document of the contract', () => {
  test('has the operations for which the cases have requests, and no other', () => {
    expect([...documentedOperations.keys()].toSorted()).toEqual(Object.keys(exampleRequests).toSorted());
  });

  test('has schemas that compile, each of which refuses something', () => {
    const replies = [...documentedOperations].map(([route, { reply }]) => [`reply of ${route}`, reply] as const);
    const bodies = [...documentedOperations].flatMap(([route, { body }]) =>
      body ? [[`body of ${route}`, body] as const] : [],
    );
    expect([...replies, ...bodies].filter(([, schema]) => isFit(schema, 7)).map(([name]) => name)).toEqual([]);
  });

  test('closes every object: a body or an answer has no field that is not there', () => {
    const listOpen = (at: string, schema: Schema): string[] => [
      ...(schema.type === 'object' && !/Unrecognized key/.test(check(schema, { stranger: 1 })) ? [at] : []),
      ...Object.entries(getProperties(schema)).flatMap(([name, field]) => listOpen(`${at}/${name}`, field)),
      ...(schema.items ? listOpen(`${at}/0`, schema.items) : []),
    ];
    const open = [...documentedOperations].flatMap(([route, { body, reply }]) => [
      ...(body ? listOpen(`${route} body`, body) : []),
      ...listOpen(`${route} reply`, reply),
    ]);
    expect(open).toEqual([]);
  });

  test('refuses a route that it does not have, and a schema', () => {
    expect(() => findOperation('GET /nothing')).toThrow('document.yaml has no GET /nothing');
    expect(() => getSchema('Nothing')).toThrow('document.yaml has no schema Nothing');
  });
});

describe('the form of a value', () => {
  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ['Id', ['a', 'A-1'], ['', 'two words', 'a/b', 1, 'x'.repeat(129)]],
    [
      'Day',
      ['2026-02-28', '2026-12-31', '2026-10-01'],
      ['2026-00-10', '2026-13-01', '2026-01-32', '2026/01/01', '2026-02-30'],
    ],
    ['SlashDay', ['2026/12/31'], ['2026/13/31', '2026/12/00', '2026-12-31', '20261231']],
    ['Clock', ['00:00', '23:59'], ['24:00', '12:60', '9:00', '12:00:00']],
    ['LocalDateTime', ['2026-02-28T23:59:59'], ['2026-02-28 23:59:59', '2026-02-28T23:59', '2026-02-28T23:59:60']],
    [
      'Instant',
      ['2026-02-28T23:59:59.000Z'],
      [
        '2026-02-28T23:59:59Z',
        '2026-02-28T23:59:59.000',
        '2026-02-28T23:59:60.000Z',
        '2026-02-28T23:59:59.000-03:00',
        '2026-02-28 23:59:59.000Z',
      ],
    ],
    ['Url', ['https://a.b'], ['a.b', 'ftp://a.b', '']],
    ['Digits', ['0', '123'], ['', '-1', '1.5', 1]],
    ['Flag', ['true', 'false'], [true, 'yes', '']],
    ['Gender', ['Male', 'Other'], ['male', '', 1]],
  ])('%s', (name, fitting, others) => {
    const schema = getSchema(name);
    expect(fitting.filter((value) => !isFit(schema, value))).toEqual([]);
    expect([...others, null].filter((value) => isFit(schema, value))).toEqual([]);
  });

  test('has a misfit, which is a text', () => {
    expect(getInvalidValue(getSchema('Day'))).toBe('2026-02-30');
    expect(isFit(getSchema('Gender'), getInvalidValue(getSchema('Gender')))).toBe(false);
    expect(getInvalidValue({ type: 'string' })).toBe('\u0000');
  });

  test('is told without the value', () => {
    expect(check(getSchema('Day'), 'Ana')).toBe('body: is not a day YYYY-MM-DD');
    expect(check(getSchema('Instant'), 'Ana')).toBe('body: is not a UTC timestamp with milliseconds (ISO 8601)');
    expect(check(getSchema('Gender'), 'Ana')).toBe('body: is not one of Male, Female, Other');
    expect(check(getSchema('Day'), null)).toBe('body: Invalid input: expected string, received null');
    expect(check(getSchema('Day'), 7)).toBe('body: Invalid input: expected string, received number');
    expect(check(getSchema('NullableId'), 7)).toBe('body: Invalid input: expected string or null, received number');
  });
});

describe('the shape of an answer', () => {
  const { reply } = findOperation('GET /v1/insurance-carriers');
  const pagination = { totalPages: 1, totalElements: 1, page: 0, limit: 10, numberOfElements: 1 };
  const fits = { data: [{ id: '1', name: 'OSDE' }], pagination };
  const { totalPages: _, ...incomplete } = pagination;

  test.each([
    [fits, 'fits'],
    [
      { ...fits, data: [] },
      'body/data: is empty, although the fixtures or the port promise items: the system or the adapter lacks them',
    ],
    [{ ...fits, data: {} }, 'body/data: Invalid input: expected array, received object'],
    [{ ...fits, data: [...fits.data, { id: '2' }] }, 'body/data/1/name: is missing'],
    [{ ...fits, data: [{ id: '2', name: 2 }] }, 'body/data/0/name: Invalid input: expected string, received number'],
    [{ ...fits, pagination: incomplete }, 'body/pagination/totalPages: is missing'],
    [
      { ...fits, pagination: { ...pagination, page: 1.5 } },
      'body/pagination/page: Invalid input: expected integer, received number',
    ],
    [{ ...fits, more: 1 }, 'body: Unrecognized key: "more"'],
    [null, 'body: Invalid input: expected object, received null'],
    [[], 'body: Invalid input: expected object, received array'],
  ])('of %j: %s', (value, outcome) => expect(check(reply, value)).toBe(outcome));

  test('names every fault, each once', () => {
    const wrong = { data: [{ id: 'a b' }], pagination: incomplete, more: 1 };
    expect(check(reply, wrong).split('\n').toSorted()).toEqual([
      'body/data/0/id: is not an id',
      'body/data/0/name: is missing',
      'body/pagination/totalPages: is missing',
      'body: Unrecognized key: "more"',
    ]);
  });

  test('may have an empty object for payment and insurance, and otherwise has all of it', () => {
    const { payments, health_insurances } = getProperties(getSchema('AppointmentA'));
    for (const part of [payments!, health_insurances!]) expect(check(part, {})).toBe('fits');
    expect(check(payments!, { status: 'paid' })).toBe('fits');
    expect(check(payments!, { link: 'https://a.b' })).toBe('body/status: is missing');
    expect(check(health_insurances!, { carrier: 'OSDE', plan: '210', active: 'true' })).toBe(
      'body/credential_number: is missing',
    );
  });

  test('of a patient has a status where people are searched for, and nowhere else', () => {
    const fields = Object.keys(getProperties(getSchema('FoundPatient')));
    expect(fields).toEqual([...Object.keys(getProperties(getSchema('Patient'))), 'status']);
    expect(check(getSchema('Patient'), { status: 'Active' })).toContain('body: Unrecognized key: "status"');
    expect(check(getSchema('FoundPatient'), {})).toContain('body/status: is missing');
  });
});
