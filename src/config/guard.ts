import { z } from 'zod';
import { milliseconds, wholeNumber } from './numbers.ts';

const bulkhead = (running: number, queued: number) =>
  z
    .strictObject({
      running: wholeNumber(1, 10_000).default(running),
      queued: wholeNumber(0, 100_000).default(queued),
    })
    .prefault({});

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
