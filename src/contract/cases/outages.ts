import assert from 'node:assert/strict';
import { Failure, type FailureKind } from '../../ports/index.ts';
import { type Case, definePortCase } from '../case.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { lineCases } from './line.ts';
import { lostWriteCases } from './lost-writes.ts';
import { reads } from './port-calls.ts';
import { failing, recover, settle, wait } from './settle.ts';

/** So many requests of one read are let through at most before an error. */
const MAX_ANSWERED = 8;

/** A deadline that comes soon, in milliseconds. */
const DEADLINE = 20;

/** Asserts that a read in an outage fails in one of these ways, or answers what it answers otherwise. Returns whether it answers. */
async function expectHonest(
  work: Promise<unknown>,
  kinds: readonly FailureKind[],
  otherwise: () => Promise<unknown>,
): Promise<boolean> {
  const outcome = await settle(work);
  if ('answer' in outcome) {
    const message = 'it answers in the outage, and something else than without one';
    assert.deepEqual(outcome.answer, await otherwise(), message);
    return true;
  }
  const { failure } = outcome;
  const kind = failure instanceof Failure ? failure.kind : Object(failure).name;
  assert.ok(failure instanceof Failure && kinds.includes(failure.kind), `it fails with ${kind}`);
  return false;
}

/** What a read comes to while the system behind the adapter fails, which its author brings about, and after it. */
const readOutageCases: readonly Case[] = reads.flatMap((read): Case[] => {
  const { needs, requires, call, callWithId } = read;
  const base = { level: 'destructive', needs, requires, section: '2' } as const;
  const ask = (subject: PortsSubject, signal?: AbortSignal) =>
    call(subject, subject.createCall(signal ? { signal } : {}));
  return [
    definePortCase(base, `ports.${needs}.outage`, {
      outage: 'errors',
      title: `${needs} fails while the system answers errors, also once it has answered, takes none of them for an answer, and works again after it`,
      run: async (subject) => {
        const otherwise = () => recover(subject.fail, () => ask(subject));
        const endFirst = await subject.fail.errors?.();
        const first = ask(subject);
        await settle(first);
        await endFirst?.();
        await expectHonest(first, failing, otherwise);
        const before = await otherwise();
        for (const status of [500, 404, 401]) {
          const kinds = status === 404 && callWithId ? [...failing, 'not_found' as const] : failing;
          for (let after = 0; after < MAX_ANSWERED; after++) {
            const end = await subject.fail.errors?.({ status, after });
            const work = ask(subject);
            await settle(work);
            await end?.();
            if (await expectHonest(work, kinds, async () => before)) break;
          }
          assert.deepEqual(await otherwise(), before, 'after the outage it answers something else');
        }
      },
    }),
    definePortCase(base, `ports.${needs}.silence`, {
      outage: 'silence',
      title: `${needs} fails with timeout at the deadline, whenever that comes, while the system answers nothing, also once it has answered, and works again after it`,
      run: async (subject) => {
        const otherwise = () => recover(subject.fail, () => ask(subject));
        // The first time the adapter knows nothing of its system yet.
        for (const when of ['at first', 'later']) {
          const end = await subject.fail.silence?.();
          const work = ask(subject, AbortSignal.timeout(DEADLINE));
          const settled = settle(work);
          let hasEnded = false;
          // In turns, so that a machine that stands still in between leaves the adapter its time.
          for (let turn = 0; turn < 50 && !hasEnded; turn++) {
            hasEnded = await Promise.race([settled.then(() => true), wait(DEADLINE).then(() => false)]);
          }
          await end?.();
          assert.ok(hasEnded, `${when} it does not end at the deadline`);
          await expectHonest(work, ['timeout'], otherwise);
          await otherwise();
        }
      },
    }),
    definePortCase(base, `ports.${needs}.left`, {
      level: 'safe',
      title: `${needs}: a caller who leaves takes nobody else’s answer along`,
      run: async (subject, start) => {
        for (const milliseconds of [0, 1, 4]) {
          const fresh = await start();
          assert.ok('getPort' in fresh);
          const leaving = new AbortController();
          const left = settle(ask(fresh as PortsSubject, leaving.signal));
          const stayed = settle(ask(fresh as PortsSubject));
          await wait(milliseconds);
          leaving.abort();
          await left;
          assert.ok('answer' in (await stayed), 'it fails for a caller who waits, as another has left');
        }
        await ask(subject);
      },
    }),
  ];
});

/** What holds of an adapter and the system behind it, while that works and while it fails. */
export const outageCases: readonly Case[] = [...readOutageCases, ...lostWriteCases, ...lineCases];
