import type { Call } from '../../../src/ports/index.ts';
import { computeDigest } from '../../../src/toolkit/digest.ts';
import { KeyStore } from '../../common/key-store.ts';
import type { Sources } from '../sources/open-sources.ts';

/** What the table of keys has: when each was claimed in milliseconds since 1970, and the id of what was made under it. */
export const readKey = (table: string): string =>
  `SELECT content, made, claimed_at FROM ${table} WHERE digest = :digest`;

/** The keys of writes in a table of the system with the columns `digest`, which is unique, `content`, `made` and `claimed_at`. */
export function createRememberedKeys(table: string, sources: Sources): KeyStore {
  const known = sources.question(readKey(table));
  const change = (sql: string) => {
    const { make } = sources.change({ steps: [{ sql, else: 'exists', changes: Number.MAX_SAFE_INTEGER }] });
    return (values: Readonly<Record<string, string | number>>, call: Call) =>
      make(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]])), [], call);
  };
  const claim = change(`INSERT INTO ${table} (digest, content, claimed_at) VALUES (:digest, :content, :now)`);
  const note = change(`UPDATE ${table} SET made = :made WHERE digest = :digest`);
  const forget = change(`DELETE FROM ${table} WHERE digest = :digest`);
  const prune = change(`DELETE FROM ${table} WHERE claimed_at < :before`);
  return new KeyStore({
    computeDigest,
    claim: async (digest, content, call) =>
      !('meaning' in (await claim({ digest, content, now: Date.parse(call.now) }, call))),
    find: async (digest, call) => {
      const [row] = await known.ask({ digest: [digest] }, call);
      return row && { content: String(row.content), made: row.made === null ? null : String(row.made) };
    },
    note: async (digest, made, call) => void (await note({ digest, made }, call)),
    forget: async (digest, call) => void (await forget({ digest }, call)),
    prune: async (before, call) => void (await prune({ before }, call)),
    close: async () => undefined,
  });
}
