import { type Database, DatabaseUnavailable } from '../toolkit/database/database.ts';
import { type EncryptionKeys, openTables } from '../toolkit/database/migrations.ts';
import { stateSchema } from './migrations.ts';
import { rotate } from './rotation.ts';
import { SqlIdempotencyRecords } from './sql.ts';
import { SqlAuditRecords } from './sql-audit.ts';
import { type State, StateUnavailable } from './state.ts';

/**
 * State in a database, which it closes when it is closed.
 * @throws WrongEncryptionKey, or DatabaseUnavailable when the database cannot be used.
 */
export async function openDurableState(database: Database, encryptionKeys: EncryptionKeys): Promise<State> {
  const cipher = await openTables(database, stateSchema, encryptionKeys);
  let failure: string | undefined;
  const watch =
    <A extends readonly unknown[], R>(ask: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        const answer = await ask(...args);
        failure = undefined;
        return answer;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        failure = error.code;
        throw new StateUnavailable(error.message, error.code);
      }
    };
  const query = watch(database.query);
  const transact = watch(database.transact);
  return {
    idempotency: new SqlIdempotencyRecords(query, cipher),
    audit: new SqlAuditRecords(query, transact, cipher),
    rotate: (onProgress) => rotate({ query, transact, now: () => database.now(), cipher }, onProgress),
    now: () => database.now(),
    close: () => database.close(),
    get failure() {
      return failure;
    },
  };
}
