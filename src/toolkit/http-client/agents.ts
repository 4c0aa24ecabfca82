import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { HttpOptions } from './http-options.ts';

/** Milliseconds for which an idle connection is kept, or fewer if the server says so: fewer than servers do. */
const IDLE_MS = 4_000;

/**
 * The connections to servers, over TLS 1.2 at least. There are as many as there are requests at once: the guard bounds
 * these, for each port and class, and one bound for all would let those that hang stop the rest.
 */
export function createAgents({ tls, proxy }: Pick<HttpOptions, 'tls' | 'proxy'>) {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    ...(proxy !== undefined && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
  };
  return {
    'http:': new HttpAgent(options),
    'https:': new HttpsAgent({ ...options, ...tls, minVersion: 'TLSv1.2' }),
  };
}
