import { afterAll } from '@jest/globals';
import { type PostgresServer, runPostgres } from './postgres-process.ts';

export { missing } from './postgres-process.ts';

/** Starts a server of its own on a free port of this machine; it stops after the last test of the file. */
export async function startPostgres(): Promise<PostgresServer> {
  const { stop, ...server } = await runPostgres();
  afterAll(stop);
  return server;
}
