import type { IncomingMessage } from 'node:http';
import { listOwnHeaders, ownFiles, refuseForeign } from '../../toolkit/own-page.ts';
import type { Reply } from '../send.ts';
import { type OperatedGateway, operatorScript, renderDoctor, renderGateway } from './page.ts';

const files: typeof ownFiles = { ...ownFiles, '/operator.js': ['text/javascript', operatorScript] };

const reply = (status: number, type: string, body: string): Reply => ({ status, headers: listOwnHeaders(type), body });

/** True if a doctor of this process runs: it opens connections, and reads a lot of the institution's system. */
let examining = false;
const busy = { section: 'doctor', check: 'start', ok: false, detail: 'another examination is running: wait for it' };

/** The page of the operator and what belongs to it; undefined for what it does not serve. */
export async function serveOperator(req: IncomingMessage, gateway: OperatedGateway): Promise<Reply | undefined> {
  const { method = '', url = '' } = req;
  const file = files[url];
  const isRead = method === 'GET' || method === 'HEAD';
  if (!(isRead && (url === '/' || file)) && !(method === 'POST' && url === '/doctor')) return undefined;
  const refused = refuseForeign(req);
  if (refused) return reply(refused.status, 'text/plain', `${refused.reason}\n`);
  if (file) return reply(200, ...file);
  if (isRead) return reply(200, 'text/html', await renderGateway(gateway));
  if (examining) return reply(409, 'text/html', renderDoctor([busy]));
  examining = true;
  // Also at the end of the gateway, which closes all connections.
  const left = new AbortController();
  const leave = () => left.abort();
  req.socket.once('close', leave);
  if (req.socket.destroyed) leave();
  try {
    return reply(200, 'text/html', renderDoctor(await gateway.examine(left.signal)));
  } finally {
    req.socket.off('close', leave);
    examining = false;
  }
}
