import { z } from 'zod';
import type { Cipher } from '../toolkit/database/cipher.ts';
import type { Query, Statement } from '../toolkit/database/database.ts';
import {
  type AuditQuery,
  AuditRecords,
  type ChainedRecord,
  type ChainLink,
  type StoredChain,
  type StoredRecord,
} from './audit.ts';
import { StateUnavailable } from './state.ts';

const number = z.coerce.number();
const rowSchema = z.object({
  chain: z.string(),
  seq: number,
  at: number,
  patient: z.string().nullable(),
  record: z.string(),
  hash: z.string(),
});
const chainSchema = z.object({
  chain: z.string(),
  seq: number,
  hash: z.string(),
  signature: z.string(),
  pruned_seq: number,
  pruned_hash: z.string(),
  pruned_signature: z.string(),
});

/** How many records are read, or deleted, with one statement. */
const PAGE = 1_000;
const START: ChainLink = { seq: 0, hash: '' };

/** The records in a table, each encrypted for its place. Patients are found by a keyed digest of their ids. */
export class SqlAuditRecords extends AuditRecords {
  readonly #query: Query;
  readonly #transact: (statements: readonly Statement[]) => Promise<void>;
  readonly #cipher: Cipher;

  constructor(query: Query, transact: (statements: readonly Statement[]) => Promise<void>, cipher: Cipher) {
    super();
    this.#query = query;
    this.#transact = transact;
    this.#cipher = cipher;
  }

  async append(chain: string, head: ChainLink, records: readonly ChainedRecord[]): Promise<void> {
    const last = records.at(-1);
    if (!last) return;
    const rows = records.map(({ seq, at, patient, text, hash }) => [
      seq,
      at,
      this.#digest(patient),
      this.#cipher.encrypt(text, placeOf(chain, seq)).toString('base64'),
      hash,
    ]);
    await this.#transact([
      {
        // Both databases read rows from an object of JSON in this way. The primary key refuses a place that is taken.
        sql: `INSERT INTO puente_audit (chain, seq, at, patient, record, hash)
          SELECT CAST($1 AS TEXT), CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT), value ->> 2, value ->> 3,
            value ->> 4 FROM json_each($2)`,
        values: [chain, JSON.stringify({ ...rows })],
      },
      head.seq === 0
        ? {
            sql: `INSERT INTO puente_audit_chains (chain, seq, hash, signature, pruned_seq, pruned_hash, pruned_signature)
              VALUES ($1, $2, $3, $4, 0, '', $5)`,
            values: [chain, last.seq, last.hash, this.#sign('head', chain, last), this.#sign('pruned', chain, START)],
          }
        : {
            sql: 'UPDATE puente_audit_chains SET seq = $2, hash = $3, signature = $4 WHERE chain = $1',
            values: [chain, last.seq, last.hash, this.#sign('head', chain, last)],
          },
    ]);
  }

  async readHead(chain: string): Promise<ChainLink> {
    const [row] = await this.#query('SELECT * FROM puente_audit_chains WHERE chain = $1', [chain]);
    if (!row) return START;
    const { head } = this.#toChain(row);
    if (!head) throw new StateUnavailable('the head of the audit trail has another signature', 'audit_head_forged');
    return head;
  }

  async readHash(chain: string, seq: number): Promise<string | undefined> {
    const [row] = await this.#query('SELECT hash FROM puente_audit WHERE chain = $1 AND seq = $2', [chain, seq]);
    return row && z.object({ hash: z.string() }).parse(row).hash;
  }

  async listChains(): Promise<readonly StoredChain[]> {
    const signed = await this.#query('SELECT * FROM puente_audit_chains ORDER BY chain');
    const unsigned = await this.#query(
      `SELECT DISTINCT chain FROM puente_audit WHERE chain NOT IN (SELECT chain FROM puente_audit_chains) ORDER BY chain`,
    );
    return [
      ...signed.map((row) => this.#toChain(row)),
      ...unsigned.map((row) => ({
        chain: z.object({ chain: z.string() }).parse(row).chain,
        head: undefined,
        pruned: undefined,
      })),
    ];
  }

