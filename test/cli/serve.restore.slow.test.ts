import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { ConfigFolder } from '../support/config-file.ts';
import { findFreePort } from '../support/free-port.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { PuenteProcess, runPuente, token } from '../support/process.ts';

const server = missing === undefined ? await startPostgres() : undefined;
const folder = new ConfigFolder();
afterAll(() => folder.remove());

describe(`The state in PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  const [bin = ''] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
  const run = (program: string, ...given: string[]) => execFileSync(join(bin, program), given, { stdio: 'pipe' });
  let running: PuenteProcess | undefined;
  afterEach(async () => {
    running?.signal('SIGKILL');
    await running?.ended;
  });

  test('is restored as docs/how-to/deploy.md says, and a gateway that starts meanwhile waits', async () => {
    const address = new URL(await server.createUrl());
    const urlOf = (database: string) => Object.assign(new URL(address), { pathname: database, search: '' }).href;
    await server.sql('CREATE DATABASE puente_state');
    const config = folder.write(
      'puente.yaml',
      stringify({
        state: {
          kind: 'postgres',
          url: `file:${folder.write('url', urlOf('puente_state'))}`,
          encryptionKey: `file:${folder.write('key', 'ab'.repeat(32))}`,
        },
        audit: { chain: 'one' },
      }),
    );
    const port = await findFreePort();
    const start = () =>
      new PuenteProcess(['serve', '--config', config, '--port', String(port)], {
        PUENTE_TOKEN: token,
        PUENTE_LOG_FORMAT: 'json',
      });
    const write = async (phone: string) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ phone });
      return (await fetch(`http://127.0.0.1:${port}/patients/ana`, { method: 'PUT', headers, body })).status;
    };
    const verify = (...given: string[]) => runPuente(['audit', 'verify', '--config', config, ...given]);
    const stop = async () => {
      running?.signal('SIGTERM');
      expect((await running?.ended)?.code).toBe(0);
    };

    running = start();
    await running.waitForOutput('"listening"');
    expect(await write('+54 11 5555-0001')).toBe(200);
    const dump = join(folder.path, 'puente.dump');
    run('pg_dump', '--format=custom', '--file', dump, urlOf('puente_state'));
    expect(await write('+54 11 5555-0002')).toBe(200);
    await stop();
    const before = folder.write('before.txt', (await verify()).stdout);

    await server.sql('ALTER DATABASE puente_state ALLOW_CONNECTIONS false');
    running = start();
    await running.waitForOutput('"waiting"');
    expect(running.stdout).toMatch(/"cause":"PG_55000","hint":"the database currently accepts no connections/);
    expect(await write('+54 11 5555-0003')).toBe(503);

    await server.sql('CREATE DATABASE puente_restored');
    run('pg_restore', '--dbname', urlOf('puente_restored'), dump);
    const swap = ['puente_state RENAME TO puente_before', 'puente_restored RENAME TO puente_state'];
    const swapping = swap.flatMap((change) => ['-c', `ALTER DATABASE ${change}`]);
    // At no moment is there no database of this name.
    run('psql', urlOf('postgres'), '--single-transaction', ...swapping);
    await running.waitForOutput('"listening"');
    expect(await write('+54 11 5555-0004')).toBe(200);
    await stop();

    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok +one: \d+ records/) });
    expect(await verify('--since', before)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^wrong one: /) });
  });
});
