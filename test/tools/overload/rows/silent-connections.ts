import type { Attack, Row } from '../row.ts';
import { openSocket, repeatAtOnce, Tally, waitForClose } from '../sockets.ts';

/** Opens so many connections, says nothing, and opens each again as soon as it is closed. */
export const holdSilent =
  (count: number, from: string, choose: 'port' | 'opsPort' = 'port'): Attack =>
  async (target) => {
    const seen = new Tally();
    await repeatAtOnce(count, target.seconds, async () => {
      const socket = await openSocket(target[choose], from);
      seen.add(socket ? 'opened' : 'refused');
      if (socket) await waitForClose(socket);
    });
    return `${from}: ${seen}`;
  };

export const row: Row = {
  title: '500 connections from each of two addresses that send nothing, opened again when closed',
  attackers: [holdSilent(500, '127.0.0.2'), holdSilent(500, '127.0.0.3')],
};
