import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, Environment, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForClose, waitForStatus } from '../sockets.ts';

const root = join(import.meta.dirname, '../../../..');
const TYPES = 40;

/** The sandbox with ticket types of fifty fields, each with another pattern of as many classes of Unicode as it may have. */
async function startSandbox(): Promise<Environment> {
  const world = JSON.parse(readFileSync(join(root, 'config/sandbox-hospital.json'), 'utf8'));
  for (let type = 0; type < TYPES; type++) {
    const fields = Array.from({ length: 50 }, (_, field) => ({
      id: `f${field}`,
      type: 'string',
      tooltip: '',
      validationRegex: `${'\\p{L}'.repeat(46)}${type}x${field}`,
    }));
    world.ticketTypes.push({ ...world.ticketTypes[0], id: `t${type}`, fields });
  }
  const file = join(mkdtempSync(join(tmpdir(), 'puente-overload-world-')), 'world.json');
  writeFileSync(file, JSON.stringify(world));
  return { PUENTE_ADAPTER_SETTINGS_WORLD: file };
}

/** Files a ticket of one type after another. */
const file: Attack = async ({ port, token, seconds }) => {
  const seen = new Tally();
  const fields = Array.from({ length: 50 }, (_, field) => ({ id: `f${field}`, value: 'á'.repeat(60) }));
  const body = JSON.stringify({ observations: 'x', fields });
  let turn = 0;
  await repeatAtOnce(2, seconds, async () => {
    const socket = await openSocket(port, '127.0.0.2');
    if (!socket) return;
    const answer = waitForStatus(socket);
    const path = `/patients/ana/ticket_type/t${turn++ % TYPES}/ticket`;
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const more = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', length];
    socket.write(formatHead('POST', path, ...more) + body);
    seen.add(await answer);
    await waitForClose(socket.destroy());
  });
  return String(seen);
};

export const row: Row = {
  title: 'ticket types with fifty patterns of classes of Unicode, forty of them in turn',
  hospital: startSandbox,
  attackers: [file],
};
