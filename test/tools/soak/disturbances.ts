import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultServer } from '../../fault-server/server.ts';
import type { Toxic } from '../../fault-server/toxics.ts';

const html = '<html>maintenance</html>';
const page = (status: string) =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: ${html.length}\r\n\r\n${html}`;

const toxics: Readonly<Record<string, Toxic>> = {
  slow: { type: 'latency', latency: 300 },
  reset: { type: 'reset_peer', timeout: 20 },
  silent: { type: 'timeout', timeout: 0 },
  truncated: { type: 'limit_data', bytes: 700 },
  sliced: { type: 'slicer', average_size: 64, delay: 2 },
};
const answers: Readonly<Record<string, string>> = {
  unavailable: page('503 Service Unavailable'),
  'login page': page('200 OK'),
};
const names = [...Object.keys(toxics), ...Object.keys(answers), 'down', 'nothing'];

/** Disturbs the server for so many milliseconds, in another way with each turn, and says how. */
export async function disturb(faults: FaultServer, turn: number, milliseconds: number): Promise<string> {
  const name = names[turn % names.length] ?? 'nothing';
  if (name === 'down') await faults.down();
  faults.answer = answers[name];
  if (toxics[name]) faults.set(toxics[name]);
  await sleep(milliseconds);
  faults.answer = undefined;
  faults.set();
  if (name === 'down') await faults.up();
  return name;
}
