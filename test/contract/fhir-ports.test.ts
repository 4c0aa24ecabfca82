import { describe, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { type Case, cases, createPortsSubject, portCases, startCases } from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { expectPass, nameCases } from '../support/contract.ts';
import { connect } from '../support/fhir-adapter.ts';

const { server } = await startHospital();

/** Every case finds the hospital as it was at the start, and an adapter that knows nothing yet. */
async function start() {
  server.reset();
  const { ports } = await connect(server);
  return createPortsSubject({ ports, operations, supports: capabilities, fixtures: toFixtures(server.ids) });
}

type Here = Case<Awaited<ReturnType<typeof start>>>;
const all: readonly Here[] = [...startCases, ...cases, ...portCases];

describe('the FHIR adapter keeps the contract in process', () => {
  test.each(nameCases(all))('%s: %s', (_id, _title, one) => expectPass(one, start));
});
