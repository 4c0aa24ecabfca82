import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RecentRequests } from '../../../src/http/operator/recent-requests.ts';
import { type ServedRequest, telemetry } from '../../../src/toolkit/telemetry.ts';

let recent: RecentRequests;
beforeEach(() => {
  jest.useFakeTimers({ now: new Date('2026-11-28T12:00:00Z') });
  recent = new RecentRequests();
});
afterEach(() => {
  recent.close();
  jest.useRealTimers();
});

const serve = (request: Partial<ServedRequest>) =>
  telemetry.request.asyncEnd.publish({
    ...{ method: 'GET', traceparent: undefined, operation: 'getPatient', adapter: 'fhir', status: 200, client: 'app' },
    ...request,
  });
const MINUTE = 60_000;

describe('the requests that an operator sees', () => {
  test('are the last ten failures of each adapter, the newest first', () => {
    for (let i = 0; i < 12; i++) serve({ status: 502, code: 'backend_unavailable', requestId: `${i}` });
    jest.setSystemTime(Date.now() + MINUTE);
    serve({ status: 502, code: 'backend_unavailable', requestId: 'other', adapter: 'local' });
    expect(recent.listFailures().map(({ requestId }) => requestId)).toEqual([
      'other',
      ...Array.from({ length: 10 }, (_, i) => `${11 - i}`),
    ]);
    expect(recent.listFailures()[0]).toMatchObject({ at: Date.now(), adapter: 'local' });
  });

  test('are no failures where the caller is wrong, or nobody offers it', () => {
    serve({ status: 422, code: 'slot_unknown' });
    serve({ status: 501, code: 'not_implemented' });
    expect(recent.listFailures()).toEqual([]);
    serve({ status: 501, code: 'not_implemented', cause: 'catalogue_empty' });
    expect(recent.listFailures()).toHaveLength(1);
  });

  test('count for each client by operation, code and cause, for fifteen minutes, with the time of the last one', () => {
    const taken = { status: 409, code: 'slot_taken', operation: 'bookAppointment' };
    const refused = { client: undefined, status: 401, code: 'unauthenticated' };
    serve({ limitKey: 'key of app' });
    serve(taken);
    serve({ ...refused, cause: 'expired' });
    const first = Date.now();
    jest.setSystemTime(first + MINUTE);
    const second = Date.now();
    serve(taken);
    serve({ ...refused, cause: 'unknown_token' });
    const none = { operation: '', code: undefined, cause: undefined, limitKeys: [] };
    expect(recent.list()).toEqual([
      { ...none, client: 'app', operation: 'bookAppointment', code: 'slot_taken', count: 2, last: second },
      {
        ...none,
        ...{
          client: '',
          operation: 'getPatient',
          code: 'unauthenticated',
          cause: 'unknown_token',
          count: 1,
          last: second,
        },
      },
      { ...none, client: 'app', limitKeys: ['key of app'], count: 1, last: first },
      {
        ...none,
        client: '',
        operation: 'getPatient',
        code: 'unauthenticated',
        cause: 'expired',
        count: 1,
        last: first,
      },
    ]);
    jest.setSystemTime(first + 15 * MINUTE);
    expect(recent.list().map(({ count }) => count)).toEqual([1, 1]);
    jest.setSystemTime(second + 15 * MINUTE);
    expect(recent.list()).toEqual([]);
  });

  test('keep no more clients apart than a person can read', () => {
    for (let i = 0; i < 200; i++) serve({ client: `client-${i}`, limitKey: `key-${i}` });
    serve({ client: 'client-0' });
    const clients = recent.list();
    expect(clients).toHaveLength(101);
    expect(clients.find(({ client }) => client === '(others)')).toMatchObject({ count: 100, limitKeys: [] });
    expect(clients.find(({ client }) => client === 'client-0')).toMatchObject({ count: 2 });
  });

  test('are none of probes and pages', () => {
    serve({ operation: 'GET /livez', adapter: undefined, status: 503, code: 'starting' });
    expect(recent.list()).toEqual([]);
  });

  test('have no limits in common where several clients share a name, such as callers without a token', () => {
    for (const limitKey of ['one', undefined, 'two', 'one', 'three']) serve({ client: 'anonymous', limitKey });
    serve({ limitKey: 'one of app' });
    expect(recent.list()).toMatchObject([
      { client: 'anonymous', limitKeys: ['one', 'two'], count: 5 },
      { client: 'app', limitKeys: ['one of app'] },
    ]);
  });
});
