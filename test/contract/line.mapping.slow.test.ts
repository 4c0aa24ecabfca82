import { afterAll, expect, test } from '@jest/globals';
import { fixtures } from '../../examples/clinic-adapter/test/fixtures.ts';
import { lineCases } from '../../src/contract/cases/line.ts';
import { createPortsSubject, openLine, outageCases, runCases } from '../../src/contract/index.ts';
import { openMapping } from '../support/mapped-clinic.ts';
import { runSigho, writeHospitalMapping } from '../support/mapped-hospital.ts';

const sigho = await runSigho();
const line = await openLine(sigho.url);
afterAll(() => line.close());

/** A mapping that has read nothing yet, and is in no session. */
const start = async () =>
  createPortsSubject({ ports: await openMapping(writeHospitalMapping(line.url)), fixtures, line });

const listFailed = (results: Awaited<ReturnType<typeof runCases>>) =>
  results.filter(({ outcome }) => outcome === 'fail').map(({ id, reason }) => `${id}: ${reason}`);

test('a mapping file over HTTP takes no broken response and no JSON of another form for data', async () => {
  const results = await runCases(
    outageCases.filter(({ id }) => id.endsWith('.outage')),
    start,
  );
  expect(listFailed(results)).toEqual([]);
  expect(results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(20);
});

test('a mapping file over HTTP shares its session, logs in again, heeds refusals, and keeps nothing', async () => {
  const results = await runCases(lineCases, start);
  expect(listFailed(results)).toEqual([]);
  const passed = results.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id);
  expect(passed.filter((id) => id.endsWith('.logout')).length).toBeGreaterThan(5);
  expect(passed.filter((id) => id.endsWith('.refused')).length).toBeGreaterThan(5);
});
