import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startFhirServer } from '../../fhir-server/server.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { changeAll, keepOf, sandboxBundle } from '../../support/fhir-sandbox.ts';
import { wait } from '../../support/guarded-gateway.ts';
import { PuenteProcess } from '../../support/process.ts';

const server = await startFhirServer();
const folder = new ConfigFolder();
const file = join(folder.path, 'small.json');
writeFileSync(file, JSON.stringify(keepOf(sandboxBundle, { Patient: [], Schedule: [] })));

beforeEach(() => server.reset());
afterAll(async () => {
  folder.remove();
  await server.stop();
});

const config = folder.write(
  'puente.yaml',
  JSON.stringify({ adapter: { name: 'fhir', settings: { baseUrl: server.url } } }),
);
const start = (bundle = file) =>
  new PuenteProcess(['seed-fhir', '--config', config, '--bundle', bundle, '--days', '1']);

describe('puente seed-fhir', () => {
  test('shows each step when it begins, and says after Ctrl-C at which it was and what to do', async () => {
    let held = 0;
    server.quirks.fault = ({ body }) => {
      if (!body?.includes('"InsurancePlan"')) return undefined;
      held += 1;
      return { commits: false, answer: 'hang' };
    };
    const running = start();
    await wait(() => held > 0);
    running.signal('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const lines = stripVTControlCharacters(stderr).trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^Organization: \d+$/),
      expect.stringMatching(/^InsurancePlan: \d+$/),
      'failed at InsurancePlan: interrupted. Run it again: it continues where it stopped.',
    ]);
  });

  const some = keepOf(sandboxBundle, { Patient: ['ana'], Schedule: ['paz-central'], Appointment: ['turno-ana-1'] });
  const changed = (type: string, change: object) =>
    JSON.stringify(changeAll(some, ({ resourceType }) => (resourceType === type ? change : {})));
  test.each([
    ['no JSON', 'hospital', 'is not a file with a bundle of resources that have ids'],
    ['no bundle', '{"resourceType":"Patient"}', 'is not a file with a bundle of resources that have ids'],
    [
      'hours without days',
      changed('Slot', { start: '09:00' }),
      'the start of Slot/paz-central must be {DAYS hh:mm-hh:mm/MINUTES}',
    ],
    [
      'an appointment in no slot',
      changed('Appointment', { slot: [{ reference: 'Slot/x' }] }),
      'an Appointment refers to a missing Slot',
    ],
    [
      'a patient of nobody',
      changed('Patient', { managingOrganization: { reference: 'Organization/x' } }),
      'a reference to Organization has no earlier target',
    ],
  ])('says what is wrong with a bundle of its own: %s', async (_, text, problem) => {
    const own = folder.write('own.json', text);
    const { code, stdout, stderr } = await start(own).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stripVTControlCharacters(stderr)).toMatch(/^failed.*$/m);
    expect(stderr).toContain(problem);
  });
});
