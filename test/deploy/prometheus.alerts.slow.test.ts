import { execFileSync, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { findFreePort } from '../support/free-port.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const root = join(import.meta.dirname, '../..');
const folder = makeFolder();
const greedy = 'token-of-a-client-that-asks-for-too-much';

/** Why this is skipped; undefined where Prometheus and PostgreSQL are installed. */
function findMissing(): string | undefined {
  try {
    execFileSync('prometheus', ['--version'], { stdio: 'ignore' });
    return missing;
  } catch {
    return 'there is no prometheus here';
  }
}

/** The rules as they are, but for shorter times: nobody waits ten minutes here. */
const rules = readFileSync(join(root, 'deploy/prometheus/puente.rules.yml'), 'utf8');
const hasty = rules
  .replaceAll(/\bfor: \d+m/g, 'for: 1s')
  .replaceAll(/\[\d+[mh]\]/g, '[10s]')
  .replaceAll('offset 15m', 'offset 10s');
const names: readonly string[] = parse(rules).groups[0].rules.map(({ alert }: { alert: string }) => alert);

const skipped = findMissing();
const run = skipped === undefined ? test : test.skip;
const server = skipped === undefined ? await startPostgres() : undefined;

run(
  'each alert fires on a gateway to which that happens',
  async () => {
    expect(hasty).not.toMatch(/\d+[mh]\b(?!s)/);
    if (!server) throw new Error('it is skipped without PostgreSQL');
    const url = await server.createUrl();
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const opsPort = await findFreePort();
    const config = write(
      'puente.yaml',
      stringify({
        ops: { port: opsPort },
        adapter: { module: join(root, 'test/deploy/faulty-adapter.ts') },
        auth: { tokens: [{ client: 'greedy', sha256: hash('sha256', greedy), scopes: 'all' }] },
        limits: { clients: { patientSearch: { requests: 1, seconds: 60 } } },
        state: {
          kind: 'postgres',
          url: `file:${write('url', url)}`,
          encryptionKey: `file:${write('key', 'ab'.repeat(32))}`,
        },
        audit: { chain: 'one' },
      }),
    );
    const shifted = {
      NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/support/shifted-clock.ts')).href}`,
      SHIFTED_CLOCK: write('shift', '60000'),
    };
    const start = () => serve({ PUENTE_CONFIG: config, ...shifted }, { compares: false });
    const killed = await start();
    const ask = async (path: string, by = token, method = 'GET', headers: object = {}) => {
      const all = { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json', ...headers };
      const body = method === 'GET' ? null : JSON.stringify({ phone: '1' });
      const answer = await fetch(`${gateway.url}${path}`, { method, headers: all, body }).catch(() => undefined);
      await answer?.arrayBuffer();
    };
    let gateway = killed;
    // So that the process has a record, and no end in its chain.
    await ask('/patients/down');
    await sleep(500);
    killed.signal('SIGKILL');
    await killed.ended;
    gateway = await start();

    const port = await findFreePort();
    const unused = await findFreePort();
    const prometheus = spawn(
      'prometheus',
      [
        `--config.file=${write(
          'prometheus.json',
          JSON.stringify({
            global: { scrape_interval: '1s', evaluation_interval: '1s' },
            rule_files: [write('rules.yml', hasty)],
            scrape_configs: [
              { job_name: 'puente', static_configs: [{ targets: [`127.0.0.1:${opsPort}`, `127.0.0.1:${unused}`] }] },
            ],
          }),
        )}`,
        `--storage.tsdb.path=${join(folder, 'tsdb')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const over = new AbortController();
    /** Does it again and again, some at the same time, until the test is over. */
    const repeat = (pause: number, atOnce: number, work: (count: number) => Promise<void>) =>
      Array.from({ length: atOnce }, async (_, i) => {
        for (let count = i; !over.signal.aborted; count += atOnce) {
          await work(count);
          await sleep(pause);
        }
      });
    // The keys of writes wait for a table that is locked, and then for a connection.
    const unlock = await server.lock(url, 'puente_idempotency', 'ACCESS EXCLUSIVE');
    const traffic = [
      ...['bug', 'down', 'full', ...Array<string>(8).fill('slow')].flatMap((id) =>
        repeat(200, 1, () => ask(`/patients/${id}`, greedy)),
      ),
      ...repeat(200, 1, () => ask('/patients/busy')),
      ...repeat(200, 1, () => ask('/health_insurance_carriers/')),
      ...repeat(200, 1, () => ask('/practitioner/')),
      ...repeat(200, 1, () => ask('/patients/search?identifier_type=DNI&identifier=1', greedy)),
      ...repeat(200, 1, () => ask('/patients/ana', token, 'PUT')),
      ...repeat(50, 1, (count) => ask('/patients/ana', `token-of-nobody-${count}`)),
      ...repeat(20, 14, (count) => ask('/patients/ana', greedy, 'PUT', { 'Idempotency-Key': `key-${count}` })),
    ];
    const fired = new Set<string>();
    try {
      for (const end = Date.now() + 200_000; fired.size < names.length && Date.now() < end; await sleep(500)) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => undefined);
        const { data } = ((await answer?.json().catch(() => undefined)) ?? { data: { alerts: [] } }) as {
          data: { alerts: readonly { state: string; labels: { alertname: string } }[] };
        };
        for (const { state, labels } of data.alerts) if (state === 'firing') fired.add(labels.alertname);
      }
      expect([...fired].toSorted()).toEqual(names.toSorted());
    } finally {
      over.abort();
      await unlock().catch(() => undefined);
      await Promise.all(traffic);
      prometheus.kill('SIGKILL');
      gateway.signal('SIGKILL');
      await gateway.ended;
    }
  },
  240_000,
);
