import type { Attack, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForStatus } from '../sockets.ts';

/** Searches by one day of birth after another, with one token, as fast as they are answered. */
const searchByBirthDate: Attack = async ({ port, token, seconds }) => {
  const seen = new Tally();
  let next = 0;
  await repeatAtOnce(64, seconds, async () => {
    const socket = await openSocket(port, '127.0.0.2');
    if (!socket) return;
    for (let status = -1; status !== 0; ) {
      const day = new Date(86_400_000 * next++).toISOString().slice(0, 10).replaceAll('-', '%2F');
      const answer = waitForStatus(socket);
      socket.write(
        formatHead('GET', `/patients/search?gender=Female&birth_date=${day}`, `Authorization: Bearer ${token}`),
      );
      status = await answer;
      seen.add(status);
    }
  });
  return String(seen);
};

export const row: Row = {
  title: 'searches for patients without end, on 64 connections',
  attackers: [searchByBirthDate],
};
