import type { IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';

/** The path of a request target as it was received, percent-encoded; the target may be in absolute form (RFC 9112, section 3.2.2). */
export function parsePath(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return (end < 0 ? path : path.slice(0, end)) || '/';
}

/** The parameters of the query; what comes more than once is a list. */
export function parseQuery({ url = '' }: IncomingMessage): ParsedUrlQuery {
  const query = /^[^?#]*\?([^#]*)/.exec(url)?.[1];
  // How many there may be is limited by the size of the head; Node would drop those after the first thousand.
  return query === undefined ? {} : parse(query, '&', '=', { maxKeys: 0 });
}

/** Whether the caller takes JSON, by its `Accept`. */
export async function acceptsJson(req: IncomingMessage): Promise<boolean> {
  const { accept = '*/*' } = req.headers;
  if (accept === '*/*' || accept === 'application/json') return true;
  const { request } = await loadExpress();
  return Boolean(Reflect.apply(request.accepts, req, [['application/json', 'application/problem+json']]));
}

/** Whether the body is JSON, by its `Content-Type`. */
export async function declaresJson(req: IncomingMessage): Promise<boolean> {
  if (req.headers['content-type'] === 'application/json') return true;
  const { request } = await loadExpress();
  return Boolean(Reflect.apply(request.is, req, ['application/json']));
}

/** Loaded for the first request that needs it: to read or to answer the usual one takes no Express. */
export const loadExpress = async () => (await import('express')).default;
