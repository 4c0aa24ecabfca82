/** A platform: writes at once on connections that it keeps, some times one after another; sends its parent what came back, and how often. */

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface WritingCaller {
  readonly port: number;
  readonly token: string;
  readonly path: string;
  readonly connections: number;
  /** Writes on each connection. */
  readonly each: number;
}

const { port, token, path, connections, each }: WritingCaller = JSON.parse(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress: '127.20.0.1' });
const counts: Record<string, number> = {};

async function write(): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const sent = request({ agent, host: '127.0.0.1', port, method: 'POST', path, headers }).end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return String(response.statusCode);
}

const writeInTurn = async () => {
  for (let i = 0; i < each; i++) {
    const outcome = await write().catch(({ code }) => String(code));
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
};
await Promise.all(Array.from({ length: connections }, writeInTurn));
process.send?.(counts, () => process.exit());
