import { setTimeout } from 'node:timers/promises';
import { describe } from '@jest/globals';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect } from '../support/fhir-adapter.ts';
import { both, onResources } from './changes.ts';
import { describeAtOnce } from './describe-at-once.ts';
import { type Dialect, startDialectProxy } from './proxy.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);
let document = 58_765_432;

/** Conditions that nobody heeds. */
const ignored: Dialect = { ask: ({ headers }) => void delete headers['if-none-exist'] };

let creates = 0;
/** A look for what meets the condition, and some time later a create, as R4 allows. */
const racing: Dialect = {
  async ask({ headers, path }) {
    const condition = headers['if-none-exist'];
    if (condition === undefined) return undefined;
    const found = await server.search(path as 'Patient', condition);
    await setTimeout(creates++ % 2 === 0 ? 20 : 200);
    if (found.length === 0) delete headers['if-none-exist'];
    return undefined;
  },
};

/** What is seen first was dated last: the date of a resource may be set long before others see it. */
const datedBackwards = onResources(({ meta }) => ({
  meta: { ...(meta as object), lastUpdated: turnTime((meta as { lastUpdated: string }).lastUpdated) },
}));
const turnTime = (time: string) => new Date(2 * startedAt - Date.parse(time)).toISOString();
const startedAt = Date.now();

describe.each([
  ['that ignores conditions', ignored],
  ['whose conditional creates race', racing],
  ['whose conditional creates race, and are dated otherwise than they are seen', both(racing, datedBackwards)],
])('on a server %s,', (_, dialect) => {
  describeAtOnce({
    async start(count) {
      server.reset();
      proxy.speak(dialect);
      return Promise.all(Array.from({ length: count }, async () => (await connect(proxy)).ports));
    },
    planId: toFixtures(server.ids).plans.accepted,
    makeDocument: () => String(document++),
    countPatients: async (value) => (await server.search('Patient', `identifier=${value}`)).length,
  });
});
