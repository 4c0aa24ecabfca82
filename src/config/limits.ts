import { z } from 'zod';
import { wholeNumber } from './numbers.ts';

const quota = (requests: number, seconds: number, concurrent: number) =>
  z
    .strictObject({
      requests: wholeNumber(1, 10_000_000).default(requests),
      seconds: wholeNumber(1, 3_600).default(seconds),
      concurrent: wholeNumber(1, 100_000).default(concurrent),
    })
    .prefault({});

/** What one client may ask for, and how many requests of one address may have no valid token. */
export const limits = z
  .strictObject({
    clients: z
      .strictObject({
        read: quota(5_000, 10, 64),
        write: quota(1_000, 10, 64),
        slotSearch: quota(1_000, 10, 16),
        patientSearch: quota(300, 60, 16),
      })
      .prefault({}),
    failedTokens: z
      .strictObject({
        requests: wholeNumber(1, 10_000_000).default(10),
        seconds: wholeNumber(1, 3_600).default(60),
      })
      .prefault({}),
  })
  .prefault({});
