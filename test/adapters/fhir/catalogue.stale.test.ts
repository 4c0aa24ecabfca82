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

const list = () => adapter.ports.practitioners.list(callNow());
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

  test('is not used beyond staleSeconds', async () => {
    await list();
    fail();
    moveClocks(661_000);
    await expect(list()).rejects.toEqual(matchFailure('unavailable'));
  });
});
