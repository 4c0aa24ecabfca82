import { Cipher } from './cipher.ts';
import { isKeyOfState, migrate } from './migrations.ts';
import { type Database, SqlIdempotencyRecords } from './sql.ts';
import type { State } from './state.ts';

/** The state was encrypted with another key. */
export class WrongEncryptionKey extends Error {
  override readonly name = 'WrongEncryptionKey';
}

/**
 * State in a database, which it closes when it is closed.
 * @throws WrongEncryptionKey, or StateUnavailable when the database cannot be used.
 */
export async function openDurableState(database: Database, encryptionKey: Buffer): Promise<State> {
  try {
    const cipher = new Cipher(encryptionKey);
    await migrate(database);
    if (!(await isKeyOfState(database.query, cipher))) throw new WrongEncryptionKey();
    return {
      idempotency: new SqlIdempotencyRecords(database.query, cipher),
      now: () => database.now(),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
