import type { Server } from 'node:http';
import { afterAll, afterEach, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { operations } from '../../src/api/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { cases, createHttpSubject, describeContract, sandbox, startCases } from '../../src/contract/index.ts';
import { Guard } from '../../src/guard/guard.ts';
import { createApp } from '../../src/http/app.ts';
import { createServer, listen } from '../../src/http/server.ts';
import { capabilities, type PortName, writes } from '../../src/ports/index.ts';
import { WinstonLog } from '../../src/runtime/logger.ts';
import { createGateway } from '../../src/runtime/main.ts';
import { createMemoryState } from '../../src/state/memory.ts';
import { watchAnswers } from '../support/answers.ts';
import { LeakDetector } from '../support/leak-detector.ts';
import { openSandbox } from '../support/sandbox.ts';

const token = 'puente_00000000_a-token-that-the-contract-brings-along-itself';
const loaded = readConfig({ environment: { PUENTE_TOKEN: token }, adapters });
const leakDetector = new LeakDetector();
const log = new WinstonLog({ level: 'debug', format: 'json', stream: leakDetector.log });
const supports = new Set(capabilities);
const running: Server[] = [];

/** A gateway of its own, on a hospital of its own. */
async function start() {
  const ports = openSandbox();
  const composition = {
    operations,
    supports,
    port: (name: PortName) => ports[name],
    adapters: [{ name: 'memory', readiness: undefined }],
    findOwner: () => 'memory',
    warnings: [],
    resumes: new Set(writes),
    close: async () => {},
  };
  const gateway = createGateway(
    loaded,
    composition,
    { token, generated: false },
    {
      log,
      guard: new Guard(loaded.config.guard, log),
      state: createMemoryState(),
      issuers: [],
      impairments: () => [],
      draining: () => false,
    },
  );
  const server = createServer(watchAnswers(createApp(gateway), leakDetector.hearAnswer), gateway);
  running.push(server);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  return createHttpSubject({
    baseUrl: `http://127.0.0.1:${port}`,
    token,
    supports: capabilities,
    fixtures: sandbox,
  });
}

afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
afterAll(() => leakDetector.expectNoLeaks());

await describeContract(test, start, { cases: [...startCases, ...cases], complete: true });
