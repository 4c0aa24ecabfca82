import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Cipher } from '../database/cipher.ts';
import { PAUSE, type RunQuery, type SqlValue, type Statement } from '../database/database.ts';
import {
  type AuditQuery,
  AuditRecords,
  type ChainLink,
  type IndexedGroup,
  type RecordGroup,
  type StoredChain,
  type StoredGroup,
} from './state.ts';

const number = z.coerce.number();
const chainName = z.object({ chain: z.unknown() });
const seqSchema = z.object({ seq: number });
const endsSchema = z.object({ forwarded: number, last: number, misplaced: number });
export const groupSchema = z.object({
  chain: z.string(),
  seq: number,
  first_at: number,
  last_at: number,
  hash: z.string(),
  records: z.instanceof(Uint8Array),
});
export const chainSchema = z.object({
  chain: z.string(),
  seq: number,
  hash: z.string(),
  signature: z.string(),
  pruned_seq: number,
  pruned_hash: z.string(),
  pruned_signature: z.string(),
});
const indexSchema = z.object({ seq: number, patient: z.coerce.string() });
/** The readable part of a row that was changed from outside. */
const oddGroup = z.object({ chain: z.coerce.string(), seq: number.catch(0), hash: z.coerce.string() });
const value = z.union([z.string(), z.number(), z.instanceof(Uint8Array), z.null()]);
const placeSchema = z.object({ last_at: value, chain: value, seq: value });
const timesSchema = z.object({ near: number.nullable(), last: number.nullable() });

/** SQLite stores any value in a column, and orders texts after all numbers. */
const MAX_SEQ = Number.MAX_SAFE_INTEGER;
/** The longest gap between two records, in milliseconds, that counts as elapsed time. */
const MAX_SILENCE = 31 * 86_400_000;

/** The number of groups for each statement that reads or deletes. */
const PAGE = 200;
const START: ChainLink = { seq: 0, hash: '' };

/** The groups in a table, each encrypted for its place. A keyed digest of the id finds a patient's groups. */
export class SqlAuditRecords extends AuditRecords {
  readonly #query: RunQuery;
  readonly #transact: (statements: readonly Statement[]) => Promise<void>;
  readonly #cipher: Cipher;

  constructor(query: RunQuery, transact: (statements: readonly Statement[]) => Promise<void>, cipher: Cipher) {
    super();
    this.#query = query;
    this.#transact = transact;
    this.#cipher = cipher;
  }

