import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Capability, Failure, type FailureKind } from '../../ports/index.ts';
import { getField } from '../../toolkit/records.ts';
import {
  buildBookingA,
  createDni,
  createPerson,
  findFreeSlot,
  prepareMember,
  takePatient,
  takeRelative,
} from '../arrange.ts';
import { type Case, defineCase, definePortCase } from '../case.ts';
import type { Errors, Fail, Loss, OutageKind } from '../line.ts';
import { findPatients, listAppointmentsA, listCoverages, listFamilyGroup, ofPatient } from '../queries.ts';
import { type PortsSubject, type Request, type Subject, startPorts } from '../subject.ts';
import { Skipped } from '../thrown.ts';
import { reads, type Write, writes } from './port-calls.ts';

/** A request that creates a record, and a list that contains it. */
interface Creation {
  readonly request: Request;
  readonly list: () => Promise<readonly unknown[]>;
}

const defineLost = (
  needs: Capability,
  requires: readonly Capability[],
  create: (subject: Subject) => Promise<Creation>,
): Case =>
  defineCase({ level: 'destructive', needs, requires }, `lost.${needs}`, {
    outage: 'lost',
    title: `${needs}: a request whose answer is lost behind the gateway answers 504, and creates one record, even if it is sent again under its key`,
    run: async (subject) => {
      for (const loss of ['cut', 'error'] as const) {
        const { request, list } = await create(subject);
        const keyed: Request = { ...request, headers: { 'idempotency-key': randomUUID() } };
        const before = (await list()).length;
        const end = await subject.fail?.lost?.(loss);
        const { status } = await subject.send(keyed);
        await end?.();
        const made = (await list()).length - before;
        const again = await subject.send(keyed);
        const madeThen = (await list()).length - before;
        assert.ok(made <= 1, `the request created ${made} records`);
        assert.ok(
          status === 504 || status < 300 === (made === 1),
          `the request answers ${status}, and has ${made === 1 ? '' : 'not '}created its record`,
        );
        assert.ok(madeThen <= 1, `sent again under its key, the request created ${madeThen} records`);
        assert.ok(
          again.status < 300 === (madeThen === 1) || again.status === 504,
          `sent again, the request answers ${again.status}`,
        );
      }
    },
  });

/** The gateway's responses to writes whose responses are lost between it and its system. */
export const lostRequestCases: readonly Case[] = [
  defineLost('patients.register', ['patients.search'], async (subject) => {
    const body = createPerson();
    const query = { identifier: String(body.identifier), identifier_type: 'DNI' };
    return { request: { route: 'POST /patients/', body }, list: () => findPatients(subject, query) };
  }),
  defineLost('appointments.book', ['appointments.slots', 'appointments.list'], async (subject) => {
    const id = await takePatient(subject);
    const request = ofPatient('POST /patients/{id}/appointments', id, buildBookingA(await findFreeSlot(subject)));
    return { request, list: () => listAppointmentsA(subject, id) };
  }),
  defineLost('insurance.create', ['insurance.coverages'], async (subject) => {
    const beneficiaryId = await takePatient(subject);
    const insurancePlanId = subject.fixtures.plans.accepted;
    const body = { credentialNumber: String(createDni()), beneficiaryId, insurancePlanId };
    return { request: { route: 'POST /v1/coverages', body }, list: () => listCoverages(subject, beneficiaryId) };
  }),
  defineLost('family-groups.add', ['family-groups.list'], async (subject) => {
    const id = await takePatient(subject);
    const request = ofPatient(
      'POST /patients/{id}/family_group',
      id,
      await prepareMember(subject, await takeRelative(subject, id)),
    );
    return { request, list: () => listFamilyGroup(subject, id) };
  }),
];

/** The maximum number of requests of one call before an error. */
const MAX_ANSWERED = 8;

/** Milliseconds until a background request reaches the system, even on a busy machine. */
const BACKGROUND = 100;

/** A short deadline, in milliseconds. */
const DEADLINE = 20;

/** How the system fails during a write. */
interface WriteOutage {
  readonly begin: (fail: Fail) => ReturnType<NonNullable<Fail['silence']>> | undefined;
  /** The write's deadline in milliseconds. */
  readonly deadline?: number;
  /** True if the caller sends no key. */
  readonly isUnkeyed?: true;
}

