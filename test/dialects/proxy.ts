import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../src/http-client/answer-size.ts';
import { serve } from '../support/listen.ts';

/** A request on its way to the server. */
export interface Asked {
  readonly method: string;
  /** Below the base, without a slash at its beginning, e.g. `Patient/1`. */
  path: string;
  /** Of the URL, or of the form of a search by POST. */
  query: URLSearchParams;
  headers: Record<string, string>;
  /** Of a write. */
  body: string;
}

/** An answer on its way back; `body` is parsed where it is JSON. */
export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  /** What is sent in the place of the body. */
  bytes?: Uint8Array;
}

/** A way to speak FHIR: it changes what is asked or what is answered, or answers itself. */
export interface Dialect {
  readonly ask?: (asked: Asked) => Answered | undefined | Promise<Answered | undefined>;
  readonly answer?: (answered: Answered, asked: Asked, base: string) => void;
}

/** A server that speaks a dialect, in the place of another. */
export interface DialectProxy {
  readonly url: string;
  /** Speaks this one from now on, and knows nothing of what it was asked before. */
  speak(dialect: Dialect): void;
  /** What it was asked since, as `METHOD path?query`. */
  readonly asked: readonly string[];
}

const isForm = (headers: IncomingHttpHeaders): boolean => /form-urlencoded/.test(headers['content-type'] ?? '');

/** Starts a proxy before the FHIR server, on which links and references to the server lead to the proxy. */
export async function startDialectProxy(serverUrl: string): Promise<DialectProxy> {
  let spoken: Dialect = {};
  const log: string[] = [];
  const origin = await serve(async (request, response) => {
    const content = Buffer.concat(await Array.fromAsync(request));
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
    const inForm = isForm(request.headers);
    const asked: Asked = {
      method: request.method ?? 'GET',
      path: path.replace(/^\/fhir\/?/, ''),
      query: new URLSearchParams(inForm ? content.toString() : search),
      headers: pickHeaders(request.headers),
      body: inForm ? '' : content.toString('latin1'),
    };
    log.push(`${asked.method} ${asked.path}?${asked.query}`);
    const dialect = spoken;
    const answered = (await dialect.ask?.(asked)) ?? (await forward(asked, inForm));
    dialect.answer?.(answered, asked, url);
    const { status, headers, body } = answered;
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    response.writeHead(status, headers).end(answered.bytes ?? (status === 204 ? undefined : text));
  });
  const url = `${origin}/fhir`;

  async function forward({ method, path, query, headers, body }: Asked, inForm: boolean): Promise<Answered> {
    const text = String(query).replace(ownOffset, '_offset=');
    const target = `${serverUrl}/${path}${!inForm && text !== '' ? `?${text}` : ''}`.replaceAll(url, serverUrl);
    const sent = inForm ? text : Buffer.from(body, 'latin1');
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const reply = await fetch(target, { method, headers, ...(hasBody && { body: sent }) });
    const bytes = Buffer.from(await reply.arrayBuffer());
    const known = Object.fromEntries([...reply.headers].filter(([name]) => kept.includes(name)));
    const named = Object.entries(known).map(([name, value]) => [name, value.replaceAll(serverUrl, url)]);
    const isJson = /json/.test(known['content-type'] ?? '') && bytes.length > 0;
    const parsed = isJson ? (JSON.parse(bytes.toString().replaceAll(serverUrl, url), keepOwnOffset) as unknown) : bytes;
    return { status: reply.status, headers: Object.fromEntries(named), body: parsed };
  }

  return {
    url,
    asked: log,
    speak(dialect) {
      spoken = dialect;
      log.length = 0;
    },
  };
}

/** The name for `_offset` in the server's own `next` links: a dialect refuses or ignores only the caller's. */
const ownOffset = 'next-page-offset=';

/** A reviver of JSON. */
function keepOwnOffset(_key: string, value: unknown): unknown {
  if (!isObject(value) || value.relation !== 'next' || typeof value.url !== 'string') return value;
  return { ...value, url: value.url.replace(/(?<=[?&])_offset=/, ownOffset) };
}

/** Headers that mean something to a FHIR server or to whoever asked it. */
const kept = ['content-type', 'location', 'content-location', 'etag', 'last-modified', 'retry-after', 'ratelimit'];

function pickHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['accept', 'content-type', 'cache-control', 'prefer', 'if-match', 'if-none-exist', 'authorization'];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
