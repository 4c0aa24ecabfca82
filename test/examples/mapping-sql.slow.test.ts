import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fixtures } from '../../examples/clinic-adapter/test/fixtures.ts';
import { operations as declared, isOffered } from '../../src/api/index.ts';
import {
  cases,
  createPortsSubject,
  describeContract,
  portCases,
  runCases,
  startCases,
} from '../../src/contract/index.ts';
import { listOffered, type Offer } from '../../src/ports/index.ts';
import { startGateway } from '../support/gateway.ts';
import { concernsMapping, makeDatabase, mappedFixtures, openMapping, writeMapping } from '../support/mapped-clinic.ts';
import { openHospital } from '../support/mapped-hospital.ts';
import { httpEdits, sqlEdits } from '../support/mapping/dangerous-edits.ts';
import { offeredMethods } from '../support/offered-methods.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const open = () => openMapping(writeMapping(makeDatabase()));

const start = async () => createPortsSubject({ ports: await open(), fixtures: mappedFixtures });

await describeContract(test, start, {
  cases: [...startCases, ...cases, ...portCases].filter(concernsMapping),
  complete: true,
});

describe('the example', () => {
  const folder = makeFolder();

  test('has a file that answers everything but what it leaves to another adapter', async () => {
    const { notes, ...offer } = await open();
    expect(listOffered(offer)).toEqual(offeredMethods.mapping);
    expect(notes).toEqual([]);
  });

  test('offers every operation that it or the adapter beside it has', async () => {
    cpSync('examples/clinic-adapter/legacy', join(folder, 'clinic-adapter/legacy'), { recursive: true });
    const filter = (name: string) => !/\.(db|key)$/.test(name);
    cpSync('examples/mapping-sql', join(folder, 'mapping-sql'), { recursive: true, filter });
    await import(join(folder, 'mapping-sql/make-clinic.mjs'));
    const file = join(folder, 'mapping-sql/puente.yaml');
    const gateway = await startGateway({ file });
    const headers = { authorization: `Bearer ${gateway.token}` };
    const answer = await (await fetch(`${gateway.url}/capabilities`, { headers })).json();
    await gateway.stop();
    const { operations } = answer as { operations: { operation: string; offered: boolean }[] };
    expect(operations).toHaveLength(declared.length);
    const methods = new Set([...offeredMethods.mapping, ...offeredMethods.local]);
    const absent = declared.filter((each) => !isOffered(each, methods)).map(({ name }) => name);
    expect(operations.filter(({ offered }) => !offered).map(({ operation }) => operation)).toEqual(absent);
  });
});

const appointments = [...cases, ...portCases].filter(
  (each) => concernsMapping(each) && each.needs === 'appointments.list',
);

const listFailed = async (ports: Offer) =>
  (await runCases(appointments, async () => createPortsSubject({ ports, fixtures }))).filter(
    ({ outcome }) => outcome === 'fail',
  );

describe('puente contract finds what puente check cannot', () => {
  test.each(sqlEdits.filter(([, , , refused]) => refused === 'contract'))('over SQL: %s', async (_, from, to) => {
    expect(await listFailed(await openMapping(writeMapping(makeDatabase())))).toEqual([]);
    const file = writeMapping(makeDatabase(), (text) => text.replace(from, to));
    expect(await listFailed(await openMapping(file))).not.toEqual([]);
  });

  test.each(httpEdits.filter(([, , , refused]) => refused === 'contract'))('over HTTP: %s', async (_, from, to) => {
    expect(await listFailed((await openHospital()).ports)).toEqual([]);
    expect(await listFailed((await openHospital((text) => text.replace(from, to))).ports)).not.toEqual([]);
  });
});
