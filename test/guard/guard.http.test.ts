import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Call, Failure, type FailureDetails, type FailureKind } from '../../src/ports/index.ts';
import { takeClocks } from '../support/clock.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

let gateway: RunningGateway;
let moveClocks: (milliseconds: number) => void;

beforeEach(() => {
  moveClocks = takeClocks();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await gateway.stop();
});

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly retryAfter: number | undefined;
}

interface Request {
  readonly method?: string;
  readonly body?: object;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

async function ask(path: string, { method = 'GET', body, key, signal }: Request = {}): Promise<Answer> {
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${gateway.token}`,
      'Content-Type': 'application/json',
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const { code } = (await response.json()) as { code?: string };
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, ...(code && { code }), retryAfter: retryAfter ? Number(retryAfter) : undefined };
}

const update = { method: 'PUT', body: { phone: '+54 11 5555-0000' } };
const overloaded: Answer = { status: 503, code: 'overloaded', retryAfter: 1 };
const isOpen = (retryAfter: number): Answer => ({ status: 503, code: 'backend_circuit_open', retryAfter });

const times = <T>(count: number, act: () => T): T[] => Array.from({ length: count }, act);

/** Answers in order of their arrival, as many as there were of each. */
const countStatuses = (answers: readonly Answer[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, same = []]) => [status, same.length]),
  );

const listEvents = (...wanted: string[]) =>
  gateway.lines
    .map((line): { event: string; class?: string } => JSON.parse(line))
    .filter(({ event }) => wanted.includes(event))
    .map(({ event, class: of }) => `${event} ${of}`);

const readImpairments = async (): Promise<{ code: string }[]> => {
  const { impairments = [] } = (await (await fetch(`${gateway.url}/readyz`)).json()) as {
    impairments?: { code: string }[];
  };
  return impairments;
};

const patient = {
  id: 'ana',
  name: 'Ana',
  lastName: 'Muñoz',
  gender: 'Female',
  birthDate: '1985-11-30',
  identifier: { type: 'DNI', value: '31465466' },
  medicalRecordId: '',
  phone: '',
  email: '',
  active: true,
  address: {},
};

/** A gateway whose patients can be got only when they are let go, and how many of them wait in the adapter. */
async function startHanging(environment: Record<string, string> = {}) {
  const waiting: (() => void)[] = [];
  gateway = await startGateway({
    environment,
    replacePort: (name, port) =>
      name !== 'patients'
        ? port
        : {
            get: () => new Promise((resolve) => void waiting.push(() => resolve(patient))),
            update: async () => patient,
            search: async () => [],
          },
  });
  return {
    waiting,
    letGo: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

/** A gateway whose patients can be got, changed and searched for as `act` does it, and how often that was asked for. */
async function startActing(act: (call: Call) => unknown, environment: Record<string, string> = {}) {
  let calls = 0;
  const method = async (...given: unknown[]) => {
    calls += 1;
    return act(given.at(-1) as Call);
  };
  gateway = await startGateway({
    environment,
    replacePort: (name, port) => (name === 'patients' ? { get: method, update: method, search: method } : port),
  });
  return { countCalls: () => calls };
}

const throwFailure = (kind: FailureKind, details?: FailureDetails) => {
  throw new Failure(kind, 'so it is', details);
};
const wait = async (until: () => boolean) => {
  for (let i = 0; i < 3_000 && !until(); i++) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe('a bulkhead', () => {
  test('runs 32 reads of a port, lets 64 wait, and answers 503 to the others of 500 before any of them ends', async () => {
    const { waiting, letGo } = await startHanging({
      PUENTE_LIMITS_CLIENTS_READ_CONCURRENT: '500',
      PUENTE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '1000',
    });
    const answered: Answer[] = [];
    const all = times(500, async () => answered.push(await ask('/patients/ana')));
    await wait(() => answered.length === 404);
    expect(answered).toEqual(times(404, () => overloaded));
    expect(waiting).toHaveLength(32);
    letGo();
    await wait(() => waiting.length === 32);
    letGo();
    await wait(() => waiting.length === 32);
    letGo();
    await Promise.all(all);
    expect(countStatuses(answered)).toEqual({ 200: 96, 503: 404 });
  });

  test('that is full rejects nothing of another port, another class of its port, and a search', async () => {
    const { waiting, letGo } = await startHanging({ PUENTE_GUARD_BULKHEADS_READ_QUEUED: '0' });
    const hanging = times(32, () => ask('/patients/ana'));
    await wait(() => waiting.length === 32);
    const others = await Promise.all([
      ask('/patients/ana'),
      ask('/practitioner/'),
      ask('/patients/ana', update),
      ask('/patients/search?identifier=31465466&identifier_type=DNI'),
      ask('/patients/ana/health_insurances'),
    ]);
    letGo();
    await Promise.all(hanging);
    expect(others.map(({ status }) => status)).toEqual([503, 200, 200, 200, 200]);
  });

  test('lets go of a read at its deadline that its adapter never ends', async () => {
    const environment = { PUENTE_HTTP_READ_DEADLINE: '100', PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1' };
    const { waiting } = await startHanging(environment);
    expect((await ask('/patients/ana')).code).toBe('backend_timeout');
    expect((await ask('/patients/ana')).code).toBe('backend_timeout');
    expect(waiting).toHaveLength(2);
  });

  test('answers 503 to what waits until the deadline, and does not execute it afterwards', async () => {
    const environment = { PUENTE_HTTP_READ_DEADLINE: '100', PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1' };
    const { waiting } = await startHanging(environment);
    const answers = await Promise.all([ask('/patients/ana'), ask('/patients/ana')]);
    expect(answers.map(({ code }) => code).toSorted()).toEqual(['backend_timeout', 'overloaded']);
    await ask('/practitioner/');
    expect(waiting).toHaveLength(1);
  });

  test('that rejects a write leaves its Idempotency-Key free', async () => {
    let fails = true;
    await startActing(() => (fails ? throwFailure('overloaded') : patient));
    expect((await ask('/patients/ana', { ...update, key: 'k' })).status).toBe(503);
    fails = false;
    expect((await ask('/patients/ana', { ...update, key: 'k' })).status).toBe(200);
  });
});

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

  test('is that of one class over all ports: others are asked for, reads of other ports are not', async () => {
    await startActing(() => throwFailure('unavailable'));
    await Promise.all(times(20, () => ask('/patients/ana')));
    expect((await ask('/patients/ana', update)).code).toBe('backend_unavailable');
    expect(await ask('/practitioner/')).toEqual(isOpen(5));
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
    ['bad_answer', { at: 'name' }],
  ])('stays closed after any number of failures that are %s %j', async (kind, details) => {
    const { countCalls } = await startActing(() => throwFailure(kind, details));
    await Promise.all(times(25, () => ask('/patients/ana')));
    await ask('/patients/ana');
    expect(countCalls()).toBe(26);
  });

  test.each<FailureKind>(['unavailable', 'timeout', 'bad_answer', 'outcome_unknown'])(
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
    const countLeft = () => gateway.lines.filter((line) => line.includes('"status":499')).length;
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