type WriteOutageKind = Exclude<OutageKind, 'logout'>;

const losses: readonly Loss[] = ['cut', 'error', 'wait'];

const writeOutages: Readonly<Record<WriteOutageKind, readonly WriteOutage[]>> = {
  lost: [
    // The deadline is long enough to send a write.
    ...losses.map(
      (loss): WriteOutage => ({
        begin: ({ lost }) => lost?.(loss),
        ...(loss === 'wait' && { deadline: 200 }),
      }),
    ),
    // A write that has no key is repeated by mistake where a key would prevent it.
    ...(['cut', 'error'] as const).map((loss): WriteOutage => ({ begin: ({ lost }) => lost?.(loss), isUnkeyed: true })),
  ],
  errors: Array.from({ length: MAX_ANSWERED }, (_, after) => ({ begin: ({ errors }) => errors?.({ after }) })),
  silence: [{ begin: ({ silence }) => silence?.(), deadline: DEADLINE }],
};

/**
 * Asserts that a write in an outage reports its true outcome, and happens once under its key. Returns whether it
 * succeeds.
 */
async function expectTrueOutcome(subject: PortsSubject, { needs, prepare }: Write, outage: WriteOutage) {
  const { write, read, leaveSimilar } = await prepare(subject);
  await leaveSimilar?.(subject.createCall());
  const list = () => recover(subject.fail, () => read(subject.createCall()));
  const { deadline, isUnkeyed } = outage;
  const key = isUnkeyed ? {} : { idempotencyKey: randomUUID() };
  const before = await list();
  const expectOnce = (now: unknown, what: string) => {
    assert.notDeepEqual(now, before, `${what} nothing has changed`);
    const more = Math.abs(countRecords(now) - countRecords(before));
    const under = isUnkeyed ? 'one write without a key' : 'one write';
    assert.ok(more <= 1, `${what} there are ${more} records of ${under}: the adapter sent it again`);
  };
  const end = await outage.begin(subject.fail);
  const signal = deadline === undefined ? {} : { signal: AbortSignal.timeout(deadline) };
  const work = settle(write(subject.createCall({ ...key, ...signal })));
  const outcome = await (deadline === undefined ? work : Promise.race([work, wait(3_000)]));
  // A write that reports success and continues in the background must also run during the outage.
  if (outcome && 'answer' in outcome) await wait(BACKGROUND);
  await end?.();
  assert.ok(outcome, 'the write does not end at the deadline');
  const after = await list();
  const isDone = !isDeepStrictEqual(after, before);
  if (isDone) expectOnce(after, 'after the outage');
  if ('failure' in outcome) {
    const { failure } = outcome;
    if (failure instanceof assert.AssertionError) throw failure;
    const kind = failure instanceof Failure ? failure.kind : getField(failure, 'name');
    // A write of several requests may have failed before its first change.
    const isTruthful = kind === 'outcome_unknown' || (!isDone && failure instanceof Failure);
    assert.ok(isTruthful, `the write fails with ${kind}, and has ${isDone ? '' : 'not '}happened`);
  } else assert.ok(isDone, 'the write succeeds, and nothing has changed');
  if (subject.isRetryable(needs) && !isUnkeyed) {
    const again = await settle(write(subject.createCall({ ...key, resumed: true })));
    const isRemoval = countRecords(after) < countRecords(before);
    const isFine = 'answer' in again || (isRemoval && getField(again.failure, 'kind') === 'not_found');
    const refusal = 'failure' in again ? describeFailure(again.failure) : '';
    assert.ok(isFine, `the write is refused under its key, although retryableWrites names it: ${refusal}`);
    const now = await list();
    expectOnce(now, 'after the repetition under its key');
    const told = getField('answer' in again ? again.answer : undefined, 'id');
    const isNew = !listRecords(before).some((each) => getField(each, 'id') === told);
    assert.ok(isNew || countRecords(now) <= countRecords(before), 'the write answers an earlier record under its key');
  }
  return 'answer' in outcome;
}

