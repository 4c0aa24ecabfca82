import { z } from 'zod';
import { secretReference } from '../../adapters/secret.ts';

const required = { memory: [], sqlite: ['file', 'encryptionKey'], postgres: ['url', 'encryptionKey'] } as const;

/** Where the gateway keeps what it must remember. */
export const state = z
  .strictObject({
    kind: z.enum(['memory', 'sqlite', 'postgres']).default('memory'),
    file: z.string().min(1).optional().meta({ file: true }),
    url: secretReference.optional(),
    encryptionKey: secretReference.optional(),
  })
  .superRefine((given, context) => {
    for (const key of required[given.kind] ?? []) {
      if (given[key] !== undefined) continue;
      context.addIssue({ code: 'custom', path: [key], message: `is required for ${given.kind}` });
    }
  })
  .prefault({});

export type StateConfig = z.output<typeof state>;
