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
      statements: ({ bytes }) => [
        `CREATE TABLE puente_audit (
           chain TEXT NOT NULL,
           seq BIGINT NOT NULL,
           first_at BIGINT NOT NULL,
           last_at BIGINT NOT NULL,
           hash TEXT NOT NULL,
           records ${bytes} NOT NULL,
           PRIMARY KEY (chain, seq)
         )`,
        'CREATE INDEX puente_audit_last_at ON puente_audit (last_at, chain, seq)',
        `CREATE TABLE puente_audit_patients (
           chain TEXT NOT NULL,
           seq BIGINT NOT NULL,
           patient TEXT NOT NULL,
           PRIMARY KEY (chain, seq, patient)
         )`,
        'CREATE INDEX puente_audit_patients_patient ON puente_audit_patients (patient)',
        `CREATE TABLE puente_audit_forwarded (
           destination TEXT NOT NULL,
           chain TEXT NOT NULL,
           seq BIGINT NOT NULL,
           PRIMARY KEY (destination, chain)
         )`,
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
    {
      version: 3,
      // What gateways count together. Not to be kept over a crash, it is not logged, and so costs no write to the disk.
      statements: ({ system }) =>
        system === 'postgresql'
          ? [
              'CREATE UNLOGGED TABLE puente_limits (key VARCHAR(255) PRIMARY KEY, points INTEGER NOT NULL, expire BIGINT)',
            ]
          : [],
    },
  ],
};