/** Asserts that a read in an outage fails, or returns what was written before the outage. */
async function expectSeen(subject: PortsSubject, { prepare }: Write): Promise<void> {
  const { write, read } = await prepare(subject);
  const before = await read(subject.createCall());
  await write(subject.createCall());
  const end = await subject.fail.errors?.();
  const outcome = await settle(read(subject.createCall()));
  await end?.();
  const after = await recover(subject.fail, () => read(subject.createCall()));
  assert.notDeepEqual(after, before);
  if (!('answer' in outcome)) return;
  assert.notDeepEqual(outcome.answer, before, 'a read in the outage returns the state before the write');
}

const whereRetryable = 'happens once if retryableWrites allows sending it again under its key';

const writeTitles: Readonly<Record<WriteOutageKind, string>> = {
  lost: `fails with outcome_unknown if the system’s response is lost, is not repeated automatically, and ${whereRetryable}`,
  errors: `does not report success if the system answers errors, and ${whereRetryable}`,
  silence: `ends at the deadline if the system does not answer, and ${whereRetryable}`,
};

/** The adapter returns a write in an outage that follows it. */
const seenCases: readonly Case[] = writes.map((each) =>
  definePortCase({ level: 'destructive', needs: each.needs, requires: each.requires }, `ports.${each.needs}.seen`, {
    outage: 'errors',
    title: `${each.needs}: a read while the system answers errors fails, or returns what was written, and never the state before`,
    run: (subject) => expectSeen(subject, each),
  }),
);

/** The outcome of a write while the system fails, or if its response is lost. */
const writeOutageCases: readonly Case[] = writes.flatMap((each) =>
  (['lost', 'errors', 'silence'] as const).map((outage): Case => {
    const { needs, requires } = each;
    const base = { level: 'destructive', needs, requires } as const;
    return definePortCase(base, `ports.${needs}.${outage === 'errors' ? 'outage' : outage}`, {
      outage,
      title: `${needs} ${writeTitles[outage]}`,
      run: async (subject) => {
        for (const [round, failing] of writeOutages[outage].entries()) {
          const isAnswered = await expectTrueOutcome(subject, each, failing).catch((error: unknown) => {
            // Fixtures with few spare patients allow fewer rounds.
            if (error instanceof Skipped && round > 0) return undefined;
            throw error;
          });
          if (isAnswered === undefined || (isAnswered && outage === 'errors')) break;
        }
      },
    });
  }),
);

/**
 * Asserts that a read in an outage fails in one of these ways, or returns its usual response. Returns whether it
 * succeeds.
 */
async function expectUsualOrFailure(
  work: Promise<unknown>,
  kinds: readonly FailureKind[],
  otherwise: () => Promise<unknown>,
  when = 'in the outage',
): Promise<boolean> {
  const outcome = await settle(work);
  if ('answer' in outcome) {
    const isEmpty = countRecords(outcome.answer) === 0;
    const message = `${when}, the read returns ${isEmpty ? 'an empty list' : 'another response than usual'}`;
    assert.deepEqual(outcome.answer, await otherwise(), message);
    return true;
  }
  const { failure } = outcome;
  if (failure instanceof assert.AssertionError) throw failure;
  const kind = failure instanceof Failure ? failure.kind : getField(failure, 'name');
  assert.ok(failure instanceof Failure && kinds.includes(failure.kind), `the read fails with ${kind}`);
  return false;
}

/** JSON of another form than the system's response, by its breakage. */
const forms = { object: '{}', list: '[]' } as const;

/**
 * Asserts that a read fails if the system answers JSON of another form with status 200, or reports a record that it
 * omits. Such a response is no empty list. A record without content may be one that does not exist.
 */
async function proveForms(start: () => Promise<Subject>, read: OutageRead): Promise<void> {
  const kinds = read.callWithId ? [...failing, 'not_found' as const] : failing;
  for (const broken of ['object', 'list'] as const) {
    for (let after = 0; after < MAX_ANSWERED; after++) {
      // An adapter that knows nothing yet has to ask for everything, and remembers no earlier failure.
      const subject = await startPorts(start);
      let omitted = 0;
      const end = await subject.fail.errors?.({ broken, after });
      const work = read.call(subject, subject.createCall({ omit: () => void omitted++ }));
      await settle(work);
      await end?.();
      if (omitted > 0) continue;
      const usual = () => recover(subject.fail, () => askOnce(read, subject));
      const when = `if the system answers 200 with ${forms[broken]} after ${after} correct responses`;
      if (await expectUsualOrFailure(work, kinds, usual, when)) break;
    }
  }
}

