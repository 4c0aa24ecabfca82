import { test } from '@jest/globals';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { readRandomPages } from '../../../support/random-pages.ts';

const { server } = await startHospital();

test.each([hapi, medplum])('the pages of a list have every row once, on $software', async (preset) => {
  server.reset(preset);
  await readRandomPages({ baseUrl: server.url }, 60);
});
