import { z } from 'zod';
import { databaseSettings, requireDatabaseSettings } from '../toolkit/database/database-settings.ts';
import { secretReference } from '../toolkit/secret.ts';

/** Where the gateway keeps what it must remember. */
export const state = z
  .strictObject({
    ...databaseSettings,
    kind: z.enum(['memory', 'sqlite', 'postgres']).default('memory'),
    /** Of several the first one encrypts, and all decrypt. */
    encryptionKey: z
      .union([secretReference, z.array(secretReference).min(1)], {
        error: 'must be env:NAME or file:/path, or a list of them, never the secret itself',
      })
      .optional(),
  })
  .superRefine(requireDatabaseSettings)
  .prefault({});
