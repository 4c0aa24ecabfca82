import assert from 'node:assert/strict';
import { Failure, type FailureKind } from '../../ports/index.ts';
import { type Case, definePortCase } from '../case.ts';
import type { PortsSubject } from '../ports-subject.ts';
import type { Read } from './port-call.ts';
import { reads } from './port-calls.ts';

type Outcome = { readonly answer: unknown } | { readonly failure: unknown };

const settle = (work: Promise<unknown>): Promise<Outcome> =>
  work.then(
    (answer) => ({ answer }),
    (failure: unknown) => ({ failure }),
  );

const wait = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), milliseconds));

/** Asserts that the outcome is a Failure of such a kind, or what is answered after the outage too, as by a cache. */
async function expectHonest(subject: PortsSubject, outcome: Outcome, kinds: readonly FailureKind[], { call }: Read) {
  if ('failure' in outcome) {
    const { failure } = outcome;
    const kind = failure instanceof Failure ? failure.kind : String(failure);
    assert.ok(failure instanceof Failure && kinds.includes(failure.kind), `it fails with ${kind}`);
    return;
  }
  const after = await call(subject, subject.createCall());
  assert.deepEqual(outcome.answer, after, 'it answers in the outage, and something else than after it');
}

/** What a read comes to while the system behind the adapter fails, which its author brings about. */
export const outageCases: readonly Case[] = reads.flatMap((read): Case[] => {
  const { needs, requires, call } = read;
  const base = { level: 'destructive', needs, requires, section: '2' } as const;
  return [
    definePortCase(base, `ports.${needs}.outage`, {
      outage: 'errors',
      title: `${needs} fails while the system answers errors, and takes none of them for an empty answer`,
      run: async (subject) => {
        const end = await subject.fail.errors?.();
        const outcome = await settle(call(subject, subject.createCall()));
        await end?.();
        await expectHonest(subject, outcome, ['unavailable', 'bad_answer', 'overloaded', 'timeout'], read);
      },
    }),
    definePortCase(base, `ports.${needs}.silence`, {
      outage: 'silence',
      title: `${needs} fails with timeout at the deadline, whenever that comes, while the system answers nothing`,
      run: async (subject) => {
        const end = await subject.fail.silence?.();
        const deadline = 20;
        const work = settle(call(subject, subject.createCall({ signal: AbortSignal.timeout(deadline) })));
        let outcome: Outcome | undefined;
        // In turns, so that a machine that stands still in between leaves the adapter its time.
        for (let turn = 0; turn < 50 && !outcome; turn++) outcome = await Promise.race([work, wait(deadline)]);
        await end?.();
        assert.ok(outcome, 'it does not end at the deadline');
        await expectHonest(subject, outcome, ['timeout'], read);
      },
    }),
  ];
});
