import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { takeClocks } from '../../support/clock.ts';
import { connect } from '../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../support/fhir-calls.ts';

const { server } = await startHospital();
let moveClocks: (milliseconds: number) => void;
let adapter: Awaited<ReturnType<typeof connect>>;

beforeEach(async () => {
  server.reset();
  moveClocks = takeClocks();
  adapter = await connect(server, { cacheSeconds: 60, staleSeconds: 600 });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const list = (signal?: AbortSignal) => adapter.ports.practitioners.list(callNow(signal && { signal }));
const fail = () => {
  server.quirks.fault = () => ({ commits: false, answer: () => ({ status: 500, headers: {}, body: 'no' }) });
};
const listImpairments = async () => {
  const { impairments } = await adapter.readiness.report(new AbortController().signal);
  return impairments.map(({ code }) => code);
};

describe('a catalogue whose time is over', () => {
  test('is read anew, and before an answer is given, when the server answers', async () => {
    const before = await list();
    server.requests.reset();
    moveClocks(61_000);
    expect(await list()).toEqual(before);
    expect(server.requests.calls).not.toEqual([]);
    expect(await listImpairments()).toEqual([]);
  });

  test('is still used when the server fails, which /readyz tells, until it answers again', async () => {
    const before = await list();
    moveClocks(61_000);
    fail();
    expect(await list()).toEqual(before);
    expect(await listImpairments()).toEqual(['backend_unreachable', 'catalogue_stale']);
    server.quirks.fault = () => undefined;
    expect(await list()).toEqual(before);
    expect(await listImpairments()).toEqual([]);
  });

  test('is still used while the server hangs, at once by those who come half a second after the first', async () => {
    const before = await list();
    moveClocks(61_000);
    server.quirks.fault = () => ({ commits: false, answer: 'hang' });
    const leave = new AbortController();
    const first = list(leave.signal);
    moveClocks(501);
    expect(await Promise.all([list(), list(), list()])).toEqual([before, before, before]);
    leave.abort();
    await expect(first).rejects.toEqual(matchFailure('timeout'));
  });

  test('is asked for twice and then not for a while, whoever asks, when the server fails', async () => {
    await list();
    moveClocks(61_000);
    fail();
    server.requests.reset();
    for (let i = 0; i < 20; i++) await list();
    expect(server.requests.calls.filter((call) => call === 'GET PractitionerRole')).toHaveLength(2);
  });

  test('is not used beyond staleSeconds', async () => {
    await list();
    fail();
    moveClocks(661_000);
    await expect(list()).rejects.toEqual(matchFailure('unavailable'));
  });
});
