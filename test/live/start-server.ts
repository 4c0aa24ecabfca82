import { runPostgres } from '../support/postgres-process.ts';
import { startServer } from './kill-rounds/server.ts';

/**
 * Starts the server of the live suite where `FHIR_LIVE_COMMAND` says how, in the foreground, and ends it afterwards. With
 * `FHIR_LIVE_DATABASE=postgresql` it gets a PostgreSQL of its own, by the variables that HAPI's starter project reads and,
 * for other scripts, as `HAPI_JDBC_URL` and `HAPI_JDBC_USER`.
 */
export default async function startLiveServer(): Promise<void> {
  const { FHIR_LIVE_URL: url, FHIR_LIVE_COMMAND: command, FHIR_LIVE_DATABASE: database } = process.env;
  if (!command) return;
  if (!url) throw new Error('Say where the server of FHIR_LIVE_COMMAND answers: FHIR_LIVE_URL=http://...');
  const postgres = database === 'postgresql' ? await runPostgres() : undefined;
  if (postgres) {
    const { hostname, port, username, pathname } = new URL(await postgres.createUrl());
    const jdbc = `jdbc:postgresql://${hostname}:${port}${pathname}`;
    Object.assign(process.env, { HAPI_JDBC_URL: jdbc, HAPI_JDBC_USER: username });
    Object.assign(process.env, { SPRING_DATASOURCE_URL: jdbc, SPRING_DATASOURCE_USERNAME: username });
  }
  const server = await startServer(command, url);
  stopLiveServer = async () => {
    await server.kill();
    postgres?.stop();
  };
}

/** Ends what it has started. */
export let stopLiveServer = async (): Promise<void> => undefined;
