import { expect, test } from '@jest/globals';
import { cases, createPortsSubject, describeContract, portCases, runCases, sandbox } from '../../src/contract/index.ts';
import { listOffered } from '../../src/ports/index.ts';
import {
  concernsLocal,
  createPostgresSettings,
  createSqliteSettings,
  fillComplete,
  openBesideSandbox,
  openLocal,
} from '../support/local-adapter.ts';
import { offeredMethods } from '../support/offered-methods.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { openSandbox } from '../support/sandbox.ts';

const server = missing === undefined ? await startPostgres() : undefined;

/** A hospital for all cases, as they would find one that is in use. */
async function start(settings: object) {
  const ports = await openBesideSandbox(settings);
  await fillComplete(settings, ports);
  return async () => createPortsSubject({ ports, fixtures: sandbox });
}

const all = [...cases, ...portCases].filter(concernsLocal);

test('the adapter offers the methods that the tests expect of it', async () => {
  const offer = await openLocal(createSqliteSettings(), openSandbox());
  expect(listOffered(offer)).toEqual(offeredMethods.local);
});

test('a database in which nothing is yet is no failure', async () => {
  const ports = await openBesideSandbox(createSqliteSettings());
  const results = await runCases(all, async () => createPortsSubject({ ports, fixtures: sandbox }));
  expect(results.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
  expect(results.filter(({ outcome }) => outcome === 'skip').map(({ id }) => id)).toEqual([
    'document.GET /patients/{id}/ticket/.answers',
    'document.GET /patients/{id}/practitioner/change_request.answers',
    'document.GET /patients/{id}/family_group.answers',
    'tickets.list.night',
    'ports.practitioners.changeRequestOf.returned',
    'ports.practitioners.changeRequestOf.aborted',
  ]);
});

await describeContract(test, await start(createSqliteSettings()), { name: 'SQLite', cases: all, complete: true });

if (server) {
  const startInPostgres = await start(createPostgresSettings(await server.createUrl()));
  await describeContract(test, startInPostgres, { name: 'PostgreSQL', cases: all, complete: true });
} else test.skip(`PostgreSQL, skipped: ${missing}`, () => undefined);
