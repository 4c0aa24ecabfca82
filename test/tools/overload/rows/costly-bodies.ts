import { gzipSync } from 'node:zlib';
import type { Attack, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForClose, waitForStatus } from '../sockets.ts';

const TICKET_BYTES = 10 * 1024 * 1024 - 1;

/** As large as a ticket may be, of what costs a parser much. */
const fill = (begin: string, part: string): string => begin + part.repeat((TICKET_BYTES - begin.length) / part.length);

const bodies: Readonly<Record<string, string>> = {
  'lists in lists': fill('', '['),
  'objects in objects': fill('', '{"a":'),
  'empty lists': fill('[', '[],'),
  'many names': `{${Array.from({ length: 800_000 }, (_, i) => `"n${i}":1`).join()}}`,
  'one name': fill('{', '"a":1,'),
  'short texts': fill('[', '"a",'),
  escapes: `${fill('{"observations":"', '\\"').slice(0, -4)}"}`,
  'one number': fill('', '1'),
};

/** Posts each of these as a ticket, one after another, packed or not. */
const post = (names: readonly string[], isPacked: boolean): Attack => {
  const prepared = names.map((name) => {
    const plain = Buffer.from(bodies[name] ?? '');
    return { name, bytes: isPacked ? gzipSync(plain) : plain };
  });
  return async ({ port, token, seconds }) => {
    const seen = new Tally();
    let turn = 0;
    await repeatAtOnce(2, seconds, async () => {
      const { name, bytes } = prepared[turn++ % prepared.length]!;
      const socket = await openSocket(port, '127.0.0.2');
      if (!socket) return;
      const answer = waitForStatus(socket);
      const type = ['Content-Type: application/json', ...(isPacked ? ['Content-Encoding: gzip'] : [])];
      const more = [`Authorization: Bearer ${token}`, `Content-Length: ${bytes.length}`, ...type];
      socket.write(formatHead('POST', '/patients/ana/ticket_type/unknown/ticket', ...more));
      socket.write(bytes);
      seen.add(`${await answer} for ${name}`);
      await waitForClose(socket.destroy());
    });
    return `${isPacked ? 'packed' : 'plain'}: ${seen}`;
  };
};

const names = Object.keys(bodies);

export const row: Row = {
  title: 'bodies of 10 MB, and of 10 KB that are packed, that cost a parser much',
  attackers: [post(names, false), post(names, true)],
};