  async append(chain: string, head: ChainLink, group: RecordGroup): Promise<void> {
    const { seq, hash, firstAt, lastAt, text } = group;
    const signature = this.#sign('head', chain, group);
    const patients = group.patients.map((patient) => listPatientDigests(this.#cipher, patient).slice(0, 1));
    await this.#transact([
      // First, because it makes another gateway wait and then fails there: two groups of different lengths may overlap.
      head.seq === 0
        ? {
            sql: `INSERT INTO puente_audit_chains (chain, seq, hash, signature, pruned_seq, pruned_hash, pruned_signature)
              VALUES ($1, $2, $3, $4, 0, '', $5)`,
            values: [chain, seq, hash, signature, this.#sign('pruned', chain, START)],
          }
        : {
            sql: `UPDATE puente_audit_chains SET seq = $2, hash = $3, signature = $4
              WHERE chain = $1 AND seq = $5 AND hash = $6 RETURNING chain`,
            values: [chain, seq, hash, signature, head.seq, head.hash],
            mustReturn: true,
          },
      {
        sql: `INSERT INTO puente_audit (chain, seq, first_at, last_at, hash, records) VALUES ($1, $2, $3, $4, $5, $6)`,
        values: [chain, seq, firstAt, lastAt, hash, this.#cipher.encrypt(text, formatPlace(chain, group))],
      },
      ...(patients.length === 0
        ? []
        : [
            {
              // Both databases can read rows from a JSON object in this way.
              sql: `INSERT INTO puente_audit_patients (chain, seq, patient)
                SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), value ->> 0 FROM json_each($3)`,
              values: [chain, seq, JSON.stringify({ ...patients })],
            },
          ]),
    ]);
  }

  async readChain(chain: string): Promise<StoredChain> {
    const [ends] = await this.#query(
      `SELECT (SELECT COALESCE(MAX(seq), 0) FROM puente_audit_forwarded WHERE chain = $1 AND seq <= ${MAX_SEQ}) AS forwarded,
         (SELECT COALESCE(MAX(seq), 0) FROM puente_audit WHERE chain = $1 AND seq <= ${MAX_SEQ}) AS last,
         (SELECT COUNT(*) FROM puente_audit WHERE chain = $1 AND seq < 1) +
         (SELECT COUNT(*) FROM puente_audit WHERE chain = $1 AND seq > ${MAX_SEQ}) AS misplaced`,
      [chain],
    );
    const { forwarded, last, misplaced } = endsSchema.parse(ends);
    // Read last: another gateway may append and forward in the meantime, and its records must not seem to be missing.
    const [row] = await this.#query('SELECT * FROM puente_audit_chains WHERE chain = $1', [chain]);
    const unsigned = { chain, head: last === 0 ? START : undefined, pruned: last === 0 ? START : undefined };
    return { ...(row ? this.#toChain(chain, row) : unsigned), forwarded, misplaced };
  }

  async readHash(chain: string, seq: number): Promise<string | undefined> {
    const [row] = await this.#query('SELECT hash FROM puente_audit WHERE chain = $1 AND seq = $2', [chain, seq]);
    return row && z.object({ hash: z.coerce.string() }).parse(row).hash;
  }

  async listChains(): Promise<readonly StoredChain[]> {
    // From one name to the next in the index: reading all rows would take longer with each record.
    const names = await this.#query(
      `WITH RECURSIVE named (chain) AS (
         SELECT MIN(chain) FROM puente_audit
         UNION ALL
         SELECT (SELECT MIN(chain) FROM puente_audit WHERE chain > named.chain) FROM named WHERE chain IS NOT NULL
       )
       SELECT chain FROM named WHERE chain IS NOT NULL UNION SELECT chain FROM puente_audit_chains
       UNION SELECT chain FROM puente_audit_forwarded ORDER BY chain`,
    );
    const unnamed = { head: undefined, pruned: undefined, forwarded: 0, misplaced: 0 };
    return Promise.all(
      names.map(async (row) => {
        const { chain } = chainName.parse(row);
        return typeof chain === 'string' ? this.readChain(chain) : { ...unnamed, chain: `no name: ${String(chain)}` };
      }),
    );
  }

  sign(chain: string, link: ChainLink): string {
    return this.#sign('head', chain, link);
  }

  isSigned(chain: string, link: ChainLink, signature: string): boolean {
    return listSignatures(this.#cipher, 'head', chain, link).includes(signature);
  }

  async read(chain: string, after: number): Promise<readonly IndexedGroup[]> {
    const rows = await this.#query(
      `SELECT * FROM puente_audit WHERE chain = $1 AND seq > $2 AND seq <= ${MAX_SEQ} ORDER BY seq LIMIT ${PAGE}`,
      [chain, after],
    );
    const groups = rows.map((row) => this.#toGroup(row));
    const index = await this.#query(
      'SELECT seq, patient FROM puente_audit_patients WHERE chain = $1 AND seq > $2 AND seq <= $3',
      [chain, after, groups.at(-1)?.seq ?? after],
    );
    const found = Map.groupBy(z.array(indexSchema).parse(index), ({ seq }) => seq);
    return groups.map((group) => ({
      ...group,
      isFoundUnder: (patients) => {
        const digests = (found.get(group.seq) ?? []).map(({ patient }) => patient);
        const known = patients.map((patient) => listPatientDigests(this.#cipher, patient));
        return (
          known.every((each) => each.some((digest) => digests.includes(digest))) &&
          digests.length === patients.length &&
          digests.every((digest) => known.some((each) => each.includes(digest)))
        );
      },
    }));
  }

  async *find({ patient, from = 0, until = Number.MAX_SAFE_INTEGER }: AuditQuery): AsyncIterable<StoredGroup> {
    const digests = patient === undefined ? [] : listPatientDigests(this.#cipher, patient);
    const ofPatient =
      digests.length === 0
        ? ''
        : `AND (chain, seq) IN (SELECT chain, seq FROM puente_audit_patients
             WHERE patient IN (${digests.map((_, i) => `$${i + 5}`).join(', ')}))`;
    let place: SqlValue[] = [from, '', 0];
    for (;;) {
      const rows = await this.#query(
        `SELECT * FROM puente_audit WHERE (last_at, chain, seq) > ($1, $2, $3) AND first_at < $4 ${ofPatient}
         ORDER BY last_at, chain, seq LIMIT ${PAGE}`,
        [...place, until, ...digests],
      );
      for (const row of rows) yield this.#toGroup(row);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      const { last_at, chain, seq } = placeSchema.parse(last);
      place = [last_at, chain, seq];
    }
  }

  async readForwarded(destination: string, chain: string): Promise<number> {
    const sql = 'SELECT seq FROM puente_audit_forwarded WHERE destination = $1 AND chain = $2';
    const [row] = await this.#query(sql, [destination, chain]);
    return row ? seqSchema.parse(row).seq : 0;
  }

  async saveForwarded(destination: string, chain: string, seq: number): Promise<void> {
    await this.#query(
      `INSERT INTO puente_audit_forwarded (destination, chain, seq) VALUES ($1, $2, $3)
       ON CONFLICT (destination, chain) DO UPDATE SET seq = excluded.seq`,
      [destination, chain, seq],
    );
  }

  async findOld(now: number, ms: number): Promise<number> {
    const silence = Math.min(MAX_SILENCE, ms / 10);
    let [at, left] = [now, ms];
    for (;;) {
      const [row] = await this.#query(
        `SELECT (SELECT MIN(last_at) FROM puente_audit WHERE last_at >= $1 AND last_at < $2) AS near,
           (SELECT MAX(last_at) FROM puente_audit WHERE last_at < $2) AS last`,
        [Math.floor(at - silence), at],
      );
      const { near, last } = timesSchema.parse(row);
      if (last === null || (near !== null && at - near >= left)) return at - left;
      if (near !== null) left -= at - near;
      at = near ?? last;
    }
  }

  async prune(before: number): Promise<number> {
    let count = 0;
    for (const { chain, pruned } of await this.listChains()) {
      if (pruned) count += await this.#pruneChain(chain, pruned, before);
    }
    return count;
  }

  async #pruneChain(chain: string, pruned: ChainLink, before: number): Promise<number> {
    let from = pruned;
    for (;;) {
      const rows = await this.#query(`SELECT * FROM puente_audit WHERE chain = $1 ORDER BY seq LIMIT ${PAGE}`, [chain]);
      const kept = rows.findIndex((row) => !this.#toGroup(row).text || groupSchema.parse(row).last_at >= before);
      // A group that was changed stays as evidence, because its time may have been changed too. The groups after it
      // stay with it.
      const last = rows.at(kept === -1 ? rows.length - 1 : kept - 1);
      if (!last || kept === 0) return from.seq - pruned.seq;
      from = groupSchema.parse(last);
      const { seq, hash } = from;
      await this.#transact([
        {
          // Another gateway may have deleted more in the meantime: the start never goes back.
          sql: `UPDATE puente_audit_chains SET pruned_seq = $2, pruned_hash = $3, pruned_signature = $4
            WHERE chain = $1 AND pruned_seq < $2`,
          values: [chain, seq, hash, this.#sign('pruned', chain, from)],
        },
        { sql: 'DELETE FROM puente_audit WHERE chain = $1 AND seq <= $2', values: [chain, seq] },
        { sql: 'DELETE FROM puente_audit_patients WHERE chain = $1 AND seq <= $2', values: [chain, seq] },
      ]);
      await sleep(PAUSE);
    }
  }

  #toChain(chain: string, row: object): Pick<StoredChain, 'chain' | 'head' | 'pruned'> {
    const { data } = chainSchema.safeParse(row);
    if (!data) return { chain, head: undefined, pruned: undefined };
    const { seq, hash, signature, ...rest } = data;
    const head = { seq, hash };
    const pruned = { seq: rest.pruned_seq, hash: rest.pruned_hash };
    return {
      chain,
      head: listSignatures(this.#cipher, 'head', chain, head).includes(signature) ? head : undefined,
      pruned: listSignatures(this.#cipher, 'pruned', chain, pruned).includes(rest.pruned_signature)
        ? pruned
        : undefined,
    };
  }

  #toGroup(row: object): StoredGroup {
    const { data } = groupSchema.safeParse(row);
    if (!data) return { ...oddGroup.parse(row), text: undefined };
    const { chain, seq, hash, first_at: firstAt, last_at: lastAt, records } = data;
    const place = formatPlace(chain, { seq, hash, firstAt, lastAt });
    try {
      return { chain, seq, hash, text: this.#cipher.decrypt(records, place) };
    } catch {
      return { chain, seq, hash, text: undefined };
    }
  }

  #sign(what: Signed, chain: string, link: ChainLink): string {
    return this.#cipher.computeDigest(formatLink(what, chain, link));
  }
}

/**
 * The digests that find a patient, one for each key. A part of a digest distinguishes all patients. Each digest is
 * stored in three places.
 */
export const listPatientDigests = (cipher: Cipher, patient: string): readonly string[] =>
  cipher.listDigests(`audit patient ${patient}`).map((digest) => digest.slice(0, 24));

type Signed = 'head' | 'pruned';

/** The signatures of a chain's link, one for each key. */
export const listSignatures = (cipher: Cipher, what: Signed, chain: string, link: ChainLink): readonly string[] =>
  cipher.listDigests(formatLink(what, chain, link));

const formatLink = (what: Signed, chain: string, { seq, hash }: ChainLink): string =>
  JSON.stringify(['audit', what, chain, seq, hash]);

/** All columns of a row besides its records. If the records decrypt with this text, no column was changed. */
export const formatPlace = (
  chain: string,
  { seq, hash, firstAt, lastAt }: Omit<RecordGroup, 'patients' | 'text'>,
): string => JSON.stringify(['audit', chain, seq, hash, firstAt, lastAt]);
