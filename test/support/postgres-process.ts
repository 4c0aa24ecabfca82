import { execFile, execFileSync } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.ts';
import type { Owner } from './small-disk.ts';

const run = promisify(execFile);
const [bin] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();

/** Why there is no PostgreSQL on this machine, and how to get it; undefined when there is. */
export const missing = bin === undefined ? 'PostgreSQL is not installed (apt-get install postgresql)' : undefined;

export interface PostgresServer {
  /** The address of a schema that nobody has used yet. */
  createUrl(): Promise<string>;
  /** Ends every connection at once, as a crash would, and starts again. */
  restart(): Promise<void>;
  /** Ends it, and starts it again with all that it held. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** Runs statements, and returns what they print. */
  sql(text: string): Promise<string>;
  /** Asks this role for its password from now on. */
  requirePasswords(role: string): Promise<void>;
  /** Locks a table of a database of `createUrl`, until what it resolves to is called. */
  lock(url: string, table: string, mode: 'SHARE' | 'ACCESS EXCLUSIVE'): Promise<() => Promise<void>>;
}

/** PostgreSQL refuses to run as root. */
export function findPostgresUser(): Owner {
  if (process.getuid?.() !== 0) return {};
  const read = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** Starts a server of its own on a free port of this machine; it runs until it is stopped, longer than this process. */
export async function runPostgres(): Promise<PostgresServer & { stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'puente-postgres-'));
  const user = findPostgresUser();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const port = await findFreePort();
  const options = { ...user, cwd: folder, env: { LC_ALL: 'C.UTF-8' } };
  const call = (program: string, ...given: string[]) => run(join(bin ?? '', program), given, options);
  const data = join(folder, 'data');
  await call('initdb', '-D', data, '-U', 'puente', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const flags = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  const control = (...given: string[]) =>
    call('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', flags, ...given);
  await control('start');
  const sql = async (text: string) =>
    (
      await call('psql', '-h', folder, '-p', String(port), '-U', 'puente', '-d', 'postgres', '-Atqc', text)
    ).stdout.trim();
  let schemas = 0;
  return {
    createUrl: async () => {
      const name = `test_${schemas++}`;
      await sql(`CREATE SCHEMA ${name}`);
      return `postgres://puente@127.0.0.1:${port}/postgres?options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    restart: async () => void (await control('restart', '-m', 'immediate')),
    halt: async () => void (await control('stop', '-m', 'immediate')),
    resume: async () => void (await control('start')),
    sql,
    requirePasswords: async (role) => {
      const rules = join(data, 'pg_hba.conf');
      writeFileSync(rules, `host all ${role} all scram-sha-256\n${readFileSync(rules, 'utf8')}`);
      await sql('SELECT pg_reload_conf()');
    },
    lock: async (url, table, mode) => {
      const name = `${/search_path%3D(\w+)/.exec(url)?.[1]}.${table}`;
      const held = `FROM pg_locks WHERE relation = '${name}'::regclass AND granted AND mode = '${lockModes[mode]}'`;
      const locked = sql(`BEGIN; LOCK TABLE ${name} IN ${mode} MODE; SELECT pg_sleep(60)`).catch(() => undefined);
      while ((await sql(`SELECT count(*) ${held}`)) === '0');
      return async () => {
        await sql(`SELECT pg_cancel_backend(pid) ${held}`);
        await locked;
      };
    },
    stop: () => {
      execFileSync(join(bin ?? '', 'pg_ctl'), ['-D', data, '-w', '-m', 'immediate', 'stop'], options);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const lockModes = { SHARE: 'ShareLock', 'ACCESS EXCLUSIVE': 'AccessExclusiveLock' } as const;
