import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Failure, type FailureDetails, type FailureKind } from '../../src/ports/index.ts';
import {
  type Answer,
  countStatuses,
  patient,
  throwFailure,
  times,
  update,
  useGuardedGateway,
  wait,
} from '../support/guarded-gateway.ts';

const { ask, getLines, listEvents, moveClocks, readImpairments, startActing } = useGuardedGateway();
const isOpen = (retryAfter: number): Answer => ({ status: 503, code: 'backend_circuit_open', retryAfter });
/** Another client than the one that asks by default. */
const other = { token: 'the-token-of-another-client' };
const withOther = {
  PUENTE_AUTH_TOKENS: JSON.stringify([{ client: 'other', sha256: hash('sha256', other.token), scopes: 'all' }]),
};

describe('a circuit', () => {
  test('opens after 20 failures, answers 503 without asking the backend, and tells so', async () => {
    const { countCalls } = await startActing(() => throwFailure('unavailable'));
    const before = await Promise.all(times(20, () => ask('/patients/ana')));
    expect(countStatuses(before)).toEqual({ 502: 20 });
    expect(await Promise.all(times(30, () => ask('/patients/ana')))).toEqual(times(30, () => isOpen(5)));
    expect(countCalls()).toBe(20);
    expect(await readImpairments()).toMatchObject([{ code: 'backend_circuit_open' }]);
    expect(listEvents('circuit opened', 'circuit closed')).toEqual(['circuit opened read']);
  });

  test('is that of one port and class: other classes and other ports are asked', async () => {
    await startActing(() => throwFailure('unavailable'));
    await Promise.all(times(20, () => ask('/patients/ana')));
    expect((await ask('/patients/ana', update)).code).toBe('backend_unavailable');
    expect((await ask('/practitioner/')).status).toBe(200);
    expect(await ask('/patients/ana')).toEqual(isOpen(5));
  });

  test('is that of one client: however many calls of one fail, those of another are made', async () => {
    let fails = true;
    const { countCalls } = await startActing(() => (fails ? throwFailure('unavailable') : patient), withOther);
    await Promise.all(times(60, () => ask('/patients/ana')));
    expect(await ask('/patients/ana')).toEqual(isOpen(5));
    fails = false;
    const before = countCalls();
    const answers = await Promise.all(times(50, () => ask('/patients/ana', other)));
    expect(countStatuses(answers)).toEqual({ 200: 50 });
    expect(countCalls() - before).toBe(50);
    expect(await ask('/patients/ana')).toEqual(isOpen(5));
  });

  test('opens for each client that meets an outage, is one impairment, and the log says whose it is', async () => {
    await startActing(() => throwFailure('unavailable'), withOther);
    await Promise.all(times(20, () => ask('/patients/ana')));
    await Promise.all(times(20, () => ask('/patients/ana', other)));
    expect(await ask('/patients/ana', other)).toEqual(isOpen(5));
    expect(await readImpairments()).toMatchObject([{ code: 'backend_circuit_open' }]);
    const opened = getLines()
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === 'circuit opened');
    expect(opened.map(({ port, client }) => [port, client])).toEqual([
      ['patients', 'trial'],
      ['patients', 'other'],
    ]);
  });

  test('is forgotten when its client has not come for two minutes, and told as closed', async () => {
    await startActing(() => throwFailure('unavailable'));
    await Promise.all(times(20, () => ask('/patients/ana')));
    moveClocks(119_000);
    expect(await readImpairments()).toMatchObject([{ code: 'backend_circuit_open' }]);
    moveClocks(2_000);
    expect(await readImpairments()).toEqual([]);
    expect(listEvents('circuit opened', 'circuit closed')).toEqual(['circuit opened read', 'circuit closed read']);
    expect(countStatuses(await Promise.all(times(20, () => ask('/patients/ana'))))).toEqual({ 502: 20 });
  });

  test('does not add up the failures of a quiet night', async () => {
    await startActing(() => throwFailure('unavailable'));
    for (let hour = 0; hour < 4; hour++) {
      expect(countStatuses(await Promise.all(times(15, () => ask('/patients/ana'))))).toEqual({ 502: 15 });
      moveClocks(3_600_000);
    }
  });

  test('lets exactly one call through after 5 seconds, and after 10, 20, 40 and 60 when that fails', async () => {
    const { countCalls } = await startActing(() => throwFailure('unavailable'));
    await Promise.all(times(20, () => ask('/patients/ana')));
    for (const [seconds, next] of [
      [5, 10],
      [10, 20],
      [20, 40],
      [40, 60],
      [60, 60],
    ] as const) {
      moveClocks(1_000 * seconds - 900);
      expect((await ask('/patients/ana')).code).toBe('backend_circuit_open');
      moveClocks(900);
      const before = countCalls();
      const answers = await Promise.all(times(5, () => ask('/patients/ana')));
      expect(countCalls() - before).toBe(1);
      expect(countStatuses(answers)).toEqual({ 502: 1, 503: 4 });
      expect(await ask('/patients/ana')).toEqual(isOpen(next));
    }
    expect(listEvents('circuit opened', 'circuit closed')).toEqual(['circuit opened read']);
  });

  test('does not let the others wait for the one that is let through', async () => {
    let act = (): unknown => throwFailure('unavailable');
    await startActing(() => act());
    await Promise.all(times(20, () => ask('/patients/ana')));
    moveClocks(5_000);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    let asked = false;
    act = () => {
      asked = true;
      return promise;
    };
    const probe = ask('/patients/ana');
    await wait(() => asked);
    expect(await Promise.all(times(3, () => ask('/patients/ana')))).toEqual(times(3, () => isOpen(1)));
    resolve(patient);
    expect((await probe).status).toBe(200);
  });

  test('closes when the one that is let through succeeds, and needs 20 failures again', async () => {
    let fails = true;
    await startActing(() => (fails ? throwFailure('unavailable') : patient));
    await Promise.all(times(20, () => ask('/patients/ana')));
    fails = false;
    moveClocks(5_000);
    expect((await ask('/patients/ana')).status).toBe(200);
    expect(await readImpairments()).toEqual([]);
    expect(listEvents('circuit opened', 'circuit closed')).toEqual(['circuit opened read', 'circuit closed read']);
    fails = true;
    expect(countStatuses(await Promise.all(times(18, () => ask('/patients/ana'))))).toEqual({ 502: 18 });
  });

  test.each<[FailureKind, FailureDetails]>([
    ['not_found', {}],
    ['invalid', {}],
    ['conflict', {}],
    ['unsupported', {}],
    ['overloaded', { retryAfter: 7 }],
    ['unavailable', { code: 'backend_auth' }],
    ['bad_answer', {}],
    ['bad_answer', { at: 'name' }],
  ])('stays closed after any number of failures that are %s %j', async (kind, details) => {
    const { countCalls } = await startActing(() => throwFailure(kind, details));
    await Promise.all(times(25, () => ask('/patients/ana', update)));
    await ask('/patients/ana', update);
    expect(countCalls()).toBe(26);
  });

  test.each<FailureKind>(['unavailable', 'timeout', 'outcome_unknown'])(
    'opens for writes after 20 failures that are %s',
    async (kind) => {
      const { countCalls } = await startActing(() => throwFailure(kind));
      await Promise.all(times(20, () => ask('/patients/ana', update)));
      expect(await ask('/patients/ana', update)).toEqual(isOpen(5));
      expect(countCalls()).toBe(20);
    },
  );

  test('opens after 20 calls that the adapter never ends', async () => {
    const { countCalls } = await startActing(() => new Promise(() => {}), { PUENTE_HTTP_READ_DEADLINE: '100' });
    expect(countStatuses(await Promise.all(times(20, () => ask('/patients/ana'))))).toEqual({ 504: 20 });
    expect(await ask('/patients/ana')).toEqual(isOpen(5));
    expect(countCalls()).toBe(20);
  });

  test('does not count callers who disconnect', async () => {
    const { countCalls } = await startActing(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Failure('timeout', '')))),
    );
    const leave = new AbortController();
    const left = times(25, () => ask('/patients/ana', { signal: leave.signal }).catch(() => undefined));
    await wait(() => countCalls() === 25);
    leave.abort();
    await Promise.all(left);
    const countLeft = () => getLines().filter((line) => line.includes('"status":499')).length;
    await wait(() => countLeft() === 25);
    expect(countLeft()).toBe(25);
    expect(await readImpairments()).toEqual([]);
  });

  test('stays closed when fewer than half of the calls fail', async () => {
    let count = 0;
    await startActing(() => (count++ % 9 > 4 ? throwFailure('unavailable') : patient));
    const answers: Answer[] = [];
    for (let i = 0; i < 45; i++) answers.push(await ask('/patients/ana'));
    expect(countStatuses(answers)).toEqual({ 200: 25, 502: 20 });
  });

  test('that is open lets the response of an earlier write be repeated, and leaves a new key free', async () => {
    let fails = false;
    const { countCalls } = await startActing(() => (fails ? throwFailure('unavailable') : patient));
    await ask('/patients/ana', { ...update, key: 'first' });
    fails = true;
    await Promise.all(times(21, () => ask('/patients/ana', update)));
    const before = countCalls();
    expect((await ask('/patients/ana', { ...update, key: 'first' })).status).toBe(200);
    expect(await ask('/patients/ana', { ...update, key: 'second' })).toEqual(isOpen(5));
    expect(countCalls()).toBe(before);
    fails = false;
    moveClocks(5_000);
    expect((await ask('/patients/ana', { ...update, key: 'second' })).status).toBe(200);
  });
});
