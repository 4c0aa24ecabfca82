import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { groupB, operations } from '../../src/api/index.ts';
import { documented } from '../../src/contract/cases/document-conformance.ts';
import { checkShape, getProperties, type Schema } from '../../src/contract/document.ts';
import { createPortsSubject, sandbox } from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { getField, isRecord } from '../../src/toolkit/records.ts';
import { openSandbox } from '../support/sandbox.ts';

/** Differences that `openapi.json` may have from `document.yaml`, each with its decision: `+` is in `openapi.json` alone. */
const decisions: readonly (readonly [difference: RegExp, reason: string])[] = [
  [
    /^POST \S+ body\S+ \+null$/,
    'Input is strict and checked first: null counts as absent, and .NET and Java serialize unset fields as null',
  ],
  [/^(POST|PUT) \/patients\/\S* body\/identifier \+string$/, 'Who is who: a DNI may be text, a passport has letters'],
  [/^(POST|PUT) \/v1\/coverages\S* body\/credentialNumber \+integer$/, 'A credential number may be a JSON number'],
  [/^POST \/v1\/appointments body\/minutesDuration \+integer$/, 'A duration may be a JSON number too'],
  [/^PUT \/patients\/\{id\} body\/(id|status) /, 'A write accepts what a read returned'],
  [/^GET \/ticket_types reply\/0\/fields\/0\/type \+=/, 'Tickets are checked against their type: these are the types'],
  [
    /^(POST|PUT) \/v1\/\w+\S* reply\/status \+=(booked|created|updated)$/,
    'The document shows no value; these are ours',
  ],
  [/^POST \/v1\/available-slots body\/dateConfig\/daysOfWeek\/0 \+=/, 'The document shows three of the seven days'],
  [
    /^GET \/v1\/appointments reply\/data\/0\/hcsId \+null$/,
    'An appointment may name no service; those of the fixtures name one',
  ],
  [
    /^(?!\w+ \/v1\/)\w+ \S+ security \+bearerAuth$/,
    'The document shows no authentication of Group A; here all need it',
  ],
];

const published: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));

/** A part of `openapi.json` in which references are replaced by their targets. */
function resolve(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(resolve);
  if (!isRecord(part)) return part;
  const { $ref } = part;
  if (typeof $ref === 'string') return resolve($ref.split('/').slice(1).reduce<unknown>(getField, published));
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]));
}

interface PublishedOperation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    schema: Schema;
  }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
}

const publishedOperations = new Map(
  Object.entries(resolve(getField(published, 'paths')) as Record<string, Record<string, PublishedOperation>>).flatMap(
    ([path, item]) => Object.entries(item).map(([method, each]) => [`${method.toUpperCase()} ${path}`, each] as const),
  ),
);

/** `openapi.json` uses `anyOf` where `document.yaml` lists types. */
type AnySchema = Schema & { readonly anyOf?: readonly AnySchema[]; readonly const?: string };

/** Lists the facts of each part of a schema: types, enumerated values, and whether the part is required. */
function listFacts(schema: AnySchema | undefined, at: string, isRequired = false): string[] {
  if (!schema) return [];
  const { type = [], enum: values = [], const: only, properties = {}, required = [], items, anyOf = [] } = schema;
  return [
    `${at} present`,
    ...(isRequired ? [`${at} required`] : []),
    ...[type].flat().map((each) => `${at} ${each}`),
    ...[...values, ...(only === undefined ? [] : [only])].map((value) => `${at} =${value}`),
    ...Object.entries(properties).flatMap(([name, each]) => listFacts(each, `${at}/${name}`, required.includes(name))),
    ...(items ? listFacts(items, `${at}/0`) : []),
    ...[...anyOf, ...(schema.allOf ?? [])].flatMap((each) => listFacts(each, at)),
    // Of an object that may be empty no field is required.
    ...(schema.then ? listFacts({ properties: getProperties(schema.then) }, at) : []),
  ];
}

const json = (body: Body | undefined) => body?.content['application/json'];

