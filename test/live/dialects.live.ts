import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { fhir } from '../../adapters/fhir/index.ts';
import { compareDays, type Step, workOneDay } from '../dialects/day.ts';
import { dialects } from '../dialects/dialects.ts';
import { startDialectProxy } from '../dialects/proxy.ts';
import { createFhirAdapter } from '../support/fhir-adapter.ts';
import { seedLiveHospital } from '../support/live-gateway.ts';
import { readLiveServer } from '../support/live-server.ts';

// npm run test:live: a day's work through a proxy that speaks each dialect, before a server of somebody else. It leaves
// behind a hospital of its own and a patient for each day.
jest.setTimeout(600_000);

const live = readLiveServer();
const hospital = await seedLiveHospital(live);
const proxy = await startDialectProxy(live.baseUrl);
const now = new Date().toISOString();
const firstDocument = randomInt(10_000_000, 40_000_000);
let days = 0;

async function workDay(): Promise<Step[]> {
  days += 1;
  const { ports } = await createFhirAdapter(fhir.settings.parse({ ...hospital.settings, baseUrl: proxy.url }));
  return workOneDay(ports, { fixtures: hospital.fixtures, document: String(firstDocument + days), now });
}

let usual: readonly Step[] = [];

beforeAll(async () => {
  usual = await workDay();
});

test('a day of work has 38 calls, and all but the second booking of a slot succeed', () => {
  expect(usual).toHaveLength(38);
  expect(usual.filter(({ status }) => status > 201).map(({ name, status }) => [name, status])).toEqual([
    ['bookAppointment', 409],
  ]);
});

describe('a day of work is the same on a server that speaks with', () => {
  test.each(Object.entries(dialects))('%s', async (_, { create, mayDiffer }) => {
    proxy.speak(create());
    expect(compareDays(usual, await workDay(), mayDiffer)).toEqual([]);
    expect(proxy.asked.length).toBeGreaterThan(38);
  });
});
