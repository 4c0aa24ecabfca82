import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { sandbox } from '../../src/contract/fixtures.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { catalogue, ticket } from '../support/local-adapter.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { PuenteProcess, runPuente, token } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
const environment = { PUENTE_TOKEN: token, PUENTE_LOG_FORMAT: 'json' };
let running: PuenteProcess[] = [];
afterEach(async () => {
  for (const each of running) each.signal('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});

/** A database that several gateways name. */
interface Shared {
  /** What `state` and `local` say of it, besides their keys. */
  readonly settings: object;
  /** Runs a statement on it. */
  run(sql: string): Promise<unknown>;
}

const server = missing === undefined ? await startPostgres() : undefined;
let files = 0;

async function createFile(): Promise<Shared> {
  const file = `${folder.path}/shared-${files++}.db`;
  return {
    settings: { kind: 'sqlite', file },
    run: async (sql) => {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    },
  };
}

async function createSchema(): Promise<Shared> {
  const url = await server!.createUrl();
  const [, schema] = /search_path%3D(\w+)/.exec(url) ?? [];
  return {
    settings: { kind: 'postgres', url: `file:${folder.write(`url-${schema}`, url)}` },
    run: (sql) => server!.sql(`SET search_path = ${schema}; ${sql}`),
  };
}

const encryptionKey = `file:${folder.write('key', randomBytes(32).toString('hex'))}`;
const norte = { name: 'Sanatorio Norte' };
const sur = { name: 'Sanatorio Sur' };

/** The configuration of an institution that keeps its state, and its tickets, in these databases. */
function write(institution: { readonly name: string; readonly id?: string }, state: Shared, local: Shared = state) {
  const content = {
    institution,
    state: { ...state.settings, encryptionKey },
    adapters: { local: { settings: { ...local.settings, encryptionKey, ...catalogue } } },
    ports: { tickets: { adapter: 'local' } },
  };
  return folder.write(`${files++}.yaml`, stringify(content));
}

function start(config: string): PuenteProcess {
  const started = new PuenteProcess(['serve', '--config', config, '--port', '0'], environment);
  running.push(started);
  return started;
}

async function serve(config: string) {
  const started = start(config);
  await started.waitForOutput('"listening"');
  const [, url = ''] = /"address":"([^"]+)"/.exec(started.stdout) ?? [];
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const ask = async (path: string, body?: object, key = crypto.randomUUID()) => {
    const sent = body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'Idempotency-Key': key },
    };
    const response = await fetch(`${url}${path}`, { headers, ...sent });
    return { status: response.status, text: await response.text() };
  };
  return Object.assign(started, { ask });
}

const refuse = (config: string) => runPuente(['serve', '--config', config, '--port', '0'], environment);
const filePath = `/patients/ana/ticket_type/${sandbox.ticketType.id}/ticket`;
const ofNorte = /belongs to the institution sanatorio-norte, and this gateway belongs to sanatorio-sur: /;

const kinds = [['SQLite', createFile], ...(server ? [['PostgreSQL', createSchema] as const] : [])] as const;

describe.each(kinds)('What %s keeps of an institution', (_name, create) => {
  test('is shown to no other: its gateway does not start on the same state or tickets, and the first one goes on', async () => {
    const shared = await create();
    const first = await serve(write(norte, shared));
    expect(await first.ask(filePath, ticket)).toMatchObject({ status: 201 });
    const { code, stderr } = await refuse(write(sur, shared));
    expect({ code, lines: stderr.trim().split('\n') }).toEqual({
      code: 78,
      lines: [
        expect.stringMatching(/adapters\.local\.settings\.(file|url): the content of the database belongs/),
        expect.stringMatching(/state\.(file|url): the state belongs/),
      ],
    });
    for (const line of stderr.trim().split('\n')) expect(line).toMatch(ofNorte);
    const beside = await refuse(write(sur, await create(), shared));
    expect(beside.code).toBe(78);
    expect(beside.stderr).toMatch(/^\S+ adapters\.local\.settings\.(file|url): [^\n]+\n$/);
    expect(await first.ask('/patients/ana/ticket/')).toMatchObject({ status: 200 });
  });

  test('is that of exactly one, when two institutions start for the first time at the same moment', async () => {
    const shared = await create();
    const both = [start(write(norte, shared)), start(write(sur, shared))];
    const ends = both.map(async (each) => {
      await Promise.race([each.waitForOutput('"listening"').catch(() => undefined), each.ended]);
      return each.stdout.includes('"listening"') ? 'listening' : (await each.ended).code;
    });
    expect((await Promise.all(ends)).toSorted()).toEqual([78, 'listening']);
  });

  test('is that of the first who opens it, where a version before kept it for nobody', async () => {
    const shared = await create();
    const before = await serve(write(norte, shared));
    expect(await before.ask(filePath, ticket)).toMatchObject({ status: 201 });
    before.signal('SIGTERM');
    await before.ended;
    for (const prefix of ['puente', 'puente_local']) {
      await shared.run(`DELETE FROM ${prefix}_encryption WHERE name <> 'puente'`);
    }
    const after = await serve(write(norte, shared));
    expect((await after.ask('/patients/ana/ticket/')).text).toContain(ticket.observations);
    expect((await refuse(write(sur, shared))).code).toBe(78);
  });

  test('stays that of an institution with another name, which says by institution.id who it was', async () => {
    const shared = await create();
    const before = await serve(write(norte, shared));
    const key = crypto.randomUUID();
    expect(await before.ask(filePath, ticket, key)).toMatchObject({ status: 201 });
    before.signal('SIGTERM');
    await before.ended;
    const renamed = { name: 'Clínica del Norte' };
    const { code, stderr } = await refuse(write(renamed, shared));
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: expect.stringContaining('set institution.id to sanatorio-norte'),
    });
    const after = await serve(write({ ...renamed, id: 'sanatorio-norte' }, shared));
    expect((await after.ask('/patients/ana/ticket/')).text).toContain(ticket.observations);
    expect(await after.ask(filePath, ticket, key)).toMatchObject({ status: 201 });
  });
});

if (!server) test.skip(`What PostgreSQL keeps of an institution, skipped: ${missing}`, () => undefined);
