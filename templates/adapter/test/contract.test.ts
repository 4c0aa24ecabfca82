import test, { after } from 'node:test';
import { createPortsSubject, describeContract, openLine } from 'puente/contract';
import adapter from '../src/index.ts';
import { fixtures, institution } from '../support/fixtures.ts';
import { startSystem } from '../support/system.ts';

const system = await startSystem();
// It lets the system fail, and counts what is asked for one answer.
const line = await openLine(system.url, { maxRequests: 10 });
after(async () => {
  await line.close();
  system.close();
});

const start = async () =>
  createPortsSubject({ ports: await adapter.offer({ url: line.url }, institution, {}), fixtures, line });
await describeContract(test, start);
