import { z } from 'zod';
import { databaseSettings, requireDatabaseSettings } from '../toolkit/database/database-settings.ts';

/** Where the gateway keeps what it must remember. */
export const state = z
  .strictObject({ ...databaseSettings, kind: z.enum(['memory', 'sqlite', 'postgres']).default('memory') })
  .superRefine(requireDatabaseSettings)
  .prefault({});
