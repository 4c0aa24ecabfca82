import { type Database, DatabaseUnavailable, type Query } from '../toolkit/database/database.ts';
import { openTables } from '../toolkit/database/migrations.ts';
import { stateSchema } from './migrations.ts';
import { SqlIdempotencyRecords } from './sql.ts';
import { type State, StateUnavailable } from './state.ts';

/**
 * State in a database, which it closes when it is closed.
 * @throws WrongEncryptionKey, or DatabaseUnavailable when the database cannot be used.
 */
export async function openDurableState(database: Database, encryptionKey: Buffer): Promise<State> {
  const cipher = await openTables(database, stateSchema, encryptionKey);
  let failure: string | undefined;
  const query: Query = async (sql, values) => {
    try {
      const rows = await database.query(sql, values);
      failure = undefined;
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      failure = error.code;
      throw new StateUnavailable(error.message, error.code);
    }
  };
  return {
    idempotency: new SqlIdempotencyRecords(query, cipher),
    now: () => database.now(),
    close: () => database.close(),
    get failure() {
      return failure;
    },
  };
}
