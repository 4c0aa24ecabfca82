import { z } from 'zod';
import { secretReference } from '../secret.ts';

/** The settings of what is kept in a database; `kind` says in which. */
export const databaseSettings = {
  kind: z.enum(['sqlite', 'postgres']).default('sqlite').meta({
    description: '`sqlite`, a file for one gateway, or `postgres`, for any number of gateways.',
  }),
  file: z
    .string()
    .min(1)
    .optional()
    .meta({ file: true, description: 'The file of `sqlite`, created if it is missing.' }),
  url: secretReference.optional().meta({
    address: true,
    description: 'Where the address of `postgres` is, with its password: `env:NAME` or `file:/path`.',
  }),
  encryptionKey: secretReference.optional().meta({
    description:
      'Where the key is that encrypts what is kept: `env:NAME` or `file:/path`, 32 bytes in base64 or hexadecimal.',
  }),
};

/** What its kind needs is there once it is checked. */
export interface DatabaseSettings<Kind = 'sqlite' | 'postgres'> {
  readonly kind: Kind;
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  readonly encryptionKey?: string | readonly string[] | undefined;
}

const required: Readonly<Record<string, readonly Exclude<keyof DatabaseSettings, 'kind'>[]>> = {
  sqlite: ['file', 'encryptionKey'],
  postgres: ['url', 'encryptionKey'],
};

/** Reports the settings that this kind of database needs and that are missing. */
export function requireDatabaseSettings(given: DatabaseSettings<string>, context: z.core.$RefinementCtx): void {
  for (const key of required[given.kind] ?? []) {
    if (given[key] !== undefined) continue;
    context.addIssue({ code: 'custom', path: [key], message: `is required for ${given.kind}` });
  }
}
