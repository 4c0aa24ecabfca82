import { Cipher } from '../database/cipher.ts';
import { type Database, DatabaseUnavailable, type Query } from '../database/database.ts';
import { prepareTables } from '../database/migrations.ts';
import { stateSchema } from './migrations.ts';
import { SqlIdempotencyRecords } from './sql.ts';
import { type State, StateUnavailable } from './state.ts';

/**
 * State in a database, which it closes when it is closed.
 * @throws WrongEncryptionKey, or DatabaseUnavailable when the database cannot be used.
 */
export async function openDurableState(database: Database, encryptionKey: Buffer): Promise<State> {
  try {
    const cipher = new Cipher(encryptionKey);
    await prepareTables(database, stateSchema, cipher);
    return {
      idempotency: new SqlIdempotencyRecords(createStateQuery(database), cipher),
      now: () => database.now(),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const createStateQuery =
  ({ query }: Database): Query =>
  async (sql, values) => {
    try {
      return await query(sql, values);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new StateUnavailable(error.message, error.code);
    }
  };
