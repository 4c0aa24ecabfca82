import { createEncryptionTable, type Schema } from '../toolkit/database/migrations.ts';

/** The tables of the state. */
export const stateSchema: Schema = {
  prefix: 'puente',
  migrations: [
    {
      version: 1,
      statements: ({ bytes }) => [
        `CREATE TABLE puente_idempotency (
           key TEXT PRIMARY KEY,
           fingerprint TEXT NOT NULL,
           state TEXT NOT NULL,
           attempt INTEGER NOT NULL,
           claimed_at BIGINT NOT NULL,
           lease_until BIGINT NOT NULL,
           expires_at BIGINT NOT NULL,
           response ${bytes}
         )`,
        'CREATE INDEX puente_idempotency_expires_at ON puente_idempotency (expires_at)',
        createEncryptionTable('puente', { bytes }),
      ],
    },
  ],
};
