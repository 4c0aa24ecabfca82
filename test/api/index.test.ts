import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  allScopes,
  buildExample,
  getPortName,
  groupA,
  groupB,
  isWrite,
  type Operation,
  operations,
  parseInput,
} from '../../src/api/index.ts';
import { capabilities, ports, writes } from '../../src/ports/index.ts';

const now = new Date('2026-11-20T15:00:00Z');
const each = operations.map((operation) => [operation.name, operation] as const);

/** Fields that an operation checks or reads with another one, so that no port names them. */
const checkedByOperation: Readonly<Record<string, readonly string[]>> = {
  registerPatient: ['identifier_type'],
  updatePatient: ['identifier_type'],
  openTicket: ['fields'],
  cancelAppointment: ['status'],
  createAppointment: ['appointmentDate'],
};

type Part = 'params' | 'query' | 'body';
type Schema = { properties?: Record<string, Schema>; anyOf?: Schema[] };

const toInputSchema = (operation: Operation, part: Part): Schema | undefined =>
  operation[part] && (z.toJSONSchema(operation[part], { io: 'input', unrepresentable: 'any' }) as Schema);

const listFields = (operation: Operation, part: Part): string[] =>
  Object.keys(toInputSchema(operation, part)?.properties ?? {});

/** Whether the request has a field at the end of the path. */
const hasField = (schema: Schema | undefined, path: readonly string[]): boolean =>
  path.reduce<Schema | undefined>((at, step) => at?.properties?.[step], schema) !== undefined;

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'route' in value && 'handle' in value;

describe('the list of operations', () => {
  test('holds every operation that a file declares, each in its group, and no others', async () => {
    const files = readdirSync('src/api/operations');
    const modules = await Promise.all(files.map((file) => import(`../../src/api/operations/${file}`)));
    const declared = modules.flatMap((module) => Object.values(module)).filter(isOperation);
    expect(new Set(operations)).toEqual(new Set(declared));
    for (const group of [groupA, groupB]) expect(group.length).toBeGreaterThan(0);
    expect(groupB.every(({ route }) => route.includes(' /v1/'))).toBe(true);
    expect(groupA.some(({ route }) => route.includes(' /v1/'))).toBe(false);
  });

  test('calls an operation a write where one of the methods that it uses writes', () => {
    const isWriting = ({ uses }: Operation) => uses.some((capability) => writes.includes(capability));
    expect(operations.filter((operation) => isWrite(operation) !== isWriting(operation))).toEqual([]);
  });

  test('names every operation once', () => {
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  });

  test('has no two routes that match the same request', () => {
    const shapes = operations.map(({ route }) => route.replaceAll(/\{\w+\}/g, '{}').replace(/\/$/, ''));
    expect(new Set(shapes).size).toBe(operations.length);
  });
});

describe.each(each)('%s', (_name, operation) => {
  test('declares the parameters that its route has, and no others', () => {
    const inRoute = [...operation.route.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(listFields(operation, 'params').sort()).toEqual(inRoute.sort());
  });

  test('uses methods of one port that exist, and needs a scope that exists', () => {
    expect(Object.keys(ports)).toContain(getPortName(operation));
    expect(operation.uses.filter((c) => !c.startsWith(`${getPortName(operation)}.`))).toEqual([]);
    expect(capabilities).toEqual(expect.arrayContaining([...operation.uses]));
    expect(allScopes).toContain(operation.scope);
  });

  test('can answer not_found when its path names something', () => {
    if (operation.params) expect(operation.fails).toContain('not_found');
  });

  test('has an example for every part of the request that it reads, and the part accepts it', () => {
    const example = buildExample(operation, now);
    for (const part of ['params', 'body'] as const) {
      expect(example[part] !== undefined).toBe(operation[part] !== undefined);
    }
    const { params = {}, query = {}, body } = example;
    expect(() => parseInput(operation, { params, query, body })).not.toThrow();
    expect(listFields(operation, 'query')).toEqual(expect.arrayContaining(Object.keys(example.query ?? {})));
  });

  test('refuses a field that its body does not know', () => {
    const { body } = buildExample(operation, now);
    if (body === undefined) return expect(operation.body).toBeUndefined();
    expect(operation.body?.safeParse({ ...(body as object), surprise: 1 }).success).toBe(false);
  });

  test('ignores a query parameter that it does not know and refuses a repeated one', () => {
    const { query = {} } = buildExample(operation, now);
    expect(operation.query?.safeParse({ ...query, utm_source: ['a', 'b'] }).success ?? true).toBe(true);
    for (const [key, value] of Object.entries(query)) {
      expect(operation.query?.safeParse({ ...query, [key]: [value, value] }).success).toBe(false);
    }
  });

  test('answers in a schema without transforms', () => {
    expect(() => z.toJSONSchema(operation.returns[1], { io: 'output' })).not.toThrow();
  });

  test('maps the fields of its port to fields that its request has', () => {
    for (const [field, place] of Object.entries(operation.places ?? {})) {
      expect(field).toMatch(/^[a-z][A-Za-z]*$/);
      const [part, ...path] = place.split(/ ?\//) as [Exclude<Part, 'params'> | 'path', ...string[]];
      expect([place, hasField(toInputSchema(operation, part === 'path' ? 'params' : part), path)]).toEqual([
        place,
        true,
      ]);
    }
  });
  test('says of each field of a change where a fault is that an adapter finds in it', () => {
    if (!isWrite(operation) || !operation.body) return;
    const named = Object.values(operation.places ?? {}).map((place) => place.replace(/^body \//, ''));
    const others = listFields(operation, 'body').filter((field) => !named.includes(field));
    expect(others).toEqual(checkedByOperation[operation.name] ?? []);
  });
});
