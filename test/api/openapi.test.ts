import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { groupA, groupB, isWrite, type Operation, operation, operations, problems } from '../../src/api/index.ts';
import { buildOpenApiDocument, type OpenApi } from '../../src/api/openapi.ts';
import { capabilities } from '../../src/ports/index.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const document = buildOpenApiDocument(operations, { version });

interface Described {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly 'x-required-scope'?: string;
  readonly security: readonly object[];
  readonly 'x-not-offered'?: boolean;
  readonly parameters?: readonly { name: string; in: string; schema: object; example?: unknown }[];
  readonly requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  readonly responses: Record<
    string,
    { headers?: Record<string, unknown>; content: Record<string, { schema: object; example?: unknown }> }
  >;
}

/** What a client reads of the operation. */
function getPublished({ route }: Operation, within: OpenApi = document): Described {
  const [method, path] = route.split(' ') as [string, string];
  const item: Readonly<Record<string, unknown>> = { ...within.paths?.[path] };
  return JSON.parse(JSON.stringify(item[method.toLowerCase()])) as Described;
}

const findNamed = (name: string): Operation => {
  const found = operations.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
};

describe('openapi.json', () => {
  test('is what the declarations say; `npm run openapi` mends it', () => {
    expect(JSON.parse(readFileSync('openapi.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'openapi' });

describe.each(operations.map((op) => [op.name, op] as const))('the description of %s', (name, op) => {
  test('stands at its route, byte for byte, with its name, a tag of the document and its scope', () => {
    const { operationId, tags, description, 'x-required-scope': scope } = getPublished(op);
    expect({ operationId, scope }).toEqual({ operationId: name, scope: op.scope });
    expect(document.tags?.map((tag) => tag.name)).toContain(tags[0]);
    expect(description).toContain(`\`${op.scope}\``);
  });

  test('publishes its success and the status of every problem that it declares', () => {
    const published = Object.keys(getPublished(op).responses).map(Number);
    expect(published).toContain(op.returns[0]);
    for (const code of op.fails ?? []) expect(published).toContain(problems[code].status);
  });

  test('has examples that its own schemas accept', () => {
    const accepts = (schema: object, value: unknown) =>
      ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')), value);
    const { parameters = [], requestBody, responses } = getPublished(op);
    for (const { in: place, schema, example } of parameters) {
      if (place === 'path') expect(example).toBeDefined();
      if (example !== undefined) expect(accepts(schema, example)).toBe(true);
    }
    const body = requestBody?.content['application/json'];
    if (body) expect(accepts(body.schema, body.example)).toBe(true);
    expect(requestBody !== undefined).toBe(op.body !== undefined);
    const answer = responses[op.returns[0]]?.content['application/json'];
    if (answer && 'example' in answer) expect(accepts(answer.schema, answer.example)).toBe(true);
  });
});

describe('buildOpenApiDocument', () => {
  test('names every body and every list of values, which generators make types of', () => {
    const unnamed: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const isNamed = /^\/components\/schemas\/\w+$/.test(path);
      if ('enum' in value && Array.isArray(value.enum) && !isNamed) unnamed.push(path);
      if (path.endsWith('/application~1json/schema') && !('$ref' in value)) unnamed.push(path);
      for (const [key, each] of Object.entries(value)) {
        if (key !== 'example') look(each, `${path}/${key.replaceAll('/', '~1')}`);
      }
    };
    look(JSON.parse(JSON.stringify(document)), '');
    expect(unnamed).toEqual([]);
  });

  test('has no list of types but to allow null, which generators for Go and Java refuse', () => {
    const lists = [...JSON.stringify(document).matchAll(/"type":(\[[^\]]*\])/g)].map(([, list]) => list);
    expect(lists.filter((list) => !list?.includes('"null"'))).toEqual([]);
  });

  test('says of a parameter beside its schema what it is, and in no extension of its own', () => {
    expect(JSON.stringify(document)).not.toContain('"param"');
  });

  test('reckons the days of its examples from `now`', () => {
    const at = (now: string) =>
      getPublished(findNamed('bookAppointment'), buildOpenApiDocument(operations, { version, now: new Date(now) }))
        .requestBody?.content['application/json']?.example;
    expect(at('2027-01-06T12:00:00Z')).toMatchObject({ date: '2027-01-19T09:20:00' });
    expect(at('2027-02-03T12:00:00Z')).toMatchObject({ date: '2027-02-16T09:20:00' });
  });

  test('marks what the institution does not offer, and nothing else', () => {
    const supports = new Set(capabilities.filter((capability) => capability !== 'appointments.cancel'));
    const narrower = buildOpenApiDocument(operations, { version, supports });
    const marked = operations.filter((op) => getPublished(op, narrower)['x-not-offered']);
    expect(marked.map(({ name }) => name)).toEqual(['cancelAppointment']);
    expect(getPublished(findNamed('cancelAppointment'), narrower).description).toContain('501');
  });

  test('asks for a token everywhere, and nowhere in Group A once the institution has opened it', () => {
    const opened = buildOpenApiDocument(operations, { version, anonymousGroupA: true });
    for (const op of groupB) expect(getPublished(op, opened)).toEqual(getPublished(op));
    for (const op of groupA) {
      expect(getPublished(op).security).toEqual([{ bearerAuth: [] }]);
      const { security, description, responses, ...rest } = getPublished(op, opened);
      expect(security).toEqual([]);
      expect(rest).not.toHaveProperty('x-required-scope');
      expect(description).not.toContain(op.scope);
      expect(Object.keys(responses)).not.toEqual(expect.arrayContaining(['401']));
    }
  });

  test('asks for a token to read the capabilities, unless the institution has opened them', () => {
    const security = (openOps: boolean) =>
      buildOpenApiDocument(operations, { version, openOps }).paths?.['/capabilities']?.get?.security;
    expect([security(false), security(true)]).toEqual([[{ bearerAuth: [] }], []]);
  });

  test('has a UUID as the example of the key of each write, another one for each', () => {
    const keys = operations
      .filter(isWrite)
      .map((op) => getPublished(op).parameters?.find(({ name }) => name === 'Idempotency-Key'));
    for (const key of keys) {
      expect(z.uuidv4().safeParse(key?.example).success).toBe(true);
      // By a pattern or a default importers would invent one key for all operations, and refuse other keys than UUIDs.
      expect(key?.schema).toEqual({ type: 'string', minLength: 1, maxLength: 512 });
    }
    expect(new Set(keys.map((key) => key?.example)).size).toBe(keys.length);
  });

  test('puts the base path before every path and every page of a problem', () => {
    const below = buildOpenApiDocument(operations, { version, basePath: '/puente' });
    const [server] = below.servers ?? [];
    const address = server?.url.replace('{gateway}', String(server.variables?.gateway?.default));
    expect(address).toBe('http://127.0.0.1:8080/puente');
    expect(JSON.stringify(below.components)).toContain('"/puente/problems/not_found"');
  });

  test('names the created thing in a Location header where the operation does', () => {
    const created = operations.filter((op) => getPublished(op).responses[op.returns[0]]?.headers?.Location);
    expect(created.map(({ name }) => name)).toEqual(operations.filter((op) => op.location).map(({ name }) => name));
  });

  test('keeps what goes in and what comes out apart under one name', () => {
    const thing = z.object({ day: z.string().default('today') }).meta({ id: 'Thing' });
    const echo = operation({
      name: 'echo',
      route: 'PUT /echo',
      summary: 'Echo',
      scope: 'patients:read',
      uses: ['patients.get'],
      body: thing,
      example: { body: {} },
      returns: [200, thing],
      handle: async (_patients, { body }) => body,
    });
    const { schemas } = buildOpenApiDocument([echo], { version }).components ?? {};
    expect(schemas?.Thing).not.toHaveProperty('required');
    expect(schemas?.ThingOutput).toHaveProperty('required', ['day']);
  });

  test('publishes of the minutes of an appointment the bounds that are kept, as text and as a number', () => {
    const { properties } = JSON.parse(JSON.stringify(document.components?.schemas?.CreateAppointmentRequest));
    const { minutesDuration } = properties;
    const takes = new Ajv2020({ strict: false }).compile(minutesDuration);
    const taken = [0, 1, 99, 999, 1000, 1399, 1400, 1439, 1440, 1441, 2000].filter((minutes) => takes(String(minutes)));
    expect(taken).toEqual([1, 99, 999, 1000, 1399, 1400, 1439, 1440]);
    expect(['0020', ' 20', '20.0', '-1', ''].filter((text) => takes(text))).toEqual(['0020']);
    expect([0, 1, 1440, 1441].filter((minutes) => takes(minutes))).toEqual([1, 1440]);
  });

  test('has patterns that mean the same with and without the `u` flag', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      (match) => JSON.parse(match[1] as string) as string,
    );
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow();
      expect(pattern).not.toMatch(/\\p\{/i);
    }
  });

  test.each([
    ['Patient', 'birth_date'],
    ['Practitioner', 'id'],
    ['DirectoryProvider', 'id'],
    ['Ticket', 'ticket_type_id'],
  ])('says of %s that %s may be empty, as it is where a system does not know it', (name, field) => {
    const ajv = new Ajv2020({ strict: false });
    const { properties = {} } = JSON.parse(JSON.stringify(document.components?.schemas?.[name]));
    expect(ajv.validate(properties[field], '')).toBe(true);
    expect(JSON.stringify(properties[field])).toMatch(/empty if/i);
  });

  test('does not promise that an answer has no other fields', () => {
    const { Patient } = document.components?.schemas ?? {};
    expect(Patient).not.toHaveProperty('additionalProperties');
  });
});
