import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Cipher, unreadable } from '../database/cipher.ts';
import { PAUSE, type RunQuery, type SqlValue, type Statement } from '../database/database.ts';
import { renewSample } from '../database/migrations.ts';
import { retry } from '../toolkit/backoff.ts';
import { getField } from '../toolkit/records.ts';
import { chainSchema, formatPlace, groupSchema, listPatientDigests, listSignatures } from './audit-rows.ts';
import { placeFingerprint, stateSchema } from './keys.ts';
import { type Rotation, StateUnavailable } from './state.ts';

interface Store {
  readonly query: RunQuery;
  readonly transact: (statements: readonly Statement[]) => Promise<void>;
  readonly now: () => number;
  readonly cipher: Cipher;
}

/** The columns of a row that change, before and after. */
type RowChange = Readonly<Record<string, readonly [before: SqlValue, after: SqlValue]>>;

interface Table {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The columns to change. Empty if the row is current, `left` if the row must change later. */
  renew(row: object, store: Store): RowChange | 'left' | typeof unreadable;
  /** Statements for other tables that depend on the row. */
  renewIndex?(row: object, store: Store): readonly Statement[];
}

/** The number of rows that are read and changed in one transaction. */
const PORTION = 100;
/**
 * The maximum number of passes over all rows. The last pass finds nothing to do unless a process still writes under
 * another key.
 */
const MAX_PASSES = 5;
/** The maximum number of attempts for a portion while a gateway writes to the file. */
const MAX_ATTEMPTS = 50;

const bigint = z.coerce.number();
const idempotencyRow = z.object({
  key: z.string(),
  fingerprint: z.string(),
  state: z.string(),
  lease_until: bigint,
  response: z.instanceof(Uint8Array).nullable(),
});
const recordText = z.object({ patient: z.string().optional() });

const tables: readonly Table[] = [
  {
    name: 'puente_idempotency',
    key: ['key'],
    renew(row, { cipher, now }) {
      const { key, fingerprint, state, lease_until, response } = idempotencyRow.parse(row);
      const newFingerprint = cipher.renew(Buffer.from(fingerprint, 'base64'), placeFingerprint(key));
      const newResponse = response === null ? undefined : cipher.renew(response, key);
      if (newResponse === unreadable) return unreadable;
      // An earlier version stored it unencrypted: no key applies.
      if (newFingerprint === unreadable || newFingerprint === undefined)
        return newResponse ? { response: [response, newResponse] } : {};
      // A gateway finds the claim with the lost answer by its fingerprint.
      if (state === 'running' && lease_until > now()) return 'left';
      return {
        fingerprint: [fingerprint, newFingerprint.toString('base64')],
        ...(newResponse && { response: [response, newResponse] }),
      };
    },
  },
  {
    name: 'puente_audit',
    key: ['chain', 'seq'],
    renew(row, { cipher }) {
      const { chain, seq, hash, first_at: firstAt, last_at: lastAt, records } = groupSchema.parse(row);
      const renewed = cipher.renew(records, formatPlace(chain, { seq, hash, firstAt, lastAt }));
      return typeof renewed === 'symbol' ? renewed : renewed === undefined ? {} : { records: [records, renewed] };
    },
    renewIndex(row, { cipher }) {
      const { chain, seq, hash, first_at: firstAt, last_at: lastAt, records } = groupSchema.parse(row);
      const text = cipher.decrypt(records, formatPlace(chain, { seq, hash, firstAt, lastAt }));
      const patients = text.split('\n').flatMap((line) => recordText.parse(JSON.parse(line)).patient ?? []);
      // A row that was put in its place stays for the verification to find.
      return [...new Set(patients)].flatMap((patient) => {
        const [current = '', ...others] = listPatientDigests(cipher, patient);
        return others.map((other) => ({
          sql: 'UPDATE puente_audit_patients SET patient = $1 WHERE chain = $2 AND seq = $3 AND patient = $4',
          values: [current, chain, seq, other],
        }));
      });
    },
  },
  {
    name: 'puente_audit_chains',
    key: ['chain'],
    renew(row, { cipher }) {
      const { chain, seq, hash, signature, pruned_seq, pruned_hash, pruned_signature } = chainSchema.parse(row);
      const [head = '', ...oldHeads] = listSignatures(cipher, 'head', chain, { seq, hash });
      const [start = '', ...oldStarts] = listSignatures(cipher, 'pruned', chain, {
        seq: pruned_seq,
        hash: pruned_hash,
      });
      const change: RowChange = {
        ...(oldHeads.includes(signature) && { signature: [signature, head] }),
        ...(oldStarts.includes(pruned_signature) && { pruned_signature: [pruned_signature, start] }),
      };
      // A foreign signature must not become a valid one.
      const isForged = ![head, ...oldHeads].includes(signature) || ![start, ...oldStarts].includes(pruned_signature);
      return isForged && Object.keys(change).length === 0 ? unreadable : change;
    },
  },
];

