import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { hashToken } from '../../src/runtime/authentication.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { type PuenteProcess, runPuente, serve } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
let running: PuenteProcess | undefined;
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
});

const token = 'puente_00000001_a-token-of-a-client-of-these-tests';
const other = 'puente_00000002_another-token-of-a-client-of-these-tests';
const socket = join(folder.path, 'ops.sock');
const entry = (client: string, given: string) => ({ client, sha256: hashToken(given), scopes: 'all' });

const write = (given: readonly string[], more: object = {}) =>
  folder.write(
    'puente.yaml',
    stringify({ auth: { tokens: given.map((each, i) => entry(`client-${i}`, each)) }, ops: { socket }, ...more }),
  );
const start = async (file: string) => {
  const started = await serve({ PUENTE_CONFIG: file });
  running = started;
  return started;
};
const ask = async (url: string, given: string) =>
  (await fetch(`${url}/practitioner/`, { headers: { authorization: `Bearer ${given}` } })).status;

describe('puente reload', () => {
  test('revokes a token of the running gateway, and prints what was taken over and what needs a restart', async () => {
    const file = write([token, other]);
    const { url } = await start(file);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(await ask(url, token)).toBe(200);
    write([other], { http: { maxConnections: 77 } });
    expect(await runPuente(['reload', '--config', file])).toMatchObject({
      code: 0,
      stdout: 'reloaded: auth.tokens\nneeds a restart: http.maxConnections\n',
    });
    expect([await ask(url, token), await ask(url, other)]).toEqual([401, 200]);
    write([other], { http: { maxConnections: 'many' } });
    expect(await runPuente(['reload', '--config', file])).toMatchObject({ code: 78, stdout: '' });
    expect(await ask(url, other)).toBe(200);
  });

  test('takes no token away while the file is empty or cut, says so, and goes on by SIGHUP when it is whole', async () => {
    const file = write([token, other]);
    const text = readFileSync(file, 'utf8');
    const { url } = await start(file);
    for (const cut of ['', text.slice(0, text.indexOf('    - client: client-1'))]) {
      writeFileSync(file, cut);
      running?.signal('SIGHUP');
      await running?.waitForOutput('"configuration not reloaded"');
      expect([await ask(url, token), await ask(url, other)]).toEqual([200, 200]);
    }
    write([other]);
    expect(await runPuente(['reload', '--config', file])).toMatchObject({ code: 0, stdout: 'reloaded: auth.tokens\n' });
    expect([await ask(url, token), await ask(url, other)]).toEqual([401, 200]);
  });

  test('reads the file of the start, and keeps the tokens while this file is gone', async () => {
    const file = write([token, other]);
    const text = readFileSync(file, 'utf8');
    const started = await serve({}, { cwd: folder.path });
    running = started;
    rmSync(file);
    started.signal('SIGHUP');
    await started.waitForOutput('"configuration not reloaded"');
    expect([await ask(started.url, token), await ask(started.url, other)]).toEqual([200, 200]);
    writeFileSync(file, text);
  });

  test('says what the gateway itself could not take over, which has another environment', async () => {
    const file = write([token]);
    const { url } = await start(file);
    const auth = { tokens: [entry('a', other)], jwt: { issuer: 'https://id.invalid', audience: 'p' } };
    const introspection = { clientId: 'puente', clientSecret: 'env:CLIENT_SECRET' };
    write([], { auth: { ...auth, jwt: { ...auth.jwt, introspection } } });
    const { code, stdout, stderr } = await runPuente(['reload', '--config', file], { CLIENT_SECRET: 'a-secret' });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(
      /auth\.jwt\.introspection\.clientSecret: env:CLIENT_SECRET is not set.*\nthe gateway continues with its previous configuration\n$/,
    );
    expect(await ask(url, token)).toBe(200);
  });

  test('says so when its user may not use the socket, and when a gateway ends before it reports the outcome', async () => {
    const own = join(folder.path, 'own.sock');
    const file = write([token], { ops: { socket: own } });
    const server = createServer((_, res) => res.destroy());
    await new Promise<void>((resolve) => server.listen(own, resolve));
    try {
      expect(await runPuente(['reload', '--config', file])).toMatchObject({
        code: 1,
        stderr: `the gateway at ${own} did not report the outcome: look for \`configuration reloaded\` in its log\n`,
      });
      chmodSync(folder.path, 0o755);
      chmodSync(own, 0);
      // Permissions do not concern root.
      const leaveRoot = '--import=data:text/javascript,process.getuid()===0&&process.seteuid(65534)';
      expect(
        await runPuente(['reload', '--config', file], { NODE_OPTIONS: leaveRoot }, { compares: false }),
      ).toMatchObject({
        code: 1,
        stderr: `this user may not use ${own} (EACCES), so nothing was reloaded: run the command as the gateway’s user\n`,
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('exits with 1 when no gateway answers, and with 78 without a socket', async () => {
    const file = write([token]);
    expect(await runPuente(['reload', '--config', file])).toMatchObject({
      code: 1,
      stderr: `no gateway answers at ${socket}: nothing was reloaded\n`,
    });
    const { code, stderr } = await runPuente(['reload']);
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(/ops\.socket: is not set: .* SIGHUP/) });
  });
});

describe('a gateway with ops.socket', () => {
  test('takes the place of one that was killed, and leaves no socket behind when it ends', async () => {
    const file = write([token]);
    const killed = await start(file);
    killed.signal('SIGKILL');
    await killed.ended;
    expect(existsSync(socket)).toBe(true);
    const { ended } = await start(file);
    const second = await runPuente(['serve', '--config', file, '--port', '0']);
    expect(second).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/ops\.socket: cannot be .*EADDRINUSE\): another process listens there/),
    });
    running?.signal('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  test('does not start where a file has its place, which it leaves alone', async () => {
    const file = folder.write('taken.yaml', stringify({ ops: { socket: 'taken' } }));
    folder.write('taken', 'of somebody else');
    expect(await runPuente(['serve', '--config', file, '--port', '0'])).toMatchObject({ code: 78 });
    expect(existsSync(join(folder.path, 'taken'))).toBe(true);
    const missing = folder.write('missing.yaml', stringify({ ops: { socket: 'none/ops.sock' } }));
    const { stderr } = await runPuente(['serve', '--config', missing, '--port', '0']);
    expect(stderr).toMatch(/ops\.socket: cannot be listened on \(EACCES\): create its folder, and let/);
  });
});
