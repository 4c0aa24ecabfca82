import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { ConfigFolder } from '../support/config-file.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { runPuente, serve } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
const server = missing === undefined ? await startPostgres() : undefined;
const encryptionKey = `file:${folder.write('key', 'ab'.repeat(32))}`;
const tokens = {
  '0.2.0': 'puente_of_0_2_0_for_this_fixture_alone_aaaa',
  '0.3.0': 'puente_of_0_3_0_for_this_fixture_alone_aaaa',
};
type Version = keyof typeof tokens;
const readDump = (version: Version, name: string): string =>
  readFileSync(join(import.meta.dirname, version, name), 'utf8');

/** Databases as that version has left them. */
interface Left {
  /** What `state` and `local` say of them, besides their key. */
  readonly state: object;
  readonly local: object;
  /** Each column, such as `puente_audit|seq`. */
  listColumns(): Promise<readonly string[]>;
}

/** Keys are forgotten after a month at most, and these are to be known for ever. */
const forEver = 'UPDATE puente_idempotency SET expires_at = 4102444800000;';

function restoreFiles(version: Version): Left {
  const restore = (name: string, more = '') => {
    const file = join(folder.path, `${name}-${version}.db`);
    const database = new DatabaseSync(file);
    database.exec(readDump(version, `sqlite-${name}.sql`) + more);
    database.close();
    return file;
  };
  const files = [restore('state', forEver), restore('local')] as const;
  return {
    state: { kind: 'sqlite', file: files[0] },
    local: { kind: 'sqlite', file: files[1] },
    listColumns: async () =>
      files.flatMap((file) => {
        const database = new DatabaseSync(file, { readOnly: true });
        const named = "SELECT m.name || '|' || c.name AS column FROM sqlite_master m, pragma_table_info(m.name) c";
        const rows = database.prepare(`${named} WHERE m.type = 'table'`).all();
        database.close();
        return rows.map((row) => String(row.column));
      }),
  };
}

async function restoreSchema(version: Version): Promise<Left> {
  const url = await server!.createUrl();
  const [, schema] = /search_path%3D(\w+)/.exec(url) ?? [];
  await server!.sql(`SET search_path = ${schema}; ${readDump(version, 'postgres.sql')}; ${forEver}`);
  const settings = { kind: 'postgres', url: `file:${folder.write('url', url)}` };
  return {
    state: settings,
    local: settings,
    listColumns: async () => {
      const columns = 'SELECT table_name, column_name FROM information_schema.columns';
      return (await server!.sql(`${columns} WHERE table_schema = '${schema}'`)).split('\n');
    },
  };
}

/** The configuration that the version had. */
const writeConfig = ({ state, local }: Left, token: string): string =>
  folder.write(
    'puente.yaml',
    stringify({
      auth: { tokens: [{ client: 'app', sha256: hash('sha256', token), scopes: 'all' }] },
      idempotency: { retention: 2_592_000_000 },
      audit: { chain: 'one' },
      state: { ...state, encryptionKey },
      adapters: {
        local: {
          settings: {
            ...local,
            encryptionKey,
            ticketTypes: [
              {
                ...{ id: 'receta', title: 'Receta', created: '2026-03-01' },
                fields: [{ id: 'medicamento', type: 'string' }],
              },
            ],
          },
        },
      },
      ports: { tickets: { adapter: 'local' } },
    }),
  );

const ticket = { observations: 'Se termina.', fields: [{ id: 'medicamento', value: 'Enalapril 10 mg' }] };

const kinds = [
  ['0.2.0', 'SQLite', restoreFiles, undefined],
  ['0.2.0', 'PostgreSQL', restoreSchema, missing],
  ['0.3.0', 'SQLite', restoreFiles, undefined],
  ['0.3.0', 'PostgreSQL', restoreSchema, missing],
] as const;

describe.each(kinds)('what %s has written, on %s', (version, _kind, restore, lacking) => {
  const token = tokens[version];
  const run = lacking === undefined ? test : test.skip;
  const name = 'is known after an upgrade: keys, tickets, and the audit trail, which goes on';
  run(
    lacking === undefined ? name : `${name} (skipped: ${lacking})`,
    async () => {
      const left = await restore(version);
      const before = await left.listColumns();
      const config = writeConfig(left, token);
      const environment = { PUENTE_CONFIG: config, NODE_ENV: 'production' };
      const gateway = await serve({ ...environment, PUENTE_TOKEN: '' }, { compares: false });
      const ask = async (method: string, path: string, body?: object, key?: string) => {
        const response = await fetch(gateway.url + path, {
          method,
          headers: {
            Authorization: `Bearer ${token}`,
            'Content-Type': 'application/json',
            ...(key !== undefined && { 'Idempotency-Key': key }),
          },
          body: body ? JSON.stringify(body) : null,
        });
        const answer: unknown = await response.json();
        return { status: response.status, replayed: response.headers.get('Idempotency-Replayed'), answer };
      };
      const file = '/patients/ana/ticket_type/receta/ticket';
      expect(await ask('POST', file, ticket, 'key-of-a-ticket')).toMatchObject({ status: 201, replayed: 'true' });
      expect(await ask('PUT', '/patients/ana', { phone: '+54 11 5555-0000' }, 'key-of-a-change')).toMatchObject({
        status: 200,
        replayed: 'true',
      });
      expect(await ask('PUT', '/patients/ana', { phone: '+54 11 5555-1111' }, 'key-of-a-change')).toMatchObject({
        status: 422,
        answer: { code: 'idempotency_key_reused' },
      });
      const { answer } = await ask('GET', '/patients/ana/ticket/');
      expect(answer).toMatchObject([{ observations: 'Se termina.', ticket_type_id: 'receta' }]);
      gateway.signal('SIGTERM');
      expect((await gateway.ended).code).toBe(0);

      const verified = await runPuente(['audit', 'verify', '--config', config]);
      expect(verified).toMatchObject({ code: 0, stderr: expect.not.stringContaining('missing') });
      const [, count = '0'] = /one: (\d+) records/.exec(verified.stdout) ?? [];
      expect(Number(count)).toBeGreaterThan(9);
      // Only that version itself could show that it goes on after a rollback; what its statements name is here.
      expect(before).toContain('puente_idempotency|fingerprint');
      expect(await left.listColumns()).toEqual(expect.arrayContaining([...before]));
    },
    120_000,
  );
});
