import type { Call } from '../../../src/ports/index.ts';
import { computeDigest } from '../../../src/toolkit/digest.ts';
import { KeyStore } from '../../common/key-store.ts';
import type { Sources } from '../sources/open-sources.ts';

/** The keys of writes in a table of the system with the columns `digest`, which is unique, `content` and `made`. */
export function createRememberedKeys(table: string, sources: Sources): KeyStore {
  const known = sources.question(`SELECT content, made FROM ${table} WHERE digest = :digest`);
  const change = (sql: string) => {
    const { make } = sources.change({ steps: [{ sql, else: 'exists' }] });
    return (values: Readonly<Record<string, string>>, call: Call) =>
      make(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]])), [], call);
  };
  const claim = change(`INSERT INTO ${table} (digest, content) VALUES (:digest, :content)`);
  const note = change(`UPDATE ${table} SET made = :made WHERE digest = :digest`);
  const forget = change(`DELETE FROM ${table} WHERE digest = :digest`);
  return new KeyStore({
    computeDigest,
    claim: async (digest, content, call) => !('meaning' in (await claim({ digest, content }, call))),
    find: async (digest, call) => {
      const [row] = await known.ask({ digest: [digest] }, call);
      return row && { content: String(row.content), made: row.made === null ? null : String(row.made) };
    },
    note: async (digest, made, call) => void (await note({ digest, made }, call)),
    forget: async (digest, call) => void (await forget({ digest }, call)),
    close: async () => undefined,
  });
}
