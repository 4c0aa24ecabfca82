import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { adapter } from '../../adapters/adapter.ts';
import { memory as builtIn } from '../../adapters/memory/index.ts';
import { isOffered, operations } from '../../src/api/index.ts';
import type { Capability } from '../../src/ports/index.ts';
import { startGateway } from '../support/gateway.ts';
import { createResponseCheck, type PublishedDocument } from '../support/published.ts';

/** Offers two methods, and nothing else. */
const memory = adapter({
  settings: builtIn.settings,
  offer: () => ({
    patients: { get: async () => Promise.reject(new Error('not asked')) },
    practitioners: { list: async () => [] },
  }),
});
const supports: ReadonlySet<Capability> = new Set(['patients.get', 'practitioners.list']);
const gateway = await startGateway({ adapters: { memory } });
afterAll(() => gateway.stop());

const document: PublishedDocument = JSON.parse(readFileSync('openapi.json', 'utf8'));
const check = createResponseCheck(document);

const get = (path: string, authorization = `Bearer ${gateway.token}`) =>
  fetch(gateway.url + path, { headers: { authorization } });

describe('the endpoints of the gateway itself', () => {
  test.each([
    ['/capabilities', 'getCapabilities'],
    ['/livez', 'getLiveness'],
    ['/readyz', 'getReadiness'],
    ['/openapi.json', 'getOpenApi'],
  ])('answer as they are published: %s', async (path, operationId) => {
    const response = await get(path);
    const type = response.headers.get('content-type') ?? undefined;
    expect(check(operationId, response.status, type, await response.json())).toEqual([]);
    expect(response.status).toBe(200);
  });
});

test('below a base path the endpoints, the operations and their methods are found, and nothing beside it', async () => {
  const below = await startGateway({ adapters: { memory }, environment: { PUENTE_HTTP_BASE_PATH: '/puente' } });
  const ask = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${below.token}` };
    const response = await fetch(new URL(path, below.url), { method, headers });
    return [response.status, response.headers.get('allow')];
  };
  try {
    expect(await ask('GET', '/puente/livez')).toEqual([200, null]);
    expect(await ask('GET', '/puente/practitioner/')).toEqual([200, null]);
    expect(await ask('DELETE', '/puente/livez')).toEqual([405, 'GET, HEAD']);
    expect(await ask('GET', '/livez')).toEqual([404, null]);
    expect(await ask('GET', '/puentelivez')).toEqual([404, null]);
  } finally {
    await below.stop();
  }
});

interface Capabilities {
  readonly gateway: object;
  readonly operations: readonly { readonly operation: string; readonly offered: boolean }[];
}

describe('/capabilities', () => {
  test('names every operation once, and says which of them are not offered', async () => {
    const body: unknown = await (await get('/capabilities')).json();
    const { gateway: product, operations: listed } = body as Capabilities;
    expect(product).toEqual({ name: 'puente', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(listed.map(({ operation }) => operation)).toEqual(operations.map(({ name }) => name));
    const offered = operations.filter((operation) => isOffered(operation, supports)).map(({ name }) => name);
    expect(offered).toContain('getPatient');
    expect(listed.filter((each) => each.offered).map(({ operation }) => operation)).toEqual(offered);
    expect(listed.find(({ operation }) => operation === 'getPatient')).toEqual({
      operation: 'getPatient',
      route: 'GET /patients/{id}',
      group: 'A',
      scope: 'patients:read',
      port: 'patients',
      adapter: 'memory',
      offered: true,
    });
  });

  test('is for who may see it', async () => {
    expect((await get('/capabilities', 'Bearer nobody')).status).toBe(401);
  });
});
