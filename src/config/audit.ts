import { z } from 'zod';
import { wholeNumber } from './numbers.ts';

/** The trail of who did what, about which patient; it is kept where the state is. */
export const audit = z
  .strictObject({
    enabled: z.boolean().optional(),
    chain: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'must have 1 to 100 letters, digits, dots, colons or dashes')
      .optional(),
    whenUnavailable: z.enum(['refuseWrites', 'refuseAll', 'proceed']).default('refuseWrites'),
    retentionDays: wholeNumber(1, 36_525).default(3_653),
  })
  .prefault({});
