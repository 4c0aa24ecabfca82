import { test } from '@jest/globals';
import { medplum } from '../fhir-server/quirks.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { bookOffersOfGroupA, publishOddSlots } from './odd-slots.ts';
import { readRandomPages } from './random-pages.ts';

const { server } = await startHospital();
test('a live suite passes behind a login, on ids that are UUIDs', async () => {
  server.reset(medplum);
  server.quirks.auth = { kind: 'bearer', token: 'let-me-in' };
  process.env.ZZ_TOKEN = 'let-me-in';
  const live = { baseUrl: server.url, auth: { kind: 'bearer', token: 'env:ZZ_TOKEN' } };
  const slots = await publishOddSlots(live);
  await bookOffersOfGroupA(slots).finally(() => slots.gateway.stop());
  await readRandomPages(live, 20);
});
