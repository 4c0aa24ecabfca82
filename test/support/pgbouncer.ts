import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import pg from 'pg';
import { findFreePort } from './free-port.ts';
import { findPostgresUser } from './postgres-process.ts';
import * as postgres from './postgres-server.ts';

const program = '/usr/sbin/pgbouncer';

/** Why there is no PgBouncer on this machine, and how to get it; undefined when there is. */
export const missing =
  postgres.missing ?? (existsSync(program) ? undefined : 'PgBouncer is not installed (apt-get install pgbouncer)');

export type PoolMode = 'session' | 'transaction';

/**
 * PostgreSQL behind PgBouncer, as Debian configures it but for the way in; both stop after the last test of the file.
 * @param size connections to PostgreSQL, which all clients share.
 */
export async function startPgbouncer(mode: PoolMode, size = 2) {
  const server = await postgres.startPostgres();
  const { port: behind } = new URL(await server.createUrl());
  const folder = mkdtempSync(join(tmpdir(), 'puente-pgbouncer-'));
  const user = findPostgresUser();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const port = await findFreePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: folder,
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: size,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${behind} user=puente\n[pgbouncer]\n${lines.join('\n')}\n`);
  const pooler = spawn(program, [file], { ...user, stdio: 'ignore' });
  afterAll(() => {
    pooler.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  let databases = 0;
  const createUrl = async () => {
    const name = `pooled_${databases++}`;
    await server.sql(`CREATE DATABASE ${name}`);
    return `postgres://puente@127.0.0.1:${port}/${name}`;
  };
  const first = await createUrl();
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(first);
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return { createUrl };
    } catch (error) {
      if (tries === 100) throw error;
      await wait(100);
    }
  }
}
