import type { Attack, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForClose } from '../sockets.ts';

const requests = formatHead('GET', '/openapi.json').repeat(1_400);

/** Connections that send a read of the socket full of requests at once, and read what comes; opened again when closed. */
const pipeline: Attack = async ({ port, seconds }) => {
  const seen = new Tally();
  await repeatAtOnce(20, seconds, async () => {
    const socket = await openSocket(port, '127.0.0.2');
    if (!socket) return;
    socket.on('data', (bytes: Buffer) => {
      for (const _ of bytes.toString('latin1').matchAll(/HTTP\/1.1 200/g)) seen.add(200);
    });
    socket.write(requests);
    await waitForClose(socket);
    seen.add(0);
  });
  return seen.toString();
};

export const row: Row = {
  title: '1,400 requests at once on each of 20 connections, opened again when closed',
  attackers: [pipeline],
};
