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
    serve({ status: 502, code: 'backend_unavailable', requestId: 'other', adapter: 'local' });
    expect(recent.listFailures('fhir').map(({ request }) => request.requestId)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${11 - i}`),
    );
    expect(recent.listFailures('local')).toMatchObject([{ at: Date.now(), request: { requestId: 'other' } }]);
    expect(recent.listFailures('memory')).toEqual([]);
  });

  test('are no failures where the caller is wrong, or nobody offers it', () => {
    serve({ status: 422, code: 'slot_unknown' });
    serve({ status: 501, code: 'not_implemented' });
    expect(recent.listFailures('fhir')).toEqual([]);
    serve({ status: 501, code: 'not_implemented', cause: 'catalogue_empty' });
    expect(recent.listFailures('fhir')).toHaveLength(1);
  });

  test('count for each client by operation and code, for fifteen minutes', () => {
    serve({ limitKey: 'key of app' });
    serve({ status: 409, code: 'slot_taken', operation: 'bookAppointment' });
    jest.setSystemTime(Date.now() + MINUTE);
    serve({ status: 409, code: 'slot_taken', operation: 'bookAppointment' });
    serve({ client: undefined, status: 401, code: 'unauthenticated' });
    expect(recent.listClients()).toEqual([
      { name: 'app', limitKey: 'key of app', requests: 3, problems: new Map([['bookAppointment slot_taken', 2]]) },
      { name: '', limitKey: undefined, requests: 1, problems: new Map([['getPatient unauthenticated', 1]]) },
    ]);
    jest.setSystemTime(Date.now() + 14 * MINUTE);
    expect(recent.listClients()).toMatchObject([{ requests: 1 }, { requests: 1 }]);
    jest.setSystemTime(Date.now() + MINUTE);
    expect(recent.listClients()).toEqual([]);
  });

  test('keep no more clients apart than a person can read', () => {
    for (let i = 0; i < 200; i++) serve({ client: `client-${i}` });
    serve({ client: 'client-0' });
    const clients = recent.listClients();
    expect(clients).toHaveLength(101);
    expect(clients[0]).toMatchObject({ name: '(others)', requests: 100 });
    expect(clients[1]).toMatchObject({ name: 'client-0', requests: 2 });
  });

  test('are none of probes and pages', () => {
    serve({ operation: 'GET /livez', adapter: undefined, status: 503, code: 'starting' });
    expect(recent.listClients()).toEqual([]);
  });
});
