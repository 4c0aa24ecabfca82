import type { Attack, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForStatus } from '../sockets.ts';

const request = formatHead('PUT', '/patients/ana/appointments/1', 'Content-Length: 0');

/** Writes without `Authorization`, one after another on each of 64 connections. */
const writeWithoutToken: Attack = async ({ port, seconds, index }) => {
  const from = `127.0.0.${2 + index}`;
  const seen = new Tally();
  await repeatAtOnce(64, seconds, async () => {
    const socket = await openSocket(port, from);
    if (!socket) return;
    for (let status = -1; status !== 0; ) {
      const answer = waitForStatus(socket);
      socket.write(request);
      status = await answer;
      seen.add(status);
    }
  });
  return `${from}: ${seen}`;
};

/** More lines than these would be one for each refusal. */
const MOST_LOG_LINES = 20_000;

export const row: Row = {
  title: 'writes without Authorization, as fast as they are answered',
  attackers: [writeWithoutToken, writeWithoutToken],
  examine: async ({ logLines }) => (logLines > MOST_LOG_LINES ? [`the log has ${logLines} lines`] : []),
};
