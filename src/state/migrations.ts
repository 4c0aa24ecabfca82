import type { Cipher } from './cipher.ts';
import type { Database, Query } from './sql.ts';

interface Migration {
  readonly version: number;
  readonly statements: (database: Pick<Database, 'bytes'>) => readonly string[];
}

/**
 * Every change of the tables, the oldest first. They run while gateways of the version before serve: add tables, columns
 * that may be NULL and indexes, and take away only what no supported version uses any more.
 */
const migrations: readonly Migration[] = [
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
      `CREATE TABLE puente_encryption (name TEXT PRIMARY KEY, value ${bytes} NOT NULL)`,
    ],
  },
];

/** Brings the tables to this version, or leaves them if a later one was here. Of several gateways one does it. */
export const migrate = (database: Database): Promise<void> =>
  database.migrate(async (query) => {
    await query('CREATE TABLE IF NOT EXISTS puente_migrations (version INTEGER PRIMARY KEY)');
    const done = new Set(
      (await query('SELECT version FROM puente_migrations')).map((row) => Reflect.get(row, 'version')),
    );
    for (const { version, statements } of migrations.filter((each) => !done.has(each.version))) {
      for (const statement of statements(database)) await query(statement);
      await query('INSERT INTO puente_migrations (version) VALUES ($1)', [version]);
    }
  });

const SAMPLE = 'puente';

/** Whether the state was encrypted with this key, which the first gateway chose. */
export async function isKeyOfState(query: Query, cipher: Cipher): Promise<boolean> {
  await query('INSERT INTO puente_encryption (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    SAMPLE,
    cipher.encrypt(SAMPLE, SAMPLE),
  ]);
  const [row] = await query('SELECT value FROM puente_encryption WHERE name = $1', [SAMPLE]);
  const value: unknown = row && Reflect.get(row, 'value');
  try {
    return value instanceof Uint8Array && cipher.decrypt(value, SAMPLE) === SAMPLE;
  } catch {
    return false;
  }
}
