import { afterAll, test } from '@jest/globals';
import { cases, createHttpSubject, describeContract, type Subject, sandbox } from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import {
  catalogue,
  concernsLocal,
  createPostgresSettings,
  createSqliteSettings,
  fillComplete,
  localPorts,
  openBesideSandbox,
} from '../support/local-adapter.ts';
import { startReceiver } from '../support/otlp-receiver.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';

const server = missing === undefined ? await startPostgres() : undefined;
const collector = await startReceiver();
const folder = new ConfigFolder();
const running: RunningGateway[] = [];

afterAll(async () => {
  for (const gateway of running) await gateway.stop();
  folder.remove();
  collector.expectNoLeaks();
});

/** A gateway of the hospital in memory and the adapter, as configuration composes them. */
async function start(settings: object): Promise<() => Promise<Subject>> {
  await fillComplete(settings, await openBesideSandbox(settings));
  const config = { adapters: { local: { settings: { ...catalogue, ...settings } } }, ports: localPorts };
  const gateway = await startGateway({
    file: folder.write(`${running.length}.yaml`, JSON.stringify(config)),
    environment: { PUENTE_TRACING_URL: collector.url },
  });
  running.push(gateway);
  const { url: baseUrl, token } = gateway;
  return async () => createHttpSubject({ baseUrl, token, supports: capabilities, fixtures: sandbox });
}

const all = cases.filter(concernsLocal);

await describeContract(test, await start(createSqliteSettings()), { name: 'SQLite', cases: all, complete: true });

if (server) {
  const startInPostgres = await start(createPostgresSettings(await server.createUrl()));
  await describeContract(test, startInPostgres, { name: 'PostgreSQL', cases: all, complete: true });
} else test.skip(`PostgreSQL, skipped: ${missing}`, () => undefined);
