import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import axios from 'axios';
import { ClientCredentials } from '../../src/http-client/oauth.ts';
import type { Auth } from '../fhir-server/quirks.ts';
import type { LoggedRequest } from '../fhir-server/request-log.ts';
import type { Answer } from '../fhir-server/response.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect } from '../support/fhir-adapter.ts';
import { callNow } from '../support/fhir-calls.ts';

const { server, id } = await startHospital();
process.env.FHIR_TEST_SECRET = 's3cret';

const oauth: Auth = { kind: 'oauth', clientId: 'puente', clientSecret: 's3cret', expiresIn: 300 };
const isLogin = ({ target }: LoggedRequest) => target === '/oauth2/token';
const countLogins = () => server.requests.all.filter(isLogin).length;

/** The clock that the adapter measures by is so far ahead of the stand-in's. */
const later = (seconds: number) => {
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + seconds * 1000);
};

beforeEach(() => {
  server.reset({ auth: oauth });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Reads one patient through a fresh adapter. */
async function createReader(settings: object = {}) {
  const auth = { kind: 'oauth2-secret', clientId: 'puente', clientSecret: 'env:FHIR_TEST_SECRET' };
  const { ports } = await connect(server, { auth: { ...auth, tokenUrl: server.tokenUrl, ...settings } });
  return () => ports.patients.get(id('Patient/ana'), callNow());
}

/** How often a hundred reads, one after another, were refused. */
async function countRefusals(read: () => Promise<unknown>): Promise<number> {
  let refused = 0;
  for (let i = 0; i < 100; i++) {
    await read().catch((error: unknown) => {
      expect(error).toMatchObject({ kind: 'unavailable', code: 'backend_auth' });
      refused += 1;
    });
  }
  return refused;
}

describe('a token', () => {
  test('is renewed once half of its time is over, for which nobody waits', async () => {
    const read = await createReader();
    await read();
    later(140);
    await read();
    expect(server.tokens.issued).toBe(1);
    later(20);
    server.quirks.fault = (request) => (isLogin(request) ? { commits: false, answer: 'hang' } : undefined);
    await read();
    expect(countLogins()).toBe(2);
  });

  test('is handed out at once while it is renewed', async () => {
    let answered = 0;
    const http = axios.create({
      adapter: async (config) => {
        if (answered++ > 0) return new Promise(() => undefined);
        const data = Buffer.from('{"access_token":"a","expires_in":300}');
        const headers = { 'content-type': 'application/json' };
        return { data, status: 200, statusText: '', headers, config };
      },
    });
    const credentials = new ClientCredentials({
      http,
      tokenUrl: 'https://id.invalid/token',
      timeout: 1_000,
      prove: async () => ({ form: {} }),
    });
    const { signal } = new AbortController();
    expect(await credentials.header(signal)).toBe('Bearer a');
    later(200);
    const waiting = new Promise((resolve) => void setTimeout(resolve, 50, 'nothing yet').unref());
    expect(await Promise.race([credentials.header(signal), waiting])).toBe('Bearer a');
    expect(answered).toBe(2);
  });

  test('that is valid for hours is renewed ten minutes before its end', async () => {
    server.quirks.auth = { ...oauth, expiresIn: 7_200 };
    const read = await createReader();
    await read();
    later(6_500);
    await read();
    expect(server.tokens.issued).toBe(1);
    later(150);
    await read();
    expect(countLogins()).toBe(2);
  });

  test.each(['reset', 'hang'] as const)(
    'is used until it expires when the token endpoint has become one that does: %s',
    async (answer) => {
      const read = await createReader();
      await read();
      server.quirks.fault = (request) => (isLogin(request) ? { commits: false, answer } : undefined);
      later(290);
      expect(await countRefusals(read)).toBe(0);
      expect(countLogins()).toBeLessThanOrEqual(5);
      server.quirks.fault = () => undefined;
    },
  );

  test('that has expired is used no more', async () => {
    const read = await createReader();
    await read();
    server.quirks.fault = (request) => (isLogin(request) ? { commits: false, answer: 'reset' } : undefined);
    later(301);
    server.requests.reset();
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_auth' });
    expect(server.requests.all.filter((request) => !isLogin(request))).toEqual([]);
  });

  test('is kept when the FHIR server refuses it and no other can be had, and works when it is accepted again', async () => {
    const read = await createReader();
    await read();
    server.quirks.fault = (request) =>
      isLogin(request)
        ? { commits: false, answer: 'reset' }
        : { commits: false, answer: (answer) => ({ ...answer, status: 401 }) };
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_auth' });
    server.quirks.fault = (request) => (isLogin(request) ? { commits: false, answer: 'reset' } : undefined);
    await read();
  });
});

describe('a login', () => {
  const refused = { kind: 'unavailable', code: 'backend_auth' };

  test('is sent once more when its connection breaks', async () => {
    server.quirks.fault = (request) =>
      isLogin(request) && countLogins() === 1 ? { commits: false, answer: 'reset' } : undefined;
    const read = await createReader();
    await read();
    expect(countLogins()).toBe(2);
  });

  test('is given up when the connection breaks again', async () => {
    server.quirks.fault = (request) => (isLogin(request) ? { commits: false, answer: 'reset' } : undefined);
    const read = await createReader();
    await expect(read()).rejects.toMatchObject(refused);
    expect(countLogins()).toBe(2);
  });

  test('is sent once when its answer is damaged, which another would be too', async () => {
    const garble = (answer: Answer) => ({ ...answer, headers: { ...answer.headers, 'Content-Encoding': 'gzip' } });
    server.quirks.fault = (request) => (isLogin(request) ? { commits: true, answer: garble } : undefined);
    const read = await createReader();
    await expect(read()).rejects.toMatchObject(refused);
    expect(countLogins()).toBe(1);
  });
});

describe('failed logins', () => {
  test('are few, however many requests come', async () => {
    server.quirks.auth = { ...oauth, clientSecret: 'another' };
    expect(await countRefusals(await createReader())).toBe(100);
    expect(countLogins()).toBeLessThanOrEqual(4);
  });

  test('are few when the FHIR server refuses every token', async () => {
    server.quirks.auth = { ...oauth, expiresIn: 300 };
    const read = await createReader();
    server.quirks.fault = (request) =>
      isLogin(request) ? undefined : { commits: false, answer: (answer) => ({ ...answer, status: 401 }) };
    expect(await countRefusals(read)).toBe(100);
    expect(countLogins()).toBeLessThanOrEqual(3);
  });
});