  async read(chain: string, after: number, limit = PAGE): Promise<readonly StoredRecord[]> {
    const rows = await this.#query(
      `SELECT * FROM puente_audit WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT ${limit}`,
      [chain, after],
    );
    return rows.map((row) => this.#toRecord(row));
  }

  async *find({ patient, from = 0, until = Number.MAX_SAFE_INTEGER }: AuditQuery): AsyncIterable<StoredRecord> {
    const digest = this.#digest(patient);
    const ofPatient = digest === null ? '' : 'AND patient = $5';
    let place: [number, string, number] = [from, '', 0];
    for (;;) {
      const rows = await this.#query(
        `SELECT * FROM puente_audit WHERE (at, chain, seq) > ($1, $2, $3) AND at < $4 ${ofPatient}
         ORDER BY at, chain, seq LIMIT ${PAGE}`,
        [...place, until, ...(digest === null ? [] : [digest])],
      );
      const found = rows.map((row) => this.#toRecord(row));
      yield* found;
      const last = found.at(-1);
      if (!last || found.length < PAGE) return;
      place = [last.at, last.chain, last.seq];
    }
  }

  async prune(before: number): Promise<number> {
    let count = 0;
    for (const { chain, head, pruned } of await this.listChains()) {
      if (head && pruned) count += await this.#pruneChain(chain, pruned, head, before);
    }
    return count;
  }

  async #pruneChain(chain: string, pruned: ChainLink, head: ChainLink, before: number): Promise<number> {
    const [row] = await this.#query('SELECT MIN(seq) AS seq FROM puente_audit WHERE chain = $1 AND at >= $2', [
      chain,
      before,
    ]);
    const kept = z.object({ seq: number.nullable() }).parse(row).seq ?? head.seq + 1;
    let from = pruned;
    while (from.seq < kept - 1) {
      const seq = Math.min(kept - 1, from.seq + PAGE);
      const hash = await this.readHash(chain, seq);
      // Of a chain with a gap nothing is deleted: whoever looks into it needs all that is left.
      if (hash === undefined) break;
      from = { seq, hash };
      await this.#transact([
        {
          sql: 'UPDATE puente_audit_chains SET pruned_seq = $2, pruned_hash = $3, pruned_signature = $4 WHERE chain = $1',
          values: [chain, seq, hash, this.#sign('pruned', chain, from)],
        },
        { sql: 'DELETE FROM puente_audit WHERE chain = $1 AND seq <= $2', values: [chain, seq] },
      ]);
    }
    return from.seq - pruned.seq;
  }

  #toChain(row: object): StoredChain {
    const { chain, seq, hash, signature, ...rest } = chainSchema.parse(row);
    const head = { seq, hash };
    const pruned = { seq: rest.pruned_seq, hash: rest.pruned_hash };
    return {
      chain,
      head: this.#sign('head', chain, head) === signature ? head : undefined,
      pruned: this.#sign('pruned', chain, pruned) === rest.pruned_signature ? pruned : undefined,
    };
  }

  #toRecord(row: object): StoredRecord {
    const { chain, seq, at, hash, patient: found, record } = rowSchema.parse(row);
    const isOf = (patient: string | undefined) => this.#digest(patient) === found;
    return { chain, seq, at, hash, text: this.#decrypt(record, placeOf(chain, seq)), isOf };
  }

  #decrypt(record: string, place: string): string | undefined {
    try {
      return this.#cipher.decrypt(Buffer.from(record, 'base64'), place);
    } catch {
      return undefined;
    }
  }

  #digest(patient: string | undefined): string | null {
    return patient === undefined ? null : this.#cipher.computeDigest(`audit patient ${patient}`);
  }

  #sign(what: 'head' | 'pruned', chain: string, { seq, hash }: ChainLink): string {
    return this.#cipher.computeDigest(JSON.stringify(['audit', what, chain, seq, hash]));
  }
}

const placeOf = (chain: string, seq: number): string => `audit ${JSON.stringify([chain, seq])}`;
