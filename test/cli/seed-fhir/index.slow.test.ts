import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findBundledWorld, readWorld } from '../../../adapters/memory/world-file.ts';
import { startFhirServer } from '../../fhir-server/server.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { wait } from '../../support/guarded-gateway.ts';
import { PuenteProcess } from '../../support/process.ts';

const server = await startFhirServer();
const folder = new ConfigFolder();
const world = readWorld(findBundledWorld());
const file = join(folder.path, 'small.json');
writeFileSync(
  file,
  JSON.stringify({
    ...world,
    schedules: [],
    patients: [],
    coverages: [],
    familyMembers: [],
    tickets: [],
    changeRequests: [],
    appointments: [],
  }),
);

beforeEach(() => server.reset());
afterAll(async () => {
  folder.remove();
  await server.stop();
});

const start = () => new PuenteProcess(['seed-fhir', '--base-url', server.url, '--world', file, '--days', '1']);

describe('puente seed-fhir', () => {
  test('shows each step when it is done, and says after Ctrl-C at which it was and what to do', async () => {
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
      expect.stringMatching(/^institutions (\d+)\/\1$/),
      expect.stringMatching(/^carriers (\d+)\/\1$/),
      expect.stringMatching(/^plans 0\/\d+$/),
      'failed at plans: interrupted. Run it again: it continues where it stopped.',
    ]);
  });
});
