import { stringify } from 'yaml';
import { z } from 'zod';
import { allScopes } from '../api/index.ts';
import { commandLine } from '../toolkit/package.ts';

/** An entry of `auth.tokens`: a client, its scopes, and the hash of its token. */
export const tokenEntry = z.strictObject({
  client: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, `must be 64 hexadecimal digits; ${commandLine} token create prints them`)
    .toLowerCase(),
  scopes: z.preprocess((value) => (value === 'all' ? allScopes : value), z.array(z.enum(allScopes)).min(1)),
  expires: z
    .union([z.iso.date(), z.iso.datetime()], {
      error: 'must be a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z',
    })
    .optional(),
});

/** The entry as it stands in a configuration file. */
export const tokenEntryYaml = (entry: z.input<typeof tokenEntry>): string => stringify({ auth: { tokens: [entry] } });
