import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DatabaseDriver } from '../../common/sql-driver.ts';
import type { MappingFile } from '../file/schema.ts';
import type { HttpSettings } from '../sources/http/schema.ts';
import { openSources, type Sources } from '../sources/open-sources.ts';

/** Opens a stand-in for the system of a mapping file. It connects to nothing, reads no secret, and does not log in. */
export async function openStandIn({ system, http, database }: MappingFile): Promise<Sources> {
  const server = http && (await listen(http));
  const sources = await openSources(
    { system, http: server?.settings, database },
    async () => emptyDatabase,
    (reference) => reference,
  );
  return { ...sources, close: async () => server?.close() };
}

async function listen(settings: HttpSettings) {
  const server = createServer((_, response) => void response.writeHead(200).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = { headers: {}, tls: {}, proxy: undefined, login: { kind: 'none' }, retries: 0 } as const;
  return { settings: { ...settings, ...open, url }, close: () => server[Symbol.asyncDispose]() };
}

const never = /(?!)/;

/** Returns no rows, and reports one changed row for each statement of a change. */
const emptyDatabase: DatabaseDriver = {
  system: 'other_sql',
  marks: { mark: (number) => `?${number}` },
  probe: '',
  connect: async () => ({
    run: async () => ({ rows: [], changed: 1, id: '1' }),
    release: () => undefined,
  }),
  findCode: () => undefined,
  codes: { exists: never, refused: never, clash: never, busy: never, slow: never },
  close: async () => undefined,
};
