import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { adapter } from '../../adapters/adapter.ts';
import { memory as builtIn } from '../../adapters/memory/index.ts';
import { Drain } from '../../src/http/drain.ts';
import { Failure } from '../../src/ports/index.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { wait } from '../support/guarded-gateway.ts';

let gateway: RunningGateway;
let get: () => unknown;

/** Gets a patient as the test says, lists practitioners, cannot list carriers at present, and offers nothing else. */
const memory = adapter({
  settings: builtIn.settings,
  offer: () => ({
    practitioners: { list: async () => [] },
    patients: { get: async () => get() as never },
    insurance: {
      carriers: async () => {
        throw new Failure('unsupported', 'this cannot be done safely', { code: 'backend_not_atomic' });
      },
    },
  }),
});
let before = 0;
let isDraining = false;

class SwitchedDrain extends Drain {
  override get started(): boolean {
    return isDraining;
  }
}

beforeAll(async () => {
  gateway = await startGateway({
    adapters: { memory },
    rebind: (container) => container.rebind(parts.drain).toConstantValue(new SwitchedDrain()),
  });
});
beforeEach(() => {
  before = gateway.lines.length;
});
afterAll(() => gateway.stop());

const fail = (failure: Error) => () => {
  throw failure;
};
const unavailable = (cause?: object) => new Failure('unavailable', 'it is down', { cause });

/** All lines that a request leaves, once it is over. */
async function logLines(path = '/patients/ana'): Promise<Record<string, unknown>[]> {
  await gateway.ask('GET', path);
  const lines = () => gateway.lines.slice(before).map((line) => JSON.parse(line));
  await wait(() => lines().some(({ event }) => event === 'request'));
  return lines();
}

describe('the log line of a request', () => {
  test.each([
    ['/livez', 'GET /livez'],
    ['/capabilities', 'GET /capabilities'],
    ['/docs', 'GET /docs'],
    ['/problems/not_found', 'GET /problems/:code'],
    ['/patients/nobody?name=x', 'GET /patients/{id}'],
    ['/nowhere/ana', 'GET *'],
  ])('to %s has the route %s', async (path, route) => {
    get = fail(new Failure('not_found', 'no'));
    expect(await logLines(path)).toMatchObject([{ route }]);
  });

  test.each<[string, string, object]>([
    ['is information where all is well', '/practitioner/', { level: 'info', status: 200 }],
    ['is no error for what is not offered', '/api/medical-directory', { level: 'info', status: 501 }],
    [
      'warns of what is offered, but not at present',
      '/health_insurance_carriers/',
      { level: 'warn', status: 501, cause: 'backend_not_atomic' },
    ],
  ])('%s', async (_what, path, line) => expect(await logLines(path)).toMatchObject([line]));

  test.each<[string, Error, object]>([
    ['what is not there', new Failure('not_found', 'no'), { level: 'info', status: 404, code: 'not_found' }],
    ['a backend that is down', unavailable(), { level: 'error', status: 502, code: 'backend_unavailable' }],
    ['a deadline', new Failure('timeout', 'no'), { level: 'error', status: 504, code: 'backend_timeout' }],
    ['too many requests', new Failure('overloaded', 'no'), { level: 'error', status: 503, code: 'overloaded' }],
  ])('for %s is one line, and tells of no fault of the gateway', async (_what, failure, line) => {
    get = fail(failure);
    const lines = await logLines();
    expect(lines).toEqual([expect.objectContaining({ event: 'request', ...line })]);
    expect(lines[0]).not.toHaveProperty('cause');
  });

  test.each(['/livez', '/readyz'])('of a probe, %s, is for who debugs, also where a drain answers it', async (path) => {
    expect(await logLines(path)).toMatchObject([{ level: 'debug', status: 200 }]);
    isDraining = true;
    before = gateway.lines.length;
    const status = path === '/readyz' ? 503 : 200;
    expect(await logLines(path)).toMatchObject([{ level: 'debug', status }]);
    isDraining = false;
  });

  test('has the code of the innermost cause, and never its message', async () => {
    const refused = Object.assign(new Error('no way to 31465466'), { code: 'ECONNREFUSED' });
    get = fail(unavailable(new TypeError('fetch failed', { cause: refused })));
    expect(await logLines()).toMatchObject([{ code: 'backend_unavailable', cause: 'ECONNREFUSED' }]);
  });

  test('for a fault of the gateway is a line more, with the place and the same request id', async () => {
    get = fail(new TypeError('Ana 31465466'));
    const [fault, request, ...more] = await logLines();
    expect(fault).toMatchObject({ level: 'error', event: 'unhandled error', cause: 'TypeError' });
    expect(request).toMatchObject({ level: 'error', status: 500, code: 'internal_error' });
    expect([fault?.requestId, more]).toEqual([request?.requestId, []]);
  });

  test('says how many milliseconds the response took', async () => {
    get = () => new Promise((_, reject) => setTimeout(() => reject(new Failure('not_found', 'no')), 60));
    const started = performance.now();
    const [line] = await logLines();
    expect(line?.ms).toBeGreaterThanOrEqual(55);
    expect(line?.ms).toBeLessThanOrEqual(performance.now() - started);
  });

  test('has the status 499, and is no error, when the caller left before the response', async () => {
    const left = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    get = () => {
      left.abort();
      return promise;
    };
    const headers = { Authorization: `Bearer ${gateway.token}` };
    await fetch(`${gateway.url}/patients/ana`, { headers, signal: left.signal }).catch(() => undefined);
    await wait(() => gateway.lines.length > before);
    expect(gateway.lines.slice(before).map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', status: 499 }]);
    reject(unavailable());
  });
});

test('a 503 asks for a second of patience where nobody knows better', async () => {
  const askPatience = async () => (await gateway.ask('GET', '/patients/ana')).headers['retry-after'];
  get = fail(new Failure('overloaded', 'no'));
  expect(await askPatience()).toBe('1');
  get = fail(new Failure('overloaded', 'no', { retryAfter: 7 }));
  expect(await askPatience()).toBe('7');
  get = fail(unavailable());
  expect(await askPatience()).toBeUndefined();
});
