import { randomInt } from 'node:crypto';
import { jest } from '@jest/globals';
import { fhir } from '../../adapters/fhir/index.ts';
import { type Step, workOneDay } from '../dialects/day.ts';
import { describeDialects } from '../dialects/describe-dialects.ts';
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

async function workDay(settings: Readonly<Record<string, unknown>> = {}): Promise<Step[]> {
  days += 1;
  const { ports } = await createFhirAdapter(
    fhir.settings.parse({ ...hospital.settings, baseUrl: proxy.url, ...settings }),
  );
  return workOneDay(ports, { fixtures: hospital.fixtures, document: String(firstDocument + days), now });
}

describeDialects(proxy, workDay, { hasRecordsOfOthers: true });
