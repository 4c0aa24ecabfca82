import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { icon, listPageHeaders, style } from './html.ts';

/** The reason for refusing a request to a page without a login, and the status. */
export interface PageRefusal {
  readonly status: number;
  readonly reason: string;
}

/**
 * Refuses requests that another website makes a browser send to a page without a login. Such a website binds its own
 * name to this address, or submits a form. Returns undefined for all other requests.
 */
export function refuseForeign({ method, headers }: IncomingMessage): PageRefusal | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const { hostname = '' } = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : {};
  if (hostname !== 'localhost' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0)
    return { status: 421, reason: 'Open this page by its address, such as http://127.0.0.1, instead of a name.' };
  const isOwn = site === 'same-origin' || (site === undefined && origin === `http://${host}`);
  if (method === 'GET' || method === 'HEAD' || isOwn) return undefined;
  return { status: 403, reason: 'Only the page itself may send this request.' };
}

/** The headers of a page without a login, or of one of its files. */
export const listOwnHeaders = (type: string) => ({
  ...listPageHeaders({ forms: "'self'" }),
  // A form sends no origin under the policy of the other pages.
  'Referrer-Policy': 'same-origin',
  'Content-Type': `${type}; charset=utf-8`,
  'Cache-Control': 'no-store',
});

/** The files of every such page by path: the type and the content. */
export const ownFiles: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/docs/assets/puente.css': ['text/css', style],
  '/docs/assets/icon.svg': ['image/svg+xml', icon],
};