const differences = documented.flatMap(({ route, query = {}, body, required, status, reply, operationId }) => {
  const { security, parameters = [], requestBody, responses } = publishedOperations.get(route)!;
  const facts = new Set([
    ...Object.entries(query).flatMap(([name, each]) => listFacts(each, `query/${name}`, required.includes(name))),
    ...listFacts(body, 'body'),
    ...listFacts(reply, 'reply'),
    ...(operationId === undefined ? [] : ['security bearerAuth']),
  ]);
  const ofPublished = new Set([
    ...parameters
      .filter((each) => each.in === 'query')
      .flatMap((each) => listFacts(each.schema, `query/${each.name}`, each.required)),
    ...listFacts(json(requestBody)?.schema, 'body'),
    ...listFacts(json(responses[status])?.schema, 'reply'),
    ...(security ?? []).flatMap((each) => Object.keys(each).map((name) => `security ${name}`)),
  ]);
  const toLine = (sign: string) => (fact: string) => `${route} ${fact.replace(' ', ` ${sign}`)}`;
  return [
    ...[...ofPublished.difference(facts)].map(toLine('+')),
    ...[...facts.difference(ofPublished)].map(toLine('-')),
  ];
});

describe('openapi.json', () => {
  test('differs from the document of the contract only by decisions, each of which it needs', () => {
    const undecided = differences.filter((line) => !decisions.some(([difference]) => difference.test(line)));
    expect(undecided).toEqual([]);
    const idle = decisions.filter(([difference]) => !differences.some((line) => difference.test(line)));
    expect(idle).toEqual([]);
  });

  test('has the operations of the document, and those of the gateway itself', () => {
    const own = [...publishedOperations.keys()].filter((route) => !documented.some((each) => each.route === route));
    expect(own).toEqual(['GET /capabilities', 'GET /livez', 'GET /readyz', 'GET /openapi.json']);
    expect(operations.map(({ route }) => route)).toEqual(documented.map(({ route }) => route));
  });

  test('names the operations of Group B as the document does, and those alone', () => {
    const named = documented.filter(({ operationId }) => operationId !== undefined);
    expect(named.map(({ operationId }) => operationId)).toEqual(groupB.map(({ name }) => name));
    for (const { route, operationId } of named) {
      expect(publishedOperations.get(route)?.operationId).toBe(operationId);
    }
  });
});

const listGiven = (at: string, value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(Array.isArray(value) ? value.slice(0, 1) : value);
  return entries.flatMap(([name, inner]) => [
    ...(Array.isArray(value) ? [] : [`${at}/${name}`]),
    ...listGiven(`${at}/${name}`, inner),
  ]);
};

const listFields = (at: string, schema: Schema): string[] =>
  Object.entries(getProperties(schema)).flatMap(([name, field]) => [
    `${at}/${name}`,
    ...listFields(`${at}/${name}`, field),
    ...(field.items ? listFields(`${at}/${name}/0`, field.items) : []),
  ]);

const subject = createPortsSubject({ ports: openSandbox(), operations, supports: capabilities, fixtures: sandbox });

describe.each(documented.map((entry) => [entry.route, entry] as const))('%s', (route, entry) => {
  test('serves the capability that the cases need first', () => {
    expect(operations.find((operation) => operation.route === route)?.uses[0]).toBe(entry.needs);
  });

  test('has examples in openapi.json that fit the document', () => {
    const { requestBody, responses } = publishedOperations.get(route)!;
    // An empty object is published without an example.
    checkShape(entry.reply, json(responses[entry.status])?.example ?? {}, 'reply');
    if (entry.body) checkShape(entry.body, json(requestBody)?.example, 'body');
  });

  test('is played with every parameter and field of the document', async () => {
    const { query = {}, body = {} } = (await entry.build?.(subject)) ?? {};
    expect(Object.keys(query).toSorted()).toEqual(Object.keys(entry.query ?? {}).toSorted());
    expect(listGiven('', body).toSorted()).toEqual(listFields('', entry.body ?? {}).toSorted());
    if (entry.body) checkShape(entry.body, body, 'body');
  });
});
