import type { IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import { Rejection } from '../api/index.ts';
import type { Middleware } from './request-context.ts';

/** Refuses what no request may be (RFC 9112, section 3), and gives its target the form that routes match. */
export const checkRequestLine =
  (basePath: string): Middleware =>
  (req, _res, next) => {
    requireHost(req);
    if (!/^\/[!"$&-~]*$/.test(req.url)) req.url = normalizeTarget(req.url, basePath);
    next();
  };

/** A Host header there must be, and one only. */
function requireHost({ httpVersion, rawHeaders }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw malformed('The request has more than one Host header.');
  if (hosts.length === 0 && httpVersion === '1.1') throw malformed('The request has no Host header.');
}

/**
 * The target without scheme and host (RFC 9112, section 3.2.2), without a fragment, and below the base path with only those
 * characters encoded that have to be (RFC 3986, section 6.2.2).
 */
function normalizeTarget(target: string, basePath: string): string {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i.exec(target) ?? [];
  if (path === '') return `/${query}`;
  if (!path.startsWith('/')) throw new Rejection('route_unknown');
  if (!path.startsWith(`${basePath}/`)) return path + query;
  return basePath + path.slice(basePath.length).split('/').map(normalizeSegment).join('/') + query;
}

function normalizeSegment(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment));
  } catch {
    throw malformed('The path contains an invalid percent-encoding.');
  }
}

/** The parameters of a query, of which Node would drop those after the first thousand; the size of the head limits them. */
export const parseQuery = (text: string | null): ParsedUrlQuery => parse(text ?? '', '&', '=', { maxKeys: 0 });

const malformed = (happened: string) => new Rejection('malformed_request', { happened });