type OutageRead = (typeof reads)[number];

const askOnce = ({ call }: OutageRead, subject: PortsSubject, signal?: AbortSignal) =>
  call(subject, subject.createCall(signal ? { signal } : {}));

/** Asserts that work whose deadline is `DEADLINE` ends soon after it. */
async function expectEnd(work: Promise<unknown>, when: string, endOutage?: () => Promise<void>): Promise<void> {
  let hasEnded = false;
  const ended = work.then(() => true);
  // In short waits, so that a machine that pauses between them still leaves time for the adapter.
  for (let turn = 0; turn < 50 && !hasEnded; turn++) {
    hasEnded = await Promise.race([ended, wait(DEADLINE).then(() => false)]);
  }
  await endOutage?.();
  assert.ok(hasEnded, `${when} the read does not end at the deadline`);
}

const statuses: readonly Errors[] = [{ status: 500 }, { status: 404 }, { status: 401 }];
const breakages: readonly Errors[] = [{ broken: 'cut' }, { broken: 'half' }, { broken: 'page' }];

async function proveErrors(subject: PortsSubject, read: OutageRead): Promise<void> {
  const ask = () => askOnce(read, subject);
  const otherwise = () => recover(subject.fail, () => ask());
  const endFirst = await subject.fail.errors?.();
  const first = ask();
  await settle(first);
  await endFirst?.();
  await expectUsualOrFailure(first, failing, otherwise);
  // An adapter that retries waits no longer than the caller.
  const endSecond = await subject.fail.errors?.();
  const second = settle(askOnce(read, subject, AbortSignal.timeout(DEADLINE)));
  await expectEnd(second, 'while the system answers errors', endSecond);
  const before = await otherwise();
  for (const errors of subject.line ? [...statuses, ...breakages] : statuses) {
    const { status } = errors;
    // A circuit breaker counts unavailable systems. Errors that the author simulates may have no status.
    const known = status === 500 && subject.line ? failing.filter((kind) => kind !== 'bad_answer') : failing;
    const kinds = status === 404 && read.callWithId ? [...failing, 'not_found' as const] : known;
    for (let after = 0; after < MAX_ANSWERED; after++) {
      const end = await subject.fail.errors?.({ ...errors, after });
      const work = ask();
      await settle(work);
      await end?.();
      if (await expectUsualOrFailure(work, kinds, async () => before)) break;
    }
    assert.deepEqual(await otherwise(), before, 'after the outage, the response differs');
  }
}

async function proveSilence(subject: PortsSubject, read: OutageRead): Promise<void> {
  const ask = (signal: AbortSignal) => askOnce(read, subject, signal);
  const { recoveryMs = RECOVERY_MS } = subject.fail;
  const otherwise = () => recover(subject.fail, () => ask(AbortSignal.timeout(recoveryMs)));
  // In the first round, the adapter has no data of its system.
  for (const when of ['at first', 'later']) {
    const end = await subject.fail.silence?.();
    const longer = new AbortController();
    void settle(ask(longer.signal));
    const work = ask(AbortSignal.timeout(DEADLINE));
    // The number exceeds the connections of a pool.
    const crowd = Array.from({ length: 12 }, () => ask(AbortSignal.timeout(DEADLINE)));
    await expectEnd(Promise.all([work, ...crowd].map(settle)), when, async () => {
      await end?.();
      longer.abort();
    });
    await expectUsualOrFailure(work, ['timeout'], otherwise);
    await otherwise();
  }
}

