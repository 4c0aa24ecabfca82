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
const gateway = await startGateway({
  adapters: { memory },
  environment: { PUENTE_INSTITUTION_TIME_ZONE: 'Europe/Madrid' },
});
afterAll(() => gateway.stop());

const document: PublishedDocument = JSON.parse(readFileSync('openapi.json', 'utf8'));
const check = createResponseCheck(document);

describe('the endpoints of the gateway itself', () => {
  test.each([
    ['/capabilities', 'getCapabilities'],
    ['/livez', 'getLiveness'],
    ['/readyz', 'getReadiness'],
    ['/openapi.json', 'getOpenApi'],
  ])('answer as they are published: %s', async (path, operationId) => {
    const { status, headers, text } = await gateway.ask('GET', path);
    expect(check(operationId, status, headers['content-type'] as string, JSON.parse(text))).toEqual([]);
    expect(status).toBe(200);
  });
});

test('below a base path the endpoints, the operations and their methods are found, and nothing beside it', async () => {
  const below = await startGateway({ adapters: { memory }, environment: { PUENTE_HTTP_BASE_PATH: '/puente' } });
  const ask = async (method: string, path: string) => {
    const { status, headers } = await below.ask(method, path);
    return [status, headers.allow];
  };
  try {
    expect(await ask('GET', '/puente/livez')).toEqual([200, undefined]);
    expect(await ask('GET', '/puente/practitioner/')).toEqual([200, undefined]);
    expect(await ask('DELETE', '/puente/livez')).toEqual([405, 'GET, HEAD']);
    expect(await ask('GET', '/livez')).toEqual([404, undefined]);
    expect(await ask('GET', '/puentelivez')).toEqual([404, undefined]);
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
    const { text } = await gateway.ask('GET', '/capabilities');
    const { gateway: product, operations: listed } = JSON.parse(text) as Capabilities;
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

  test('names the time zone of the institution', async () => {
    const { text } = await gateway.ask('GET', '/capabilities');
    expect(JSON.parse(text)).toMatchObject({ timeZone: 'Europe/Madrid' });
  });

  test('is for who may see it', async () => {
    const stranger = { authorization: 'Bearer nobody' };
    expect((await gateway.ask('GET', '/capabilities', undefined, stranger)).status).toBe(401);
  });
});
