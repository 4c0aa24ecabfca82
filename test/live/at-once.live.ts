import { randomInt } from 'node:crypto';
import { jest } from '@jest/globals';
import { fhir } from '../../adapters/fhir/index.ts';
import { describeAtOnce } from '../dialects/describe-at-once.ts';
import { createFhirAdapter } from '../support/fhir-adapter.ts';
import { seedLiveHospital } from '../support/live-gateway.ts';
import { readLiveServer } from '../support/live-server.ts';

// npm run test:live: what must exist once, created ten times at the same moment, in FHIR_LIVE_ROUNDS rounds. It leaves behind
// a hospital of its own and a few patients.
jest.setTimeout(120_000);

const { settings, fixtures } = await seedLiveHospital(readLiveServer());
let document = randomInt(60_000_000, 90_000_000);

describeAtOnce({
  async start(count) {
    const parsed = fhir.settings.parse(settings);
    const adapters = await Promise.all(Array.from({ length: count }, () => createFhirAdapter(parsed)));
    // As a gateway that starts looks at its server.
    for (const { readiness } of adapters) await readiness.report(new AbortController().signal);
    return adapters.map(({ ports }) => ports);
  },
  planId: fixtures.plans.accepted,
  makeDocument: () => String(document++),
  rounds: Number(process.env.FHIR_LIVE_ROUNDS ?? 1),
});
