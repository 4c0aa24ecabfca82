import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { problemCodes } from '../../src/api/problems.ts';
import { findFreePort } from '../support/free-port.ts';
import { serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const run = promisify(execFile);
const deployed = join(import.meta.dirname, '../../deploy');
const rulesFile = join(deployed, 'prometheus/puente.rules.yml');

/** Why these tests are skipped; undefined where Debian's package `prometheus` is installed. */
function findMissing(): string | undefined {
  try {
    for (const program of ['prometheus', 'promtool']) execFileSync(program, ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no prometheus or promtool here';
  }
}

const missing = findMissing();
if (missing) process.stderr.write(`deploy/prometheus is not tried out: ${missing}\n`);
const withPrometheus = missing ? describe.skip : describe;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}
const rules: readonly Rule[] = parse(readFileSync(rulesFile, 'utf8')).groups.flatMap(
  ({ rules }: { rules: readonly Rule[] }) => rules,
);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
interface Variable {
  readonly name: string;
  readonly query: string;
  readonly allValue?: string;
}
const { panels, templating }: { panels: readonly Panel[]; templating: { list: readonly Variable[] } } = JSON.parse(
  readFileSync(join(deployed, 'grafana/puente.json'), 'utf8'),
);
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

describe('the dashboard', () => {
  test('shows one institution, or all, in each panel and in the choice of gateways', () => {
    const variables = new Map(templating.list.map((each) => [each.name, each]));
    // Series without the label, as from a single institution, are among all.
    expect(variables.get('institution')).toMatchObject({
      query: 'label_values(puente_build_info, institution)',
      allValue: '.*',
    });
    expect(variables.get('instance')?.query).toContain('{institution=~"$institution"}');
    const selectors = queries.flatMap(({ expr }) => expr.match(/\b(?:puente|nodejs|process)_\w+(?:\{[^}]*\})?/g) ?? []);
    expect(selectors.filter((each) => !each.includes('institution=~"$institution"'))).toEqual([]);
  });
});

describe('the alerts', () => {
  test('say in a sentence what is wrong, and in another what to do', () => {
    expect(rules.length).toBeGreaterThan(10);
    const sentence = /^[A-Z{].*\.$/;
    const silent = rules.filter(
      ({ annotations: { summary = '', action = '' } }) => !sentence.test(summary) || !sentence.test(action),
    );
    expect(silent.map(({ alert }) => alert)).toEqual([]);
  });

  test('name codes of problems that there are', () => {
    const codes = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/puente_http_problems_total\{code=~?"([^"]+)"/g)].flatMap(([, all]) => all?.split('|')),
    );
    expect(codes.length).toBeGreaterThan(5);
    expect(problemCodes).toEqual(expect.arrayContaining(codes));
  });

  test('have each a test in which it fires', () => {
    interface Case {
      readonly alertname: string;
      readonly exp_alerts: readonly object[];
    }
    const { tests }: { tests: readonly { alert_rule_test: readonly Case[] }[] } = parse(
      readFileSync(join(deployed, 'prometheus/puente.test.yml'), 'utf8'),
    );
    const cases = tests.flatMap((each) => each.alert_rule_test);
    const fired = cases.filter((each) => each.exp_alerts.length > 0).map(({ alertname }) => alertname);
    const silent = cases.filter((each) => each.exp_alerts.length === 0).map(({ alertname }) => alertname);
    const names = rules.map(({ alert }) => alert).toSorted();
    expect(fired.toSorted()).toEqual(names);
    // One may be silent before and after.
    expect([...new Set(silent)].toSorted()).toEqual(names);
  });
});

withPrometheus('with Prometheus', () => {
  const folder = makeFolder();

  test('each alert fires when it should', async () => {
    await run('promtool', ['test', 'rules', join(deployed, 'prometheus/puente.test.yml')]);
    await run('promtool', ['check', 'config', join(deployed, 'prometheus/prometheus.yml')]);
  });

  test('each query of the dashboard has data of a gateway, and each alert is evaluated', async () => {
    const key = join(folder, 'key');
    writeFileSync(key, '0'.repeat(64), { mode: 0o600 });
    const opsPort = await findFreePort();
    const gateway = await serve({
      PUENTE_OPS_PORT: String(opsPort),
      PUENTE_STATE_KIND: 'sqlite',
      PUENTE_STATE_FILE: join(folder, 'state.db'),
      PUENTE_STATE_ENCRYPTION_KEY: `file:${key}`,
    });
    const port = await findFreePort();
    const prometheus = startPrometheus(folder, port, opsPort);
    const asking = new AbortController();
    const traffic = keepAsking(gateway.url, asking.signal);
    try {
      const exposed = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
      const known = new Set([...exposed.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
      const used = [...queries, ...rules].flatMap(({ expr }) => expr.match(/\b(puente|nodejs|process)_\w+/g) ?? []);
      expect(used.filter((name) => !known.has(name.replace(/_(bucket|count)$/, '')))).toEqual([]);

      const lint = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
      lint.stdin.end(exposed);
      let said = '';
      for (const stream of [lint.stdout, lint.stderr]) stream.on('data', (text: Buffer) => (said += text));
      await once(lint, 'close');
      expect(said.split('\n').filter((line) => line.includes('puente_'))).toEqual([]);

      expect(queries.length).toBeGreaterThan(20);
      const end = Date.now() + 120_000;
      for (const { title, expr } of queries) {
        const query = expr.replaceAll(/\$(instance|institution)\b/g, '.*').replaceAll('$__rate_interval', '10s');
        for (let rows = 0; rows === 0; await sleep(100)) {
          if (Date.now() > end) throw new Error(`${title} has no data`);
          const { data, error } = await ask(port, `query?query=${encodeURIComponent(query)}`);
          if (error) throw new Error(`${title}: ${error}`);
          rows = data?.result.length ?? 0;
        }
      }
      const { data } = await ask(port, 'rules');
      const evaluated = data?.groups.flatMap((group) => group.rules) ?? [];
      expect(evaluated.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
      expect(evaluated.filter(({ health }) => health === 'err')).toEqual([]);
    } finally {
      asking.abort();
      await traffic;
      prometheus.kill('SIGKILL');
      gateway.signal('SIGTERM');
      await gateway.ended;
    }
  }, 240_000);
});

function startPrometheus(folder: string, port: number, target: number) {
  const config = join(folder, 'prometheus.json');
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rulesFile],
      scrape_configs: [{ job_name: 'puente', static_configs: [{ targets: [`127.0.0.1:${target}`] }] }],
    }),
  );
  const where = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
  return spawn('prometheus', [...where, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
}

interface Answer {
  readonly error?: string;
  readonly data?: {
    readonly result: readonly unknown[];
    readonly groups: readonly { readonly rules: readonly { readonly name: string; readonly health: string }[] }[];
  };
}

/** What the API of Prometheus answers, as soon as it listens, which takes it at most a minute. */
async function ask(port: number, path: string): Promise<Answer> {
  for (const end = Date.now() + 60_000; ; await sleep(100)) {
    try {
      return (await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as Answer;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** Reads that succeed and fail, and writes, so that each counter grows. */
async function keepAsking(url: string, signal: AbortSignal): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  for (let count = 1; !signal.aborted; count++) {
    const key = { 'Idempotency-Key': `key-${count}` };
    await fetch(`${url}/patients/ana`, { headers });
    await fetch(`${url}/patients/nobody`, { headers });
    await fetch(`${url}/patients/ana`, {
      method: 'PUT',
      headers: { ...headers, ...key },
      body: JSON.stringify({ phone: '+54 11 5555-0000' }),
    });
    await sleep(50);
  }
}
