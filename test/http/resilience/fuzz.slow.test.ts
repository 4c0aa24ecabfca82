import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildExample, type Example, type Operation, operations } from '../../../src/api/index.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { send } from '../../support/raw-request.ts';

/** Requests per operation; all operations together make more than 5,000. */
const RUNS = 150;

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
// Which also finds an answer that is not as published.
afterAll(() => gateway.stop());

const nasty = fc.constantFrom(
  '..',
  '.',
  '../..',
  '%2e%2e',
  '..%2f..%2fadmin',
  '\0',
  'a\r\nX-Evil: 1',
  '\\..\\',
  'x'.repeat(10_000),
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '{{7*7}}',
  'ana;bruno',
  '𝕒𝕟𝕒',
  '\u202Eana',
  '-1',
  '9'.repeat(30),
  'null',
  '',
);
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('ana', 'bruno', 'paz', 'consulta-clinica', 'ana-osde', 'osde', 'receta') },
  { weight: 3, arbitrary: nasty },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  nasty,
  fc.constantFrom('2026-02-30', '1985-11-30', '2026-11-21T10:00:00', '25:61', '1e400', '-0', ''),
  fc.integer(),
  fc.double(),
  fc.constant(null),
);

/** The operation's own example, most times with some of its parts replaced, dropped or added. */
function mutate<T extends Readonly<Record<string, unknown>>>(example: T | undefined, value: fc.Arbitrary<unknown>) {
  const keys = Object.keys(example ?? {});
  const changed = fc
    .record({
      replaced: fc.dictionary(fc.constantFrom(...keys, 'id'), value, { maxKeys: 3 }),
      dropped: fc.subarray(keys, { maxLength: Math.min(1, keys.length) }),
      added: fc.dictionary(
        fc.oneof(fc.constantFrom('__proto__', 'constructor', 'status'), fc.string({ maxLength: 8 })),
        value,
        { maxKeys: 1 },
      ),
    })
    .map(({ replaced, dropped, added }) =>
      Object.fromEntries(
        Object.entries({ ...example, ...replaced, ...added }).filter(([key]) => !dropped.includes(key)),
      ),
    );
  return fc.oneof({ weight: 1, arbitrary: fc.constant({ ...example }) }, { weight: 5, arbitrary: changed });
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

function makeRequests(
  operation: Operation,
): fc.Arbitrary<{ path: string; body?: string; headers: Record<string, string> }> {
  const [, template] = operation.route.split(' ') as [string, string];
  const example: Example = buildExample(operation, new Date());
  const params = fc.record(
    Object.fromEntries(
      Object.entries(example.params ?? {}).map(([name, value]) => [
        name,
        fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: word }),
      ]),
    ),
  );
  const query = operation.query ? mutate(example.query, word) : fc.constant({});
  const body = fc.oneof(
    {
      weight: 6,
      arbitrary: mutate(example.body as Record<string, unknown> | undefined, json).map((value) =>
        JSON.stringify(value),
      ),
    },
    { weight: 2, arbitrary: json.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string() },
  );
  return fc
    .record({ params, query, body: operation.body ? body : fc.constant(undefined), twice: fc.boolean() })
    .map((parts) => {
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encode(String(parts.params[name])));
      const pairs = Object.entries(parts.query).map(([key, value]) => `${encode(key)}=${encode(String(value))}`);
      if (parts.twice && pairs[0] !== undefined) pairs.push(pairs[0]);
      return {
        path: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path,
        headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
        ...(parts.body !== undefined && { body: parts.body }),
      };
    });
}

describe('any request to', () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s is answered below 500, as published',
    async (_, operation) => {
      const [method] = operation.route.split(' ') as [string];
      await fc.assert(
        fc.asyncProperty(
          fc.constant(null).chain(() => makeRequests(operation)),
          async ({ path, headers, body }) => {
            const { status } = await send(gateway.url, method, path, headers, body);
            expect(status).toBeLessThan(500);
          },
        ),
        { numRuns: RUNS },
      );
    },
    60_000,
  );

  test('was sent more than 5,000 times, and some were done and some refused', () => {
    const statuses = gateway.lines.map((line) => (JSON.parse(line) as { status?: number }).status ?? 0);
    expect(statuses.length).toBeGreaterThan(5_000);
    for (const status of [200, 201, 400, 404, 409, 422]) {
      expect({ status, times: statuses.filter((other) => other === status).length > 5 }).toEqual({
        status,
        times: true,
      });
    }
  });
});
