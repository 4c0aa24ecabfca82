import { test } from '@jest/globals';
import { cases, createPortsSubject, describeContract, portCases, sandbox } from '../../src/contract/index.ts';
import {
  concernsLocal,
  createPostgresSettings,
  createSqliteSettings,
  fillComplete,
  openBesideSandbox,
} from '../support/local-adapter.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';

const server = missing === undefined ? await startPostgres() : undefined;

/** A hospital for all cases, as they would find one that is in use. */
async function start(settings: object) {
  const ports = await openBesideSandbox(settings);
  await fillComplete(settings, ports);
  return async () => createPortsSubject({ ports, fixtures: sandbox });
}

const all = [...cases, ...portCases].filter(concernsLocal);

await describeContract(test, await start(createSqliteSettings()), { name: 'SQLite', cases: all, complete: true });

if (server) {
  const startInPostgres = await start(createPostgresSettings(await server.createUrl()));
  await describeContract(test, startInPostgres, { name: 'PostgreSQL', cases: all, complete: true });
} else test.skip(`PostgreSQL, skipped: ${missing}`, () => undefined);
