import { describe, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import {
  type Case,
  cases,
  createPortsSubject,
  type PortsSubject,
  portCases,
  sandbox,
} from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { expectPass, nameCases } from '../support/contract.ts';
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
  return async () => createPortsSubject({ ports, operations, supports: capabilities, fixtures: sandbox });
}

const concernsLocal = ({ needs, requires = [] }: Pick<Case, 'needs' | 'requires'>): boolean =>
  [needs, ...requires].some((capability) => localCapabilities.includes(capability));
const all: readonly Case<PortsSubject>[] = [...cases, ...portCases].filter(concernsLocal);

const inSqlite = await start(createSqliteSettings());
const inPostgres = server && (await start(createPostgresSettings(await server.createUrl())));

describe('the local adapter keeps the contract in SQLite, beside the hospital in memory', () => {
  test.each(nameCases(all))('%s: %s', (_id, _title, one) => expectPass(one, inSqlite));
});

describe(`the local adapter keeps the contract in PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!inPostgres) return void test.skip('beside the hospital in memory', () => undefined);
  test.each(nameCases(all))('%s: %s', (_id, _title, one) => expectPass(one, inPostgres));
});
