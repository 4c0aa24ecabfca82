import { describe } from '@jest/globals';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect } from '../support/fhir-adapter.ts';
import { describeAtOnce } from './describe-at-once.ts';
import { startDialectProxy } from './proxy.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);
let document = 58_765_432;

describe('on a server whose conditional creates race,', () => {
  describeAtOnce({
    async start(count) {
      server.reset();
      // Conditional creates that do not see each other, as R4 allows: a create is executed while another one is.
      proxy.speak({ ask: ({ headers }) => void delete headers['if-none-exist'] });
      return Promise.all(Array.from({ length: count }, async () => (await connect(proxy)).ports));
    },
    planId: toFixtures(server.ids).plans.accepted,
    makeDocument: () => String(document++),
    countPatients: async (value) => (await server.search('Patient', `identifier=${value}`)).length,
  });
});
