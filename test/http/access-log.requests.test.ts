import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Failure } from '../../src/ports/index.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { wait } from '../support/guarded-gateway.ts';

let gateway: RunningGateway;
let get: () => unknown;

beforeEach(async () => {
  gateway = await startGateway({ replacePort: () => ({ get: async () => get() }) });
});
afterEach(() => gateway.stop());

const fail = (failure: Error) => () => {
  throw failure;
};
const unavailable = (cause?: object) => new Failure('unavailable', 'it is down', { cause });

const ask = (signal?: AbortSignal) =>
  fetch(`${gateway.url}/patients/ana`, {
    headers: { Authorization: `Bearer ${gateway.token}` },
    ...(signal && { signal }),
  });

/** All lines that a request leaves, once it is over. */
async function logLines(signal?: AbortSignal): Promise<Record<string, unknown>[]> {
  const response = await ask(signal).catch(() => undefined);
  await response?.text();
  const lines = () => gateway.lines.map((line) => JSON.parse(line));
  await wait(() => lines().some(({ event }) => event === 'request'));
  return lines();
}

describe('the log of a request', () => {
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
    expect(await logLines(left.signal)).toMatchObject([{ level: 'info', status: 499 }]);
    reject(unavailable());
  });
});

describe('a 503', () => {
  test('asks for a second of patience where nobody knows better', async () => {
    get = fail(new Failure('overloaded', 'no'));
    expect((await ask()).headers.get('retry-after')).toBe('1');
    get = fail(new Failure('overloaded', 'no', { retryAfter: 7 }));
    expect((await ask()).headers.get('retry-after')).toBe('7');
    get = fail(unavailable());
    expect((await ask()).headers.get('retry-after')).toBeNull();
  });
});
