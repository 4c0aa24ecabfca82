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
    {
      version: 2,
      statements: () => [
        `CREATE TABLE puente_audit (
           chain TEXT NOT NULL,
           seq BIGINT NOT NULL,
           at BIGINT NOT NULL,
           patient TEXT,
           record TEXT NOT NULL,
           hash TEXT NOT NULL,
           PRIMARY KEY (chain, seq)
         )`,
        'CREATE INDEX puente_audit_patient ON puente_audit (patient, at)',
        `CREATE TABLE puente_audit_chains (
           chain TEXT PRIMARY KEY,
           seq BIGINT NOT NULL,
           hash TEXT NOT NULL,
           signature TEXT NOT NULL,
           pruned_seq BIGINT NOT NULL,
           pruned_hash TEXT NOT NULL,
           pruned_signature TEXT NOT NULL
         )`,
      ],
    },
  ],
};
