import type { IncomingMessage } from 'node:http';
import { icon, listPageHeaders, style } from '../../toolkit/html.ts';
import { refuseForeign } from '../../toolkit/own-page.ts';
import type { ClientLimits } from '../limits.ts';
import type { Reply } from '../send.ts';
import { type DoctorCheck, type OperatedGateway, operatorScript, renderDoctor, renderGateway } from './page.ts';
import type { RecentClient } from './recent-requests.ts';

/** The data of the pages. */
export interface OperatorSources extends OperatedGateway {
  readonly clientLimits: Pick<ClientLimits, 'listRemaining'>;
  /** The findings of `puente doctor`. */
  readonly examine: () => Promise<readonly DoctorCheck[]>;
}

/** Clients whose limits are looked up, which may ask the database. */
const MAX_LOOKED_UP = 20;

const headers = listPageHeaders({ forms: "'self'" });
const reply = (status: number, type: string, body: string): Reply => ({
  status,
  // A form sends no origin under the policy of the other pages.
  headers: { ...headers, 'Referrer-Policy': 'same-origin', 'Content-Type': `${type}; charset=utf-8` },
  body,
});

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/operator.js': ['text/javascript', operatorScript],
  '/docs/assets/puente.css': ['text/css', style],
  '/docs/assets/icon.svg': ['image/svg+xml', icon],
};

/** True if a doctor of this process runs: it opens connections, and reads a lot of the institution's system. */
let examining = false;
const busy = { section: 'doctor', check: 'start', ok: false, detail: 'another one is at work: wait for it' };

/** The page of the operator and what belongs to it; undefined for what it does not serve. */
export async function serveOperator(req: IncomingMessage, sources: OperatorSources): Promise<Reply | undefined> {
  const { method = '', url = '' } = req;
  const file = files[url];
  const isRead = method === 'GET' || method === 'HEAD';
  if (!(isRead && (url === '/' || file)) && !(method === 'POST' && url === '/doctor')) return undefined;
  const refused = refuseForeign(req);
  if (refused) return reply(refused.status, 'text/plain', `${refused.reason}\n`);
  if (file) return reply(200, ...file);
  if (isRead) return reply(200, 'text/html', renderGateway(sources, await describeLimits(sources)));
  if (examining) return reply(409, 'text/html', renderDoctor([busy]));
  examining = true;
  try {
    return reply(200, 'text/html', renderDoctor(await sources.examine()));
  } finally {
    examining = false;
  }
}

/** The remaining quota of the busiest clients. */
async function describeLimits({ recent, clientLimits }: OperatorSources) {
  const left = new Map<string, string>();
  for (const { name, limitKey } of recent.listClients().slice(0, MAX_LOOKED_UP)) {
    const all = limitKey === undefined ? [] : await clientLimits.listRemaining(limitKey);
    const used = all.filter(({ remaining, requests }) => remaining < requests);
    left.set(name, used.map((each) => `${each.name} ${each.remaining} of ${each.requests}`).join('<br>'));
  }
  return ({ name }: RecentClient): string => left.get(name) ?? '';
}
