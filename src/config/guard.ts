import { z } from 'zod';
import { groupA, groupB } from '../api/index.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { milliseconds, wholeNumber } from './numbers.ts';

const bulkhead = (running: number, queued: number) =>
  z
    .strictObject({
      running: wholeNumber(1, 10_000).default(running),
      queued: wholeNumber(0, 100_000).default(queued),
    })
    .prefault({});

const names = [...groupA, ...groupB].map(({ name }) => name);

const operations = z
  .record(
    z.string(),
    z.strictObject({
      deadline: milliseconds().optional(),
      running: wholeNumber(1, 10_000).optional(),
      queued: wholeNumber(0, 100_000).optional(),
    }),
  )
  .superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      if (names.includes(name)) continue;
      const message = `no operation has this name${didYouMean(name, names)}`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .default({});

const rateError = 'must be a number above 0 and at most 1';

/** How much the adapter is asked for at the same time, and when it is left alone. */
export const guard = z
  .strictObject({
    bulkheads: z
      .strictObject({
        read: bulkhead(32, 64),
        write: bulkhead(32, 64),
        slotSearch: bulkhead(8, 16),
        patientSearch: bulkhead(8, 16),
      })
      .prefault({}),
    operations,
    circuit: z
      .strictObject({
        window: milliseconds(100).default(10_000),
        minimum: wholeNumber(1, 100_000).default(20),
        faultRate: z.number({ error: rateError }).gt(0, rateError).max(1, rateError).default(0.5),
        openFor: milliseconds().default(5_000),
        longestOpen: milliseconds().default(60_000),
      })
      .refine(({ openFor, longestOpen }) => !(openFor > longestOpen), {
        path: ['openFor'],
        error: 'must not be longer than guard.circuit.longestOpen',
        when: () => true,
      })
      .prefault({}),
  })
  .prefault({});
