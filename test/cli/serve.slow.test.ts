import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { findFreePort } from '../support/free-port.ts';
import { listen } from '../support/listen.ts';
import { PuenteProcess, runPuente, serve, token } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
let running: PuenteProcess | undefined;

afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
});

const sh = promisify(execFile);

describe('puente serve', () => {
  test('greets with an address, the documentation, a token and commands that answer when pasted', async () => {
    running = new PuenteProcess(['serve', '--port', '0'], { PUENTE_LOG_FORMAT: 'pretty' });
    await running.waitForOutput('listening');
    const { stdout } = running;
    expect(stdout).toMatch(/Documentation +http:\/\/127\.0\.0\.1:\d+\/docs\n/);
    const all = operations.length;
    expect(stdout).toMatch(new RegExp(`Adapter +memory \\(offers ${all} of ${all} operations\\)\n`));
    expect(stdout).toMatch(
      /Token +puente_[0-9a-f]{8}_[A-Za-z0-9_-]{43} {2}\(generated for this run, not shown again\)\n/,
    );
    const [commands = ''] = /^ *export TOKEN=\S+ PUENTE_URL=\S+\n *curl .*$/m.exec(stdout) ?? [];
    expect(Object.keys(JSON.parse((await sh('sh', ['-c', commands])).stdout))).toEqual(['practitioner']);
  });

  test('keeps the standard output for JSON when that is the format', async () => {
    running = new PuenteProcess(['serve', '--port', '0']);
    await running.waitForOutput('listening');
    expect(
      running.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['listening']);
    running.signal('SIGTERM');
    expect((await running.ended).stderr).toContain('Documentation');
  });

  test('makes no token when one is given, and does not print that one', async () => {
    running = await serve();
    expect(running.stdout + running.stderr).not.toContain(token);
    expect(running.stderr).not.toContain('puente_');
    expect(running.stderr).toContain('curl -s -H "Authorization: Bearer $PUENTE_TOKEN" http');
  });

  test('warns at every start when Group A is open', async () => {
    running = await serve({ PUENTE_AUTH_GROUP_A: 'none', PUENTE_AUTH_ALLOW_ANONYMOUS_GROUP_A: 'true' });
    running.signal('SIGTERM');
    expect((await running.ended).stderr).toContain(
      'warning: PUENTE_AUTH_GROUP_A: Group A accepts requests without a token',
    );
  });

  test('warns at every start of a certificate that has ended', async () => {
    const ca = folder.write('ended.pem', makeCertificate({ days: -1 }).cert);
    const jwt = { PUENTE_AUTH_JWT_ISSUER: 'https://id.invalid', PUENTE_AUTH_JWT_AUDIENCE: 'puente' };
    running = await serve({ ...jwt, PUENTE_AUTH_JWT_CA: ca });
    running.signal('SIGTERM');
    expect((await running.ended).stderr).toMatch(
      /^warning: PUENTE_AUTH_JWT_CA: a certificate in .*ended\.pem ended on 20.*; renew it/m,
    );
  });

  test('does not start in production without a token, and exits with 78', async () => {
    const environment = { NODE_ENV: 'production', PUENTE_ADAPTER_SETTINGS_SANDBOX: 'false' };
    const { code, stdout, stderr } = await runPuente(['serve'], environment);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/^config\/default\.yaml:\d+ auth\.tokens: is missing in production: .*\n$/);
  });

  test('says in one line that the port is taken, and how to choose another', async () => {
    const port = await listen(createServer());
    const { code, stdout, stderr } = await runPuente(['serve', '--port', String(port)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `port ${port} on 127.0.0.1 is in use: stop the other program, or choose another port with --port or PUENTE_PORT\n`,
    );
  });

  test('says of the port or the address of the probes how to choose another', async () => {
    const port = await listen(createServer());
    const ops = { PUENTE_OPS_PORT: String(port) };
    const { code, stderr } = await runPuente(['serve', '--port', '0'], ops);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `port ${port} on 127.0.0.1 is in use: stop the other program, or choose another port with PUENTE_OPS_PORT\n`,
    });
    const foreign = await runPuente(['serve', '--port', '0'], { PUENTE_OPS_PORT: '0', PUENTE_OPS_HOST: '192.0.2.1' });
    expect(foreign.stderr).toBe('192.0.2.1 is not an address of this machine: set ops.host to one, e.g. 127.0.0.1\n');
  });

  test('F34 says in one line that its state cannot be kept where it may not write, and exits with 78', async () => {
    const { code, stdout, stderr } = await runPuente(['serve', '--port', '0'], {
      PUENTE_STATE_KIND: 'sqlite',
      PUENTE_STATE_FILE: '/proc/nowhere/state.db',
      PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
      STATE_KEY: 'ab'.repeat(32),
    });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/^PUENTE_STATE_FILE: .+\n$/);
  });

  test('answers probes on a port of their own until it ends', async () => {
    const port = await findFreePort();
    running = await serve({ PUENTE_OPS_PORT: String(port), PUENTE_SHUTDOWN_DRAIN_DELAY: '400' });
    const getReadiness = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
    expect(await getReadiness()).toEqual({ status: 'ok' });
    running.signal('SIGTERM');
    await running.waitForOutput('drain started');
    expect(await getReadiness()).toEqual({ status: 'draining' });
    expect((await running.ended).code).toBe(0);
  });

  const fault = "process.on('SIGUSR2', () => { throw new TypeError('Ana 31465466'); })";
  const faultOnSignal = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fault)}"` };

  test('stops as it began to, with 0, when a fault that nobody caught comes in between', async () => {
    const gateway = await serve({ ...faultOnSignal, PUENTE_SHUTDOWN_DRAIN_DELAY: '500' });
    running = gateway;
    running.signal('SIGTERM');
    await running.waitForOutput('drain started');
    running.signal('SIGUSR2');
    await running.waitForOutput('unhandled error');
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout.match(/"event":"drain \w+"/g)).toEqual(['"event":"drain started"', '"event":"drain completed"']);
  });

  test('serves on when nobody reads its log any more, says so at /readyz, and stops as ever', async () => {
    const gateway = await serve();
    running = gateway;
    running.stopReading();
    const get = async (path: string) => {
      const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, body: await response.json() };
    };
    for (let i = 0; i < 3; i++) expect(await get('/patients/ana')).toMatchObject({ status: 200 });
    expect(await get('/readyz')).toMatchObject({
      status: 200,
      body: { status: 'impaired', impairments: [{ code: 'log_unavailable' }] },
    });
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });

  test('serves on after a fault that it cannot tell to anybody', async () => {
    const gateway = await serve(faultOnSignal);
    running = gateway;
    running.stopReading();
    running.signal('SIGUSR2');
    const getReadiness = async () => (await fetch(`${gateway.url}/readyz`)).text();
    while (!(await getReadiness()).includes('log_unavailable')) await sleep(10);
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });
});
