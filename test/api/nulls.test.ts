import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { buildExample, type Operation, operations, parseInput, Rejection } from '../../src/api/index.ts';
import { findOperation, getRejection } from '../support/fake-port.ts';

type Body = Readonly<Record<string, unknown>>;

// As published, so that the test does not ask what it tests which fields are optional.
const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: Record<string, { properties: Record<string, object>; required?: string[] }> };
};
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ components, $id: 'openapi' });

const getSchema = ({ name }: Operation) => `${name[0]!.toUpperCase()}${name.slice(1)}Request`;
const withBody = operations.filter(({ body }) => body !== undefined);
const listOptional = (operation: Operation) => {
  const { properties, required = [] } = components.schemas[getSchema(operation)]!;
  return Object.keys(properties).filter((name) => !required.includes(name));
};
const build = (operation: Operation) => {
  const { params = {}, query = {}, body } = buildExample(operation, new Date());
  return { params, query, body: body as Body };
};

describe.each(
  withBody.filter(({ route }) => route.startsWith('POST')).map((operation) => [operation.name, operation] as const),
)('%s', (_, operation) => {
  test('takes null for each optional field as if it were absent, and publishes that', () => {
    const { body, ...rest } = build(operation);
    const isValid = ajv.getSchema(`openapi#/components/schemas/${getSchema(operation)}`)!;
    for (const name of listOptional(operation)) {
      const { [name]: _, ...without } = body;
      const given = { ...rest, body: { ...body, [name]: null } };
      expect(parseInput(operation, given)).toEqual(parseInput(operation, { ...rest, body: without }));
      expect([name, isValid(given.body)]).toEqual([name, true]);
    }
    const nulls = Object.fromEntries(listOptional(operation).map((name) => [name, null]));
    const required = Object.fromEntries(Object.entries(body).filter(([name]) => !(name in nulls)));
    const parsed = parseInput(operation, { ...rest, body: { ...required, ...nulls } });
    expect(parsed).toEqual(parseInput(operation, { ...rest, body: required }));
    // What a fingerprint is made of.
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(parseInput(operation, { ...rest, body: required })));
  });

  test('refuses null where a value is required', () => {
    const { body, ...rest } = build(operation);
    for (const name of components.schemas[getSchema(operation)]!.required ?? []) {
      expect(() => parseInput(operation, { ...rest, body: { ...body, [name]: null } })).toThrow(Rejection);
    }
  });
});

test.each([
  ['getAvailableSlots', 'dateConfig', ['dateFrom', 'dateTo', 'daysOfWeek', 'hourFrom', 'hourTo']],
  ['registerPatient', 'address', ['street', 'number', 'floor', 'apartment', 'city', 'state', 'country', 'zip_code']],
])('%s takes null for each part of %s', (name, field, parts) => {
  const operation = findOperation(name);
  const { body, ...rest } = build(operation);
  const nulls = Object.fromEntries(parts.map((part) => [part, null]));
  expect(parseInput(operation, { ...rest, body: { ...body, [field]: nulls } })).toEqual(
    parseInput(operation, { ...rest, body: { ...body, [field]: {} } }),
  );
});

test.each([
  ['updatePatient', { gender: null, phone: null, address: null }],
  ['updatePatient', { address: { street: null } }],
  ['editCoverage', { credentialNumber: null, insurancePlanId: 'osde-310' }],
])('%s refuses the nulls of %j, and says why', async (name, body) => {
  const operation = findOperation(name);
  const { params } = build(operation);
  expect((await getRejection(name, {}, { params, body }))[0]).toBe('validation');
  expect(() => parseInput(operation, { params, query: {}, body })).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        faults: Object.entries(body)
          .filter(([, value]) => value === null || typeof value === 'object')
          .map(([field, value]) => ({
            in: 'body',
            at: value === null ? `/${field}` : `/${field}/street`,
            message: 'must not be null, because null could ask to erase the value: leave the field out to keep it',
          })),
      }),
    }),
  );
});
