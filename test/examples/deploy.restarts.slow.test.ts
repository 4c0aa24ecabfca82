import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { ConfigFolder } from '../support/config-file.ts';
import { findFreePort } from '../support/free-port.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { PuenteProcess, runPuente, token } from '../support/process.ts';
import { findMissing, HOST, type Ports, proxies, type RunningProxy, startProxy } from '../support/proxies.ts';
import { type Broken, SteadyLoad } from '../support/steady-load.ts';

const server = missing === undefined ? await startPostgres() : undefined;
const folder = new ConfigFolder();
afterAll(() => folder.remove());

const key = folder.write('key', 'ab'.repeat(32));

/** As docs/how-to/deploy.md has it. The deadlines are those of a machine that is busy with something else. */
function writeConfig(url: string): string {
  const database = { kind: 'postgres', url: `file:${folder.write('url', url)}`, encryptionKey: `file:${key}` };
  return folder.write(
    'puente.yaml',
    stringify({
      http: { trustedProxies: ['127.0.0.1'], readDeadline: 40_000, writeDeadline: 40_000 },
      shutdown: { drainDelay: 5_000 },
      state: database,
      adapters: {
        local: { settings: { ...database, ticketTypes: [{ id: 'consulta', title: 'Consulta', fields: [] }] } },
      },
      ports: { tickets: { adapter: 'local' } },
    }),
  );
}

const json = { 'Content-Type': 'application/json' };
const steps = [
  { method: 'GET', path: '/patients/ana', status: 200 },
  { method: 'PUT', path: '/patients/ana', status: 200, headers: () => json, body: '{"phone":"+54 9 11 5555-0142"}' },
  {
    method: 'POST',
    path: '/patients/ana/ticket_type/consulta/ticket',
    status: 201,
    headers: () => ({ ...json, 'Idempotency-Key': randomUUID() }),
    body: '{"observations":"Gracias","fields":[]}',
  },
];
/** What a gateway says of a database that a busy machine lets wait: no fault of a restart. */
const late = /"cause":"(connect_timeout|pool_busy|statement_timeout|PG_57014)"/;
/** Of the steps, the one whose successes PostgreSQL holds. */
const TICKETS = 2;

describe.each(proxies)('Two gateways behind examples/deploy/$file', (proxy) => {
  const reason = missing ?? findMissing(proxy);
  if (!server || reason !== undefined) return void test.skip(`are skipped: ${reason}`, () => undefined);

  const gateways = new Map<Ports, PuenteProcess>();
  let running: RunningProxy | undefined;
  let load: SteadyLoad | undefined;
  let booted: PuenteProcess[] = [];

  afterEach(async () => {
    await load?.stop();
    await running?.stop();
    for (const gateway of gateways.values()) gateway.signal('SIGKILL');
    await Promise.all(gateways.values().map(({ ended }) => ended));
    gateways.clear();
    booted = [];
  });

  function boot(ports: Ports, file: string): PuenteProcess {
    const args = ['serve', '--config', file, '--port', String(ports.http)];
    const environment = { PUENTE_TOKEN: token, PUENTE_LOG_FORMAT: 'json', PUENTE_OPS_PORT: String(ports.ops) };
    const gateway = new PuenteProcess(args, environment, { compares: false });
    gateways.set(ports, gateway);
    booted.push(gateway);
    return gateway;
  }

  async function shutDown(ports: Ports): Promise<void> {
    const gateway = gateways.get(ports);
    gateway?.signal('SIGTERM');
    expect([(await gateway?.ended)?.code, gateway?.stdout.includes('"drain completed"')]).toEqual([0, true]);
  }

  /** Both gateways, the proxy and the callers, who get what they ask for. */
  async function start() {
    const url = await server!.createUrl();
    const file = writeConfig(url);
    const both: readonly Ports[] = [
      { http: await findFreePort(), ops: await findFreePort() },
      { http: await findFreePort(), ops: await findFreePort() },
    ];
    await Promise.all(both.map((ports) => boot(ports, file).waitForOutput('"listening"')));
    running = await startProxy(proxy, folder.path, both);
    const { port, ca } = running;
    const headers = { Host: HOST, Authorization: `Bearer ${token}` };
    load = new SteadyLoad({ host: '127.0.0.1', port, servername: HOST, ca, headers }, steps);
    await load.flow();
    return { both, file, load, url, before: load.broken.length };
  }

  /** Each ticket whose caller got a 201 is there once, and at most those besides of which callers heard nothing. */
  async function expectTickets(url: string, { done, broken }: SteadyLoad): Promise<void> {
    const [schema] = /test_\d+/.exec(url) ?? [];
    const filed = Number(await server!.sql(`SELECT count(*) FROM ${schema}.puente_local_tickets`));
    expect(filed).toBeGreaterThanOrEqual(done[TICKETS]!);
    expect(filed).toBeLessThanOrEqual(
      done[TICKETS]! + broken.filter(({ request }) => request.endsWith('/ticket')).length,
    );
  }

  /** Those of the audit trail, of which each gateway has one and goes on with it. */
  async function expectChains(file: string): Promise<void> {
    const { code, stdout, stderr } = await runPuente(['audit', 'verify', '--config', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const chains = stdout.split('\n').filter((line) => line.startsWith('ok'));
    expect(stdout).not.toContain('wrong');
    expect(chains.filter((line) => !/: [1-9]\d* records up to \d+$/.test(line))).toEqual([]);
    expect(chains).toHaveLength(gateways.size);
  }

  test('are started again one after another, and nobody notices', async () => {
    const { both, file, load, url, before } = await start();
    for (const ports of both) {
      await shutDown(ports);
      const gateway = boot(ports, file);
      await gateway.waitForOutput('"listening"');
      // The proxy sends to it again.
      await gateway.waitForOutput('"request"');
    }
    await load.flow();
    await load.stop();
    const lines = booted.flatMap(({ stdout }) => stdout.split('\n')).filter((line) => late.test(line));
    const isLate = ({ requestId }: Broken) =>
      requestId !== undefined && lines.some((line) => line.includes(`"requestId":"${requestId}"`));
    expect(load.broken.slice(before).filter((each) => !isLate(each))).toEqual([]);
    await expectTickets(url, load);
    await expectChains(file);
  });

  if (proxy.program !== 'haproxy') return;

  test('come back by themselves when PostgreSQL does, whichever was there first', async () => {
    const { both, file, load, url } = await start();
    await server.restart();
    await load.flow();

    const [first] = both;
    await shutDown(first!);
    await server.halt();
    const early = boot(first!, file);
    await early.waitForOutput('"waiting"');
    await server.resume();
    await early.waitForOutput('"request"');
    await load.flow();
    await load.stop();
    await expectTickets(url, load);
    await expectChains(file);
  });
});
