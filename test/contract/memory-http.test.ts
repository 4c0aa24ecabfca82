import { afterAll, test } from '@jest/globals';
import {
  cases,
  createHttpSubject,
  describeContract,
  gatewayCases,
  sandbox,
  startCases,
} from '../../src/contract/index.ts';
import { capabilities, writes } from '../../src/ports/index.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { groupBCases } from '../support/group-b-cases.ts';
import { openSandbox } from '../support/sandbox.ts';

const running: RunningGateway[] = [];

/** A gateway of its own, on a hospital of its own. */
async function start() {
  const ports = openSandbox();
  const gateway = await startGateway({
    replacePort: (name) => ports[name],
    rebind: (container) =>
      container.onActivation(parts.offered, (_, offered) => ({ ...offered, retryableWrites: new Set(writes) })),
  });
  running.push(gateway);
  const { url: baseUrl, token } = gateway;
  return createHttpSubject({ baseUrl, token, supports: capabilities, fixtures: sandbox });
}

afterAll(async () => {
  for (const gateway of running) await gateway.stop();
});

await describeContract(test, start, { cases: startCases, complete: true });

// All others find one that is in use.
const subject = await start();
await describeContract(test, () => subject, { cases: [...cases, ...gatewayCases, ...groupBCases], complete: true });
