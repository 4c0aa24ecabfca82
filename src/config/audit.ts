import { z } from 'zod';
import { auth, baseUrl, tls } from '../toolkit/access-settings.ts';
import { wholeNumber } from './numbers.ts';

const server = z
  .string()
  .regex(/^[^\s:/]+(:\d{1,5})?$/, 'must be a host, and a port if it is not 6514, e.g. audit.example.org:6514');

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
    forward: z
      .strictObject({ fhir: baseUrl.optional(), auth, syslog: server.optional(), ...tls.unwrap().shape })
      .prefault({}),
  })
  .prefault({});