/** The outcome of a read while the system fails as the author arranges, and afterwards. */
const readOutageCases: readonly Case[] = reads.flatMap((read): Case[] => {
  const { needs, requires } = read;
  const base = { level: 'destructive', needs, requires, section: '2' } as const;
  const ask = (subject: PortsSubject, signal?: AbortSignal) => askOnce(read, subject, signal);
  return [
    definePortCase(base, `ports.${needs}.outage`, {
      outage: 'errors',
      title: `${needs} fails by its deadline while the system answers errors, even after an earlier success, returns none of them as data, nor malformed responses, and works again afterwards`,
      run: async (subject, start) => {
        await proveErrors(subject, read);
        if (subject.line) await proveForms(start, read);
      },
    }),
    definePortCase(base, `ports.${needs}.silence`, {
      outage: 'silence',
      title: `${needs} fails with timeout at any deadline while the system does not answer, with any number of callers, even after an earlier success, and works again afterwards`,
      run: (subject) => proveSilence(subject, read),
    }),
    definePortCase(base, `ports.${needs}.left`, {
      level: 'safe',
      title: `${needs}: a caller who leaves does not cancel another caller’s response`,
      run: async (subject, start) => {
        for (const milliseconds of [0, 1, 4]) {
          const fresh = await startPorts(start);
          const leaving = new AbortController();
          const left = settle(ask(fresh, leaving.signal));
          const stayed = settle(ask(fresh));
          await wait(milliseconds);
          leaving.abort();
          await left;
          assert.ok('answer' in (await stayed), 'a waiting caller gets an error because another one has left');
        }
        await ask(subject);
      },
    }),
  ];
});

/** The promises of an adapter while its system fails, and afterwards. */
export const failingCases: readonly Case[] = [...readOutageCases, ...writeOutageCases, ...seenCases];

/** Describes the error of a call. A Failure with a patient's value has already failed the case. */
const describeFailure = (failure: unknown): string => {
  if (!(failure instanceof Failure)) return String(getField(failure, 'name'));
  const { kind, code, at, message } = failure;
  return `${[kind, code, at].filter(Boolean).join(' ')}, ${message}`;
};

/** The outcome of work. */
export type WorkOutcome = { readonly answer: unknown } | { readonly failure: unknown };

/** Waits for work, whether it succeeds or fails. */
const settle = (work: Promise<unknown>): Promise<WorkOutcome> =>
  work.then(
    (answer) => ({ answer }),
    (failure: unknown) => ({ failure }),
  );

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** How an adapter may fail while its system does. */
const failing: readonly FailureKind[] = ['unavailable', 'bad_answer', 'overloaded', 'timeout'];

/** The default milliseconds within which an adapter must notice that its system works again. */
const RECOVERY_MS = 3_000;

/**
 * Returns the response after the adapter has noticed that its system works again. @throws AssertionError if it does
 * not.
 */
export async function recover<T>(fail: Fail, ask: () => Promise<T>): Promise<T> {
  const { recoveryMs = RECOVERY_MS } = fail;
  const begun = performance.now();
  for (let attempt = 1; ; attempt++) {
    const asked = performance.now();
    try {
      const answer = await ask();
      slowest.set(fail, Math.max(slowest.get(fail) ?? 0, performance.now() - asked));
      return answer;
    } catch (error) {
      const isFailing = error instanceof Failure && failing.includes(error.kind);
      assert.ok(isFailing, 'the system works, but the adapter does not answer');
      // A busy machine also slows the adapter.
      const limit = Math.max(recoveryMs, SLOWER * (slowest.get(fail) ?? 0));
      const isOver = attempt >= MIN_ATTEMPTS && performance.now() - begun >= limit;
      assert.ok(!isOver, `the system works, but the adapter keeps failing: ${describeFailure(error)}`);
      await wait(20);
    }
  }
}

/** The slowest response of the adapter while its system worked, in milliseconds, by system. */
const slowest = new WeakMap<Fail, number>();

/** The recovery limit as a multiple of the slowest response, and the minimum number of attempts. */
const [SLOWER, MIN_ATTEMPTS] = [20, 3];

/** The records of a list or of a page, or a single record. */
const listRecords = (read: unknown): readonly unknown[] => [getField(read, 'items') ?? read].flat();

/** The number of records of a list or a page. A single record counts as one. */
export const countRecords = (read: unknown): number => listRecords(read).length;
