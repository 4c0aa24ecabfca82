import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import { findFreePort } from './free-port.ts';

const program = '/usr/sbin/mariadbd';

/** Why there is no MariaDB on this machine, and how to get it; undefined when there is. */
export const missing = existsSync(program) ? undefined : 'MariaDB is not installed (apt-get install mariadb-server)';

export interface MariadbServer {
  /** The address of a database that nobody has used yet. */
  createUrl(): Promise<string>;
}

/** Starts a server of its own on a free port of this machine; it stops after the last test of the file. */
export async function startMariadb(): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'puente-mariadb-'));
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const data = `--datadir=${join(folder, 'data')}`;
  execFileSync('mariadb-install-db', ['--no-defaults', data, ...user, '--auth-root-authentication-method=normal'], {
    stdio: 'ignore',
  });
  const port = await findFreePort();
  const socket = join(folder, 'socket');
  const options = [
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${socket}`,
    '--skip-log-bin',
    '--innodb-buffer-pool-size=32M',
  ];
  const server = spawn(program, ['--no-defaults', data, ...user, ...options], { stdio: 'ignore' });
  afterAll(async () => {
    server.kill();
    if (server.exitCode === null) await new Promise((resolve) => server.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (sql: string) =>
    execFileSync('mariadb', ['--no-defaults', `--socket=${socket}`, '-u', 'root', '-e', sql], { stdio: 'ignore' });
  let databases = 0;
  const createUrl = async () => {
    const name = `his_${databases++}`;
    run(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    return `mysql://puente:secret@127.0.0.1:${port}/${name}`;
  };
  for (let tries = 0; ; tries++) {
    try {
      run(
        "CREATE USER puente@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT ALL ON *.* TO puente@'127.0.0.1' WITH GRANT OPTION",
      );
      return { createUrl };
    } catch (error) {
      if (tries === 100) throw error;
      await wait(200);
    }
  }
}
