import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { operations, perform, portOf, problems, type RawRequest, Rejection } from '../../../src/api/index.ts';
import { startFhirServer } from '../../support/fhir/server.ts';
import { hospital } from '../../support/fhir/world/hospital.ts';
import { fhirAdapter, settingsFor } from '../../support/fhir-adapter.ts';
import { callNow } from '../../support/fhir-calls.ts';

const server = await startFhirServer({ world: hospital(new Date()) });
const id = (name: string): string => server.cast.get(name) ?? '';

/** How the body of the next answers is spoilt. */
let spoil: (body: string) => string = (body) => body;

/** Stands between the adapter and the server and spoils what comes back. */
const between = createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request);
  const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
  const reply = await fetch(new URL(request.url ?? '', server.url), {
    method: request.method ?? 'GET',
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const body = Buffer.from(spoil(await reply.text()));
  response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' }).end(body);
});
await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}/fhir`;

afterAll(async () => {
  between.closeAllConnections();
  await new Promise((resolve) => between.close(resolve));
  await server.stop();
});

const reads: readonly (readonly [route: string, () => Partial<RawRequest>])[] = [
  ['GET /patients/search', () => ({ query: { identifier: '31465466', identifier_type: 'DNI' } })],
  ['GET /patients/{id}', () => ({ params: { id: id('Patient/ana') } })],
  ['GET /ticket_types', () => ({})],
  ['GET /patients/{id}/ticket/', () => ({ params: { id: id('Patient/ana') } })],
  ['GET /patients/{id}/appointments', () => ({ params: { id: id('Patient/ana') } })],
  ['GET /health_insurance_carriers/', () => ({})],
  ['GET /patients/{id}/health_insurances', () => ({ params: { id: id('Patient/ana') } })],
  ['GET /patients/{id}/practitioner', () => ({ params: { id: id('Patient/ana') } })],
  ['GET /practitioner/', () => ({})],
  ['GET /location/', () => ({})],
  ['GET /api/medical-directory', () => ({})],
];

async function answer(route: string, request: Partial<RawRequest>): Promise<number> {
  const operation = operations.find((each) => each.route === route);
  if (!operation) throw new Error(`no operation ${route}`);
  const settings = settingsFor({ url }, { retries: 0, cacheSeconds: 0, limits: { bytes: 4 << 20 } });
  const { ports } = await fhirAdapter(settings);
  const raw = { params: {}, query: {}, body: undefined, ...request };
  try {
    return (await perform(operation, ports[portOf(operation)], raw, callNow())).status;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return problems[error.code].status;
  }
}

/** Everywhere in a value, as paths. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => places(each, [...path, key]))];
}

const absent = Symbol('absent');
const others = [
  absent,
  null,
  7,
  -1.5,
  true,
  '',
  'x',
  [],
  {},
  [[]],
  { reference: '#x' },
  '../x',
  'Patient/..',
  '9999-99-99',
];

/** The body with one of its values lost or replaced. */
function mutated(body: string, where: number, replacement: unknown): string {
  const root = { body: JSON.parse(body) as unknown };
  const all = places(root).slice(1);
  const path = all[Math.floor(where * all.length)] ?? ['body'];
  const owner = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], root);
  const key = path.at(-1) ?? 'body';
  if (replacement === absent) delete (owner as Record<string, unknown>)[key];
  else (owner as Record<string, unknown>)[key] = replacement;
  return JSON.stringify(root.body) ?? '';
}

describe('a spoilt answer of the server', () => {
  test('never makes the gateway crash, or answer otherwise than with data, 404 or 502', async () => {
    const where = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reads), where, fc.constantFrom(...others), async ([route, of], at, other) => {
        spoil = (body) => mutated(body, at, other);
        expect([200, 404, 422, 502]).toContain(await answer(route, of()));
      }),
      { numRuns: 400 },
    );
  });

  test.each(reads)('that is cut is a 502 of %s', async (route, of) => {
    spoil = (body) => body.slice(0, -2);
    expect(await answer(route, of())).toBe(502);
  });

  test.each(reads)('of resources of another type is a 502 or nothing of %s', async (route, of) => {
    spoil = (body) => body.replaceAll(/"resourceType":"(?!Bundle)[A-Za-z]+"/g, '"resourceType":"Observation"');
    expect([404, 502]).toContain(await answer(route, of()));
  });

  test('that is endless is a 502', async () => {
    spoil = (body) => body.replace('{', `{"x":"${'x'.repeat(8 << 20)}",`);
    expect(await answer('GET /location/', {})).toBe(502);
  });
});
