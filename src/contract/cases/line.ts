import assert from 'node:assert/strict';
import { type Case, definePortCase } from '../case.ts';
import { Skipped } from '../thrown.ts';
import { reads } from './port-calls.ts';

/** What an adapter sends to its system. */
export const lineCases: readonly Case[] = reads.flatMap(({ needs, requires, call }): Case[] => {
  const base = { level: 'safe', needs, requires, section: '2' } as const;
  return [
    definePortCase(base, `ports.${needs}.request-id`, {
      watchesLine: true,
      title: `${needs} sends the id of the request along to the system`,
      run: async (subject) => {
        // The second time nothing may be asked, and what is kept of the first may be sent along.
        for (const when of ['first', 'second']) {
          const context = subject.createCall();
          subject.line?.takeRequests();
          await call(subject, context);
          const sent = subject.line?.takeRequests() ?? [];
          if (sent.length === 0 && when === 'first') throw new Skipped('nothing was asked of the system');
          const carries = sent.some(({ path, headers }) => `${path} ${headers}`.includes(context.requestId));
          assert.ok(carries || sent.length === 0, `the id of the ${when} request is in no request to the system`);
        }
      },
    }),
    definePortCase(base, `ports.${needs}.requests`, {
      watchesLine: true,
      title: `${needs} asks the system no more often than the line allows`,
      run: async (subject) => {
        const { maxRequests = Number.POSITIVE_INFINITY, takeRequests } = subject.line ?? {};
        takeRequests?.();
        await call(subject, subject.createCall());
        const { length } = takeRequests?.() ?? [];
        assert.ok(length <= maxRequests, `the system is asked ${length} times for one answer`);
      },
    }),
  ];
});
