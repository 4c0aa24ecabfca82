import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Driver } from '../../../adapters/common/sql-driver.ts';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import type { HttpSettings } from '../../../adapters/mapping/sources/http/schema.ts';
import { encodeText } from '../../../adapters/mapping/sources/http/template.ts';
import { openSources, type Sources } from '../../../adapters/mapping/sources/open-sources.ts';
import { toRows } from '../../../adapters/mapping/sources/sql/driver.ts';

/** What the system answers, in its place. */
export interface Answers {
  /** The answer over HTTP, or one for each page. */
  readonly answer?: string | readonly string[] | undefined;
  readonly status?: number | undefined;
  /** The rows that a database answers. */
  readonly rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** How many rows each statement of a change changes. */
  readonly changed?: number | undefined;
}

/** What stands in for the system of a mapping file: nothing of it is reached, no secret is read, and nobody logs in. */
export const openStandIn =
  (answers: Answers) =>
  async ({ system, http, database }: MappingFile): Promise<Sources> => {
    const server = http && (await listen(http, answers));
    const file = { system, http: server?.settings, database };
    const sources = await openSources(
      file,
      async () => openRows(answers),
      (reference) => reference,
    );
    return { ...sources, close: async () => server?.close() };
  };

async function listen(settings: HttpSettings, { answer = '', status = 200 }: Answers) {
  const left = [answer].flat();
  const server = createServer((_, response) => {
    // Links to further pages lead here, too.
    const text = (left.shift() ?? '').replaceAll(settings.url, url);
    response.writeHead(status).end(encodeText(text, settings.charset));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = { headers: {}, tls: {}, proxy: undefined, login: { kind: 'none' }, retries: 0 } as const;
  return { settings: { ...settings, ...open, url }, close: () => server[Symbol.asyncDispose]() };
}

/** A database that answers each question, and each statement of a change, in the same way. */
const openRows = ({ rows = [], changed = 1 }: Answers): Driver => ({
  system: 'other_sql',
  marks: { mark: (number) => `?${number}` },
  probe: '',
  connect: async () => ({
    run: async () => ({ rows: toRows(structuredClone(rows), { records: rows.length }), changed, id: '1' }),
    release: () => undefined,
  }),
  findCode: () => undefined,
  codes: { exists: never, refused: never, clash: never, busy: never, slow: never },
  close: async () => undefined,
});

const never = /(?!)/;
