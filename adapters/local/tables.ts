import { createEncryptionTable, type Schema } from '../../src/toolkit/database/migrations.ts';

/**
 * Ids and times can be read, so that an operator can find rows; what a patient wrote is encrypted. Times are milliseconds
 * since 1970. `write_key` is a digest of client and `Idempotency-Key`, `write_content` one of what was asked for. `files` has
 * the values of a ticket's files, so that whoever wants none of them reads none; those of version 1 stand in its content.
 * `announce_at` is when the webhook is told of a row, or tried again; NULL when there is nothing to tell.
 */
export const localSchema: Schema = {
  prefix: 'puente_local',
  migrations: [
    {
      version: 1,
      statements: ({ bytes, counter }) => [
        createEncryptionTable('puente_local', { bytes }),
        'CREATE TABLE puente_local_probe (id INTEGER PRIMARY KEY, value TEXT NOT NULL)',
        `CREATE TABLE puente_local_tickets (
           position ${counter},
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           ticket_type_id TEXT NOT NULL,
           status TEXT NOT NULL,
           created_at BIGINT NOT NULL,
           updated_at BIGINT NOT NULL,
           write_key TEXT UNIQUE,
           write_content TEXT,
           content ${bytes} NOT NULL
         )`,
        'CREATE INDEX puente_local_tickets_patient ON puente_local_tickets (patient_id, created_at)',
        `CREATE TABLE puente_local_relatives (
           position ${counter},
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           related_patient_id TEXT NOT NULL,
           active INTEGER NOT NULL,
           write_content TEXT,
           content ${bytes} NOT NULL,
           UNIQUE (patient_id, related_patient_id)
         )`,
        `CREATE TABLE puente_local_change_requests (
           position ${counter},
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           reason_id TEXT NOT NULL,
           practitioner_id TEXT,
           status TEXT NOT NULL,
           created_at BIGINT NOT NULL,
           write_key TEXT UNIQUE,
           write_content TEXT,
           content ${bytes} NOT NULL
         )`,
        'CREATE INDEX puente_local_change_requests_patient ON puente_local_change_requests (patient_id, position)',
        `CREATE UNIQUE INDEX puente_local_change_requests_open ON puente_local_change_requests (patient_id)
         WHERE status = 'in_progress'`,
      ],
    },
    {
      version: 2,
      statements: ({ bytes }) => [`ALTER TABLE puente_local_tickets ADD COLUMN files ${bytes}`],
    },
    {
      version: 3,
      statements: () => ['ALTER TABLE puente_local_change_requests ADD COLUMN updated_at BIGINT'],
    },
    {
      version: 4,
      statements: () =>
        ['puente_local_tickets', 'puente_local_change_requests'].flatMap((table) => [
          `ALTER TABLE ${table} ADD COLUMN announce_at BIGINT`,
          `CREATE INDEX ${table}_announce_at ON ${table} (announce_at) WHERE announce_at IS NOT NULL`,
        ]),
    },
  ],
};
