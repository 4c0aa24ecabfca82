import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { getErrorCode } from '../../../src/toolkit/failures.ts';
import { listOwnHeaders, ownFiles, refuseForeign } from '../../../src/toolkit/own-page.ts';
import { ConfigProblems } from '../../../src/toolkit/problems.ts';
import { type Entry, formatEntry, type Given, listEntries } from '../examination/entries.ts';
import type { ThingName } from '../file/things.ts';
import { type Located, load } from './open.ts';
import { type PreviewedEntry, previewScript, renderThing } from './preview-page.ts';
import { makeTrial } from './trial.ts';

export interface PreviewOptions {
  readonly port?: string | undefined;
  readonly showValues?: boolean | undefined;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly location?: string;
}

const reply = (type: string, body: string): Reply => ({ status: 200, type, body });
const plain = (status: number, body: string): Reply => ({ status, type: 'text/plain', body });

const files: typeof ownFiles = { ...ownFiles, '/preview.js': ['text/javascript', previewScript] };

/** Serves a page with the results of a mapping file for its author. Bind it to the loopback address only. */
function createPreview(located: Located, showValues: boolean): Server {
  /** The values for each question, until the preview ends. */
  const given = new Map<string, Given>();

  const server = createServer((req, res) => {
    respond(req).then(
      ({ status, type, body, location }) => {
        res.writeHead(status, { ...listOwnHeaders(type), ...(location && { Location: location }) }).end(body);
      },
      () => res.destroy(),
    );
  });
  return server;

  async function respond(req: IncomingMessage): Promise<Reply> {
    const refused = refuseForeign(req);
    if (refused) return plain(refused.status, refused.reason);
    const { method, url = '' } = req;
    const [, thing = '', name] = url.split('/');
    if (method === 'POST' && name !== undefined) {
      const values = [...new URLSearchParams(await text(req))].filter(([, value]) => value !== '');
      given.set(`${thing}.${name}`, Object.fromEntries(values));
      return { ...plain(303, ''), location: `/${encodeURIComponent(thing)}#${encodeURIComponent(`${thing}.${name}`)}` };
    }
    if (method !== 'GET') return plain(405, 'This page is read.');
    if (url === '/version') return plain(200, readVersion(located.path));
    const file = files[url];
    return file ? reply(...file) : showThing(thing);
  }

  /** Shows the named thing. Without a name, shows the first one of the file. */
  async function showThing(named: string): Promise<Reply> {
    const version = readVersion(located.path);
    const { entries: all, problems: found } = readEntries(located.path);
    const things = [...new Set(all.map(({ thing }) => thing))];
    const thing: ThingName | undefined = named === '' ? things[0] : things.find((each) => each === named);
    const isMissing = things.length > 0 && thing === undefined;
    const problems = isMissing ? [`the file asks no question about ${named}`] : found;
    const entries: PreviewedEntry[] = [];
    for (const entry of all.filter((each) => each.thing === thing)) entries.push(await showEntry(entry));
    const page = renderThing({ file: basename(located.path), things, thing, problems, entries, showValues, version });
    return { ...reply('text/html', page), status: isMissing ? 404 : 200 };
  }

  async function showEntry(entry: Entry): Promise<PreviewedEntry> {
    const values = given.get(formatEntry(entry));
    const shown = { entry, given: values ?? {} };
    if (!values && !needsNothing(entry)) return { ...shown, trial: undefined, problems: [] };
    try {
      return {
        ...shown,
        trial: await makeTrial(located, { entry: formatEntry(entry), given: shown.given }, { showValues }),
        problems: [],
      };
    } catch (error) {
      return { ...shown, trial: undefined, problems: listProblems(error) };
    }
  }
}

/** A window of days defaults to the coming days. */
const needsNothing = ({ isChange, names }: Entry): boolean =>
  !isChange && (Object.keys(names).length === 0 || 'fromDay' in names);

function readEntries(path: string): { readonly entries: readonly Entry[]; readonly problems: readonly string[] } {
  try {
    return { entries: listEntries(load(path)), problems: [] };
  } catch (error) {
    return { entries: [], problems: listProblems(error) };
  }
}

/** @throws errors that are not problems of the file. */
function listProblems(error: unknown): readonly string[] {
  if (error instanceof ConfigProblems) return error.problems;
  throw error;
}

/** Changes when the file is saved. Undefined while an editor replaces the file. */
function readVersion(path: string): string {
  const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size}`;
}

/** Listens on the loopback address, and prints the URL. @throws ConfigProblems if the port cannot be used. */
export async function startPreview(
  located: Located,
  { port: wanted = '0', showValues = false }: PreviewOptions,
  print: (text: string) => void,
): Promise<Server> {
  const server = createPreview(located, showValues);
  try {
    server.listen(Number(wanted), '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    const problem = `--port: ${wanted} cannot be listened on (${getErrorCode(error)}): choose another port, or none`;
    throw new ConfigProblems([problem]);
  }
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  print(`${basename(located.path)} at http://127.0.0.1:${port}/ until Control-C\n`);
  return server;
}
