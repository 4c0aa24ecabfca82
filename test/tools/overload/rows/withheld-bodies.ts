import type { Attack, Row, Wanted } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForClose } from '../sockets.ts';

const path = '/patients/ana/ticket_type/reintegro/ticket';

/** Announces so many bodies of so many bytes, sends none of them, and announces it again when it is refused. */
const withhold =
  (count: number, bytes: number, from: string): Attack =>
  async ({ port, token, seconds }) => {
    const seen = new Tally();
    const head = formatHead(
      'POST',
      path,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${bytes}`,
    );
    await repeatAtOnce(count, seconds, async () => {
      const socket = await openSocket(port, from);
      if (!socket) return;
      socket.once('data', (answer: Buffer) => seen.add(answer.toString('latin1', 9, 12))).write(head);
      await waitForClose(socket);
    });
    return `${bytes} bytes: ${seen}`;
  };

const post = (fileBytes: number, headers: Record<string, string> = {}): Wanted => ({
  method: 'POST',
  path,
  status: 201,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify({ observations: 'x', fields: [{ id: 'comprobante', value: 'x'.repeat(fileBytes) }] }),
});

export const row: Row = {
  title: '33 bodies that announce 70 KB, and two of 10 MB, and never come',
  attackers: [withhold(33, 70_000, '127.0.0.2'), withhold(2, 10_000_000, '127.0.0.3')],
  others: [post(100), post(90_000), post(100, { 'Transfer-Encoding': 'chunked' })],
};
