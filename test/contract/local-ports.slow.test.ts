import { test } from '@jest/globals';
import {
  type Case,
  cases,
  createPortsSubject,
  describeContract,
  type PortsSubject,
  portCases,
  sandbox,
} from '../../src/contract/index.ts';
import {
  createPostgresSettings,
  createSqliteSettings,
  fillComplete,
  localCapabilities,
  openBesideSandbox,
} from '../support/local-adapter.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';

const server = missing === undefined ? await startPostgres() : undefined;

/** A hospital for all cases, as they would find one that is in use. */
async function start(settings: object): Promise<() => Promise<PortsSubject>> {
  const ports = await openBesideSandbox(settings);
  await fillComplete(settings, ports);
  return async () => createPortsSubject({ ports, fixtures: sandbox });
}

const concernsLocal = ({ needs, requires = [] }: Pick<Case, 'needs' | 'requires'>): boolean =>
  [needs, ...requires].some((capability) => localCapabilities.includes(capability));
const all: readonly Case[] = [...cases, ...portCases].filter(concernsLocal);

await describeContract(test, await start(createSqliteSettings()), { name: 'SQLite', cases: all, complete: true });

if (server) {
  const startInPostgres = await start(createPostgresSettings(await server.createUrl()));
  await describeContract(test, startInPostgres, { name: 'PostgreSQL', cases: all, complete: true });
} else test.skip(`PostgreSQL, skipped: ${missing}`, () => undefined);
