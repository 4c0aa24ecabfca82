import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { groupA, groupB, operations } from '../../../src/api/index.ts';
import { documented } from '../../../src/contract/cases/document-conformance.ts';
import { type Fields, type Form, toShape } from '../../../src/contract/forms.ts';
import { createPortsSubject, sandbox } from '../../../src/contract/index.ts';
import { capabilities } from '../../../src/ports/index.ts';
import { openSandbox } from '../../support/sandbox.ts';

const subject = createPortsSubject({
  ports: openSandbox(),
  operations,
  supports: capabilities,
  fixtures: sandbox,
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}

/** Each part of the schema with its path, items of lists as `0`. */
function listParts(schema: z.ZodType | undefined, io: 'input' | 'output'): (readonly [at: string, part: Schema])[] {
  if (!schema) return [];
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema & { $defs?: Record<string, Schema> };
  const walk = (at: string, part: Schema): (readonly [string, Schema])[] => [
    [at, part] as const,
    ...(part.$ref ? walk(at, root.$defs?.[part.$ref.split('/').at(-1) ?? ''] ?? {}) : []),
    ...Object.entries(part.properties ?? {}).flatMap(([name, field]) => walk(`${at}/${name}`, field)),
    ...(part.items ? walk(`${at}/0`, part.items) : []),
    ...(part.anyOf ?? []).flatMap((one) => walk(at, one)),
  ];
  return walk('', root);
}

/** The names without which the schema takes nothing. */
const listRequired = (schema: z.ZodType | undefined): readonly string[] =>
  (schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).required) ?? [];

/** The path of each field that the schema declares. */
const listDeclared = (schema: z.ZodType | undefined, io: 'input' | 'output'): string[] =>
  listParts(schema, io)
    .flatMap(([at, { properties = {} }]) => Object.keys(properties).map((name) => `${at}/${name}`))
    .toSorted();

const listTranscribed = (fields: Fields = {}): string[] => listDeclared(toShape(fields), 'input');

/** Where the schema has a value, of those it enumerates, that the transcription does not have. */
function listStrangeValues(schema: z.ZodType | undefined, io: 'input' | 'output', whole: Form): string[] {
  const transcribed = Map.groupBy(listParts(toShape(whole), io), ([at]) => at);
  const isStrange = (at: string, value: unknown): boolean => {
    const known = transcribed.get(at)?.flatMap(([, part]) => part.enum ?? []) ?? [];
    return known.length > 0 && !known.includes(value);
  };
  return listParts(schema, io).flatMap(([at, { enum: values = [] }]) =>
    values.filter((value) => isStrange(at, value)).map((value) => `${at}: ${value}`),
  );
}

const listGiven = (at: string, value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(Array.isArray(value) ? value.slice(0, 1) : value);
  return entries.flatMap(([name, inner]) => [
    ...(Array.isArray(value) ? [] : [`${at}/${name}`]),
    ...listGiven(`${at}/${name}`, inner),
  ]);
};

describe('the transcription of the API document', () => {
  test('and the declared operations are the same, one to one, in the same order', () => {
    expect(operations.map(({ route }) => route)).toEqual(documented.map(({ route }) => route));
  });

  test('names the operations of Group B, and those alone', () => {
    const names = documented.flatMap(({ operationId }) => operationId ?? []);
    expect(names).toEqual(groupB.map(({ name }) => name));
    expect(documented.length - names.length).toBe(groupA.length);
  });
});

/** Fields that the gateway accepts beyond the document, as a decision says: what a read answered may be sent back. */
const accepted: Readonly<Record<string, readonly string[]>> = { 'PUT /patients/{id}': ['/id', '/status'] };

describe.each(documented.map((entry) => [entry.route, entry] as const))('%s', (route, entry) => {
  const declared = operations.find((operation) => operation.route === route);

  test('is declared as it is transcribed', () => {
    expect(declared?.returns[0]).toBe(entry.status ?? 200);
    expect(declared?.uses[0]).toBe(entry.needs);
    if (entry.operationId) expect(declared?.name).toBe(entry.operationId);
  });

  test('declares the parameters and fields that are transcribed, and no others', () => {
    expect(listDeclared(declared?.query, 'input')).toEqual(listTranscribed(entry.query));
    const fields = listDeclared(declared?.body, 'input').filter((path) => !accepted[route]?.includes(path));
    expect(fields).toEqual(listTranscribed(entry.body));
    expect(listDeclared(declared?.returns[1], 'output')).toEqual(listDeclared(toShape(entry.reply), 'output'));
  });

  test('declares for them no value that is not transcribed', () => {
    expect(listStrangeValues(declared?.query, 'input', entry.query ?? {})).toEqual([]);
    expect(listStrangeValues(declared?.body, 'input', entry.body ?? {})).toEqual([]);
    expect(listStrangeValues(declared?.returns[1], 'output', entry.reply)).toEqual([]);
  });

  test('declares the parameters and fields as required that are transcribed so, and no others', () => {
    const listed = [...listRequired(declared?.query), ...listRequired(declared?.body)];
    expect(listed.toSorted()).toEqual((entry.required ?? []).toSorted());
  });

  test('is played with every parameter and field that is transcribed', async () => {
    const { query, body } = (await entry.play?.(subject)) ?? {};
    expect(listGiven('', query ?? {}).toSorted()).toEqual(listTranscribed(entry.query));
    expect(listGiven('', body ?? {}).toSorted()).toEqual(listTranscribed(entry.body));
  });
});
