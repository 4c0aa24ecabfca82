import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally } from '../sockets.ts';

const requests = formatHead('GET', '/openapi.json').repeat(50);

/** Connections that ask for much at once, read nothing, and stay until the gateway ends them. */
const readNothing: Attack = async ({ port, seconds, index }) => {
  const from = `127.0.0.${2 + index}`;
  const seen = new Tally();
  await repeatAtOnce(500, seconds, async () => {
    const socket = await openSocket(port, from);
    seen.add(socket ? 'opened' : 'refused');
    if (!socket) return;
    socket.pause().write(requests);
    // Who reads nothing learns of an end when it writes.
    while (!socket.destroyed) {
      await sleep(500);
      socket.write('\r\n');
    }
  });
  return `${from}: ${seen}`;
};

export const row: Row = {
  title: '500 connections from each of two addresses that ask for the OpenAPI document 50 times and read nothing',
  attackers: [readNothing, readNothing],
};
