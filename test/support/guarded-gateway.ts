import { afterEach, beforeEach, jest } from '@jest/globals';
import { type Call, Failure, type FailureDetails, type FailureKind, type Patient } from '../../src/ports/index.ts';
import { takeClocks } from './clock.ts';
import { type RunningGateway, startGateway } from './gateway.ts';

/** What the gateway answered to one request. */
export interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly retryAfter: number | undefined;
}

interface Request {
  readonly method?: string;
  readonly body?: object;
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** Default: one with every scope. */
  readonly token?: string;
}

/** The request that changes a patient. */
export const update = { method: 'PUT', body: { phone: '+54 11 5555-0000' } };

export const times = <T>(count: number, act: () => T): T[] => Array.from({ length: count }, act);

/** Answers in order of their arrival, as many as there were of each. */
export const countStatuses = (answers: readonly { readonly status: number }[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, same = []]) => [status, same.length]),
  );

export const patient: Patient = {
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

export const throwFailure = (kind: FailureKind, details?: FailureDetails) => {
  throw new Failure(kind, 'so it is', details);
};

/** Waits up to some seconds until that is so. */
export const wait = async (until: () => boolean) => {
  for (let i = 0; i < 3_000 && !until(); i++) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** One gateway for each test, with clocks that can be moved, whose patients do as the test says; it ends with the test. */
export function useGuardedGateway() {
  let gateway: RunningGateway;
  let moveClocks: (milliseconds: number) => void;

  beforeEach(() => {
    moveClocks = takeClocks();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await gateway.stop();
  });

  async function ask(
    path: string,
    { method = 'GET', body, key, signal, token = gateway.token }: Request = {},
  ): Promise<Answer> {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
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

  return {
    ask,
    getLines: () => gateway.lines,
    listEvents,
    moveClocks: (milliseconds: number) => moveClocks(milliseconds),
    readImpairments,
    startActing,
    startHanging,
  };
}