/**
 * Encrypts data of other keys under the first key. It works in portions, and each portion is one transaction. It may be
 * stopped at any time and continues at the next call. After a complete rotation, only the first key is needed to open
 * the state.
 * @param onProgress is called with the number of rows so far, after each portion.
 */
export async function rotate(store: Store, onProgress: (renewed: number) => void = () => undefined): Promise<Rotation> {
  let renewed = 0;
  let last = { renewed: 0, left: 0, unreadable: 0 };
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    last = { renewed: 0, left: 0, unreadable: 0 };
    for (const table of tables) {
      for await (const portion of rotateTable(store, table)) {
        last.renewed += portion.renewed;
        last.left += portion.left;
        last.unreadable += portion.unreadable;
        onProgress(renewed + last.renewed);
      }
    }
    renewed += last.renewed;
    if (last.renewed === 0) break;
  }
  const left = last.left + last.renewed;
  if (left === 0) await renewSample(store.query, stateSchema, store.cipher);
  return { keyId: store.cipher.keyId, renewed, left, unreadable: last.unreadable };
}

async function* rotateTable(store: Store, table: Table) {
  const key = table.key.join(', ');
  let after: readonly SqlValue[] = [];
  for (;;) {
    const where = after.length === 0 ? '' : `WHERE (${key}) > (${after.map((_, i) => `$${i + 1}`).join(', ')})`;
    const rows = await store.query(`SELECT * FROM ${table.name} ${where} ORDER BY ${key} LIMIT ${PORTION}`, after);
    const results = rows.map((row) => ({ row, change: table.renew(row, store) }));
    const changed = results.flatMap(({ row, change }) =>
      typeof change !== 'object' || Object.keys(change).length === 0 ? [] : [{ row, change }],
    );
    const statements = changed.flatMap(({ row, change }) => [
      createUpdate(table, row, change),
      ...(table.renewIndex?.(row, store) ?? []),
    ]);
    if (statements.length > 0) await retryWhileBusy(() => store.transact(statements));
    yield {
      renewed: changed.length,
      left: results.filter(({ change }) => change === 'left').length,
      unreadable: results.filter(({ change }) => change === unreadable).length,
    };
    const last = rows.at(-1);
    if (!last || rows.length < PORTION) return;
    after = readKey(table, last);
    await sleep(PAUSE);
  }
}

/** Skips a row that a gateway has changed in the meantime. The next pass reads it again. */
function createUpdate(table: Table, row: object, change: RowChange): Statement {
  const values: SqlValue[] = [];
  const add = (value: SqlValue) => `$${values.push(value)}`;
  const set = Object.entries(change).map(([column, [, after]]) => `${column} = ${add(after)}`);
  const keys = readKey(table, row).map((value, i) => `${table.key[i]} = ${add(value)}`);
  const unchanged = Object.entries(change).map(([column, [before]]) => `${column} = ${add(before)}`);
  return { sql: `UPDATE ${table.name} SET ${set.join(', ')} WHERE ${[...keys, ...unchanged].join(' AND ')}`, values };
}

const sqlValue = z.union([z.string(), z.number(), z.instanceof(Uint8Array), z.null()]);

const readKey = (table: Table, row: object): SqlValue[] =>
  table.key.map((column) => sqlValue.parse(getField(row, column)));

/** A gateway has SQLite's lock for milliseconds. */
const retryWhileBusy = (work: () => Promise<void>): Promise<void> =>
  retry(work, {
    afterError: (error) => error instanceof StateUnavailable && error.code === 'SQLITE_BUSY',
    attempts: MAX_ATTEMPTS,
  });
