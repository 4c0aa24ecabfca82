import { type Database, DatabaseUnavailable, type Query } from '../database/database.ts';
import { openTables } from '../database/migrations.ts';
import { stateSchema } from './migrations.ts';
import { SqlIdempotencyRecords } from './sql.ts';
import { type State, StateUnavailable } from './state.ts';

/**
 * State in a database, which it closes when it is closed.
 * @throws WrongEncryptionKey, or DatabaseUnavailable when the database cannot be used.
 */
export async function openDurableState(database: Database, encryptionKey: Buffer): Promise<State> {
  const cipher = await openTables(database, stateSchema, encryptionKey);
  return {
    idempotency: new SqlIdempotencyRecords(createStateQuery(database), cipher),
    now: () => database.now(),
    close: () => database.close(),
  };
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
