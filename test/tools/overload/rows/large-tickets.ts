import type { Attack, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForClose, waitForStatus } from '../sockets.ts';

const file = Buffer.alloc(7 * 1024 * 1024, 'x').toString('base64');
const body = Buffer.from(JSON.stringify({ observations: 'x', fields: [{ id: 'comprobante', value: file }] }));

/** 60 tickets at once, each with a file of 7 MiB, of a type that does not exist: they are read, and nothing is kept of them. */
const fileTickets: Attack = async ({ port, token, seconds }) => {
  const seen = new Tally();
  const head = formatHead(
    'POST',
    '/patients/ana/ticket_type/unknown/ticket',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  );
  await repeatAtOnce(60, seconds, async () => {
    const socket = await openSocket(port, '127.0.0.2');
    if (!socket) return;
    const answer = waitForStatus(socket);
    socket.write(head);
    socket.write(body);
    seen.add(await answer);
    await waitForClose(socket.destroy());
  });
  return String(seen);
};

export const row: Row = {
  title: '60 tickets of 9.8 MB at once, again and again',
  // 24 MiB of large bodies are in flight. While one of them becomes text and is parsed, it is there three times, and V8 gives the
  // memory of the one before it back late.
  memory: 200e6,
  // The 58 tickets that are refused are read and dropped, 570 MB each time, by the two cores that also send them, and each turn of the
  // event loop takes one new connection. If the gateway stopped reading instead, /livez would take half of the time, and a caller that
  // sends all before it reads would be reset and would never see its 503.
  livez: 800,
  attackers: [fileTickets],
};
