import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { HttpOptions } from './http-options.ts';

/** Milliseconds for which an idle connection is kept where the server does not say for how long: fewer than servers do. */
const IDLE_MS = 4_000;
/** The same where it says so, less the two seconds by which undici is early. */
const MAX_IDLE_MS = 30_000;

/**
 * The connections to servers, over TLS 1.2 at least, with HTTP/1.1. There are as many as there are requests at once: the
 * guard bounds these, for each port and class, and one bound for all would let those that hang stop the rest.
 */
export function createDispatcher({ timeout, tls, proxy }: Omit<HttpOptions, 'maxBytes'>): Dispatcher {
  // The exchange ends what takes too long, from its first byte to its last.
  const options = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: MAX_IDLE_MS };
  const secure = { ...tls, minVersion: 'TLSv1.2' } as const;
  if (proxy === undefined) return new Agent({ ...options, allowH2: false, connect: { ...secure, timeout } });
  return new ProxyAgent({ ...options, allowH2: false, uri: proxy, requestTls: secure, connectTimeout: timeout });
}
