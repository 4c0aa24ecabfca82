import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { ConfigFolder } from '../support/config-file.ts';
import { findFreePort } from '../support/free-port.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { PuenteProcess, runPuente, token } from '../support/process.ts';

const server = missing === undefined ? await startPostgres() : undefined;
const folder = new ConfigFolder();
afterAll(() => folder.remove());

const key = folder.write('key', 'ab'.repeat(32));

/** A gateway whose state and tickets are in PostgreSQL. */
function writeConfig(state: string, tickets = state): string {
  const database = (name: string, url: string) => ({
    kind: 'postgres',
    url: `file:${folder.write(name, url)}`,
    encryptionKey: `file:${key}`,
  });
  return folder.write(
    'boot.yaml',
    stringify({
      state: database('state', state),
      adapters: { local: { settings: { ...database('tickets', tickets), ticketTypes: [] } } },
      ports: { tickets: { adapter: 'local' } },
    }),
  );
}

describe(`A gateway on PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  let running: PuenteProcess | undefined;
  let ports = { http: 0, ops: 0 };
  afterEach(async () => {
    running?.signal('SIGKILL');
    await running?.ended;
    running = undefined;
  });

  async function boot(file: string): Promise<PuenteProcess> {
    ports = { http: await findFreePort(), ops: await findFreePort() };
    running = new PuenteProcess(['serve', '--config', file, '--port', String(ports.http)], {
      PUENTE_TOKEN: token,
      PUENTE_LOG_FORMAT: 'json',
      PUENTE_OPS_PORT: String(ports.ops),
    });
    return running;
  }

  const ask = async (path: string, port = ports.http) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body, headers: response.headers };
  };

  test('that boots before it says so at both ports, and serves when it is there', async () => {
    const file = writeConfig(await server.createUrl(), await server.createUrl());
    await server.halt();
    const gateway = await boot(file);
    await gateway.waitForOutput('"waiting"');
    const refused = await ask('/patients/ana');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'starting', '5']);
    for (const port of [ports.http, ports.ops]) {
      expect(await ask('/livez', port)).toMatchObject({ status: 200, body: { status: 'ok' } });
      const { status, body } = await ask('/readyz', port);
      expect([status, body.status]).toEqual([503, 'starting']);
    }
    const told = JSON.stringify((await ask('/readyz', ports.ops)).body);
    expect(told).toMatch(/state\.url cannot be used \(ECONNREFUSED: connection refused/);
    expect(told).toMatch(/adapters\.local\.settings\.url cannot be used \(ECONNREFUSED/);
    expect((await ask('/readyz')).body.impairments).toEqual([{ code: 'waiting' }, { code: 'waiting' }]);
    const [line] = gateway.stdout.split('\n').filter((each) => each.includes('"waiting"'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'warn',
      cause: 'ECONNREFUSED',
      hint: expect.stringMatching(/start the database/),
    });

    await server.resume();
    await gateway.waitForOutput('"listening"');
    expect(await ask('/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect((await ask('/patients/1')).status).not.toBe(503);
    expect((await ask('/readyz', ports.ops)).body.status).toBe('ok');
    gateway.signal('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
  });

  test('that waits for a part of what it needs holds no connections of the rest', async () => {
    const url = await server.createUrl();
    const file = writeConfig(url, 'postgres://puente@127.0.0.1:1/postgres');
    const gateway = await boot(file);
    await gateway.waitForOutput('"waiting"');
    const count = async () =>
      Number(await server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'puente'"));
    while ((await count()) > 0);
    expect((await ask('/readyz')).status).toBe(503);
    gateway.signal('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
    expect(gateway.stdout).toContain('"drain completed"');
  });

  test('ends with 78 where only another setting helps, and says in words what is wrong', async () => {
    const url = await server.createUrl();
    const { code, stderr } = await runPuente(['serve', '--config', writeConfig(url.replace('/postgres?', '/none?'))]);
    expect(code).toBe(78);
    expect(stderr).toMatch(/state\.url: cannot be used \(PG_3D000: there is no such database: create it/);
    // Waiting would mend one of these, and not the other.
    const both = await runPuente([
      'serve',
      '--config',
      writeConfig('postgres://u@127.0.0.1:1/x', 'postgres://u:a/b@h/x'),
    ]);
    expect(both.code).toBe(78);
    expect(both.stderr).toMatch(/state\.url: cannot be used \(ECONNREFUSED: /);
    expect(both.stderr).toMatch(/settings\.url: cannot be used \(ERR_INVALID_URL: .*percent-encode/);
  });
});
