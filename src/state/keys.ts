import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Cipher } from '../database/cipher.ts';
import { PAUSE, type RunQuery } from '../database/database.ts';
import { createEncryptionTable, type Schema } from '../database/migrations.ts';
import {
  type Claim,
  IdempotencyRecords,
  type KeyRecord,
  type Lease,
  type Outcome,
  StateUnavailable,
  type StoredResponse,
} from './state.ts';

const bytes = z.instanceof(Uint8Array);
const rowSchema = z.object({
  fingerprint: z.string(),
  state: z.enum(['running', 'unknown', 'done']),
  attempt: z.coerce.number(),
  claimed_at: z.coerce.number(),
  lease_until: z.coerce.number(),
  response: bytes.nullable(),
});
const responseSchema = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
}) satisfies z.ZodType<StoredResponse>;

/** The number of expired records that one statement deletes. */
const PRUNED_AT_ONCE = 1_000;
/** The maximum number of claims with a lost answer that are remembered. */
const MAX_LOST = 10_000;

/**
 * The records of keys in a table. Responses are encrypted. Fingerprints are encrypted too, because they reveal short
 * requests to guessing.
 */
export class SqlIdempotencyRecords extends IdempotencyRecords {
  readonly #query: RunQuery;
  readonly #cipher: Cipher;
  /** The stored fingerprints, by key, of claims that may exist although their callers got a failure. */
  readonly #lost = new Map<string, string>();

  constructor(query: RunQuery, cipher: Cipher) {
    super();
    this.#query = query;
    this.#cipher = cipher;
  }

  async claim(key: string, claim: Claim): Promise<KeyRecord | undefined> {
    const { now, leaseUntil, fingerprint, expiresAt } = claim;
    await this.#deleteLost(key);
    const encrypted = this.#cipher.encrypt(fingerprint, placeFingerprint(key)).toString('base64');
    const claimed = await this.#query(
      `INSERT INTO puente_idempotency (key, fingerprint, state, attempt, claimed_at, lease_until, expires_at)
       VALUES ($1, $2, 'running', 1, $3, $4, $5)
       ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, state = 'running', attempt = 1,
         claimed_at = excluded.claimed_at, lease_until = excluded.lease_until, expires_at = excluded.expires_at,
         response = NULL
       WHERE puente_idempotency.expires_at <= excluded.claimed_at
       RETURNING key`,
      [key, encrypted, now, leaseUntil, expiresAt],
    ).catch((error: unknown) => {
      if (this.#lost.size < MAX_LOST) this.#lost.set(key, encrypted);
      throw error;
    });
    if (claimed.length > 0) return undefined;
    const [row] = await this.#query(
      `SELECT fingerprint, state, attempt, claimed_at, lease_until, response FROM puente_idempotency WHERE key = $1`,
      [key],
    );
    // Without a row, another process has just released the key.
    return row ? this.#toRecord(key, row) : this.claim(key, claim);
  }

  async reclaim(key: string, attempt: number, { now, leaseUntil, expiresAt }: Lease): Promise<boolean> {
    const rows = await this.#query(
      `UPDATE puente_idempotency SET state = 'running', attempt = attempt + 1, claimed_at = $3, lease_until = $4,
         expires_at = $5
       WHERE key = $1 AND attempt = $2 AND state <> 'done' RETURNING key`,
      [key, attempt, now, leaseUntil, expiresAt],
    );
    return rows.length > 0;
  }

  async settle(key: string, attempt: number, outcome: Outcome, expiresAt: number | null = null): Promise<boolean> {
    const { state } = outcome;
    const response = state === 'done' ? this.#cipher.encrypt(JSON.stringify(outcome.response), key) : null;
    const rows =
      state === 'untouched'
        ? await this.#query(
            `DELETE FROM puente_idempotency WHERE key = $1 AND attempt = $2 AND state <> 'done' RETURNING key`,
            [key, attempt],
          )
        : await this.#query(
            `UPDATE puente_idempotency SET state = $3, response = $4, expires_at = COALESCE($5, expires_at)
             WHERE key = $1 AND attempt = $2 AND state <> 'done' RETURNING key`,
            [key, attempt, state, response, expiresAt],
          );
    return rows.length > 0;
  }

  async prune(now: number): Promise<number> {
    for (const key of this.#lost.keys()) await this.#deleteLost(key);
    for (let count = 0; ; await sleep(PAUSE)) {
      const rows = await this.#query(
        `DELETE FROM puente_idempotency
         WHERE key IN (SELECT key FROM puente_idempotency WHERE expires_at <= $1 LIMIT ${PRUNED_AT_ONCE}) RETURNING key`,
        [now],
      );
      count += rows.length;
      if (rows.length < PRUNED_AT_ONCE) return count;
    }
  }

  /** Deletes nobody else's claim: fingerprints are encrypted anew each time, so no two are equal. */
  async #deleteLost(key: string): Promise<void> {
    const fingerprint = this.#lost.get(key);
    if (fingerprint === undefined) return;
    await this.#query(
      `DELETE FROM puente_idempotency WHERE key = $1 AND fingerprint = $2 AND attempt = 1 AND state = 'running' RETURNING key`,
      [key, fingerprint],
    );
    // Another claim of the key may have been lost in the meantime.
    if (this.#lost.get(key) === fingerprint) this.#lost.delete(key);
  }

  #toRecord(key: string, row: object): KeyRecord {
    const { state, response, fingerprint, attempt, claimed_at, lease_until } = rowSchema.parse(row);
    const record = {
      fingerprint: this.#decryptFingerprint(fingerprint, key),
      attempt,
      claimedAt: claimed_at,
      leaseUntil: lease_until,
    };
    if (state !== 'done') return { ...record, state };
    try {
      const text = this.#cipher.decrypt(response ?? new Uint8Array(), key);
      return { ...record, state, response: responseSchema.parse(JSON.parse(text)) };
    } catch {
      throw new StateUnavailable('a stored response cannot be read', 'response_unreadable');
    }
  }

  #decryptFingerprint(stored: string, key: string): string {
    try {
      return this.#cipher.decrypt(Buffer.from(stored, 'base64'), placeFingerprint(key));
    } catch {
      // An earlier version stored the fingerprint unencrypted. A changed fingerprint matches no request.
      return stored;
    }
  }
}

/** The place for which the fingerprint of a key is encrypted. */
export const placeFingerprint = (key: string): string => `${key} fingerprint`;

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
      // Counters that gateways share. The table is unlogged to avoid disk writes: its rows need not survive a crash.
      statements: ({ system }) =>
        system === 'postgresql'
          ? [
              'CREATE UNLOGGED TABLE puente_limits (key VARCHAR(255) PRIMARY KEY, points INTEGER NOT NULL, expire BIGINT)',
            ]
          : [],
    },
  ],
};
