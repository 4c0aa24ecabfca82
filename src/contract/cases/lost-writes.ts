import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../ports/index.ts';
import { type Case, definePortCase } from '../case.ts';
import type { Loss } from '../outage.ts';
import { writes } from './port-calls.ts';
import { countRecords, recover, settle } from './settle.ts';

/** Long enough for a write to be sent, in milliseconds. */
const DEADLINE = 200;

const losses: readonly Loss[] = ['cut', 'error', 'wait'];

/** What becomes of a write that the system executes, and whose answer is lost. */
export const lostWriteCases: readonly Case[] = writes.map(
  ({ needs, requires, prepare }): Case =>
    definePortCase({ level: 'destructive', needs, requires, section: '4.A' }, `ports.${needs}.lost`, {
      outage: 'lost',
      title: `${needs} fails with outcome_unknown when the answer of the system is lost, is not sent again on its own, and happens once where retryableWrites says that it may be sent again under its key`,
      run: async (subject) => {
        for (const loss of losses) {
          const { write, read } = await prepare(subject);
          const list = () => recover(subject.fail, () => read(subject.createCall()));
          const key = { idempotencyKey: randomUUID() };
          const before = await list();
          const expectOnce = (now: unknown, what: string) => {
            assert.notDeepEqual(now, before, `${what} nothing has changed`);
            const more = Math.abs(countRecords(now) - countRecords(before));
            assert.ok(more <= 1, `${what} there are ${more} records of it`);
          };
          const end = await subject.fail.lost?.(loss);
          const deadline = loss === 'wait' ? { signal: AbortSignal.timeout(DEADLINE) } : {};
          const outcome = await settle(write(subject.createCall({ ...key, ...deadline })));
          await end?.();
          const after = await list();
          const isDone = !isDeepStrictEqual(after, before);
          if (isDone) expectOnce(after, 'when the answer was lost');
          if ('failure' in outcome) {
            const { failure } = outcome;
            const kind = failure instanceof Failure ? failure.kind : Object(failure).name;
            // A write of several requests may have failed before it changed anything.
            assert.ok(
              kind === 'outcome_unknown' || (!isDone && failure instanceof Failure),
              `it fails with ${kind}, and has happened`,
            );
          } else assert.ok(isDone, 'it succeeds, and nothing has changed');
          if (!subject.isRetryable(needs)) continue;
          const again = await settle(write(subject.createCall({ ...key, resumed: true })));
          const isRemoval = countRecords(after) < countRecords(before);
          const isFine = 'answer' in again || (isRemoval && Object(again.failure).kind === 'not_found');
          assert.ok(isFine, 'under its key it is refused, although retryableWrites names it');
          expectOnce(await list(), 'when it was sent again under its key');
        }
      },
    }),
);
