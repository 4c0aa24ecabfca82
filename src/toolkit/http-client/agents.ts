import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { HttpOptions } from './http-options.ts';

/** Milliseconds for which an idle connection is kept, or fewer if the server says so: fewer than servers do. */
const IDLE_MS = 4_000;

/**
 * The connections to servers, over TLS 1.2 at least; as many as there are requests at once where nothing bounds them.
 */
export function createAgents({ tls, proxy, connections }: Pick<HttpOptions, 'tls' | 'proxy' | 'connections'>) {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    ...(connections !== undefined && { maxSockets: connections }),
    ...(proxy !== undefined && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
  };
  return {
    'http:': new HttpAgent(options),
    'https:': new HttpsAgent({ ...options, ...tls, minVersion: 'TLSv1.2' }),
  };
}

/** How many requests wait for a connection. */
export const countWaiting = (agents: ReturnType<typeof createAgents>): number =>
  Object.values(agents)
    .flatMap(({ requests }) => Object.values(requests))
    .reduce((sum, waiting = []) => sum + waiting.length, 0);
