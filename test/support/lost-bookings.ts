import type { Fate, FaultServer } from '../fault-server/server.ts';
import type { MappedSystemKind } from './mapped-systems.ts';

/** Commands of the protocol of MySQL. */
const QUERY = 0x03;
const PREPARE = 0x16;
const EXECUTE = 0x17;

type ReadSent = (sent: Buffer) => string;
const readText: ReadSent = (sent) => sent.toString('latin1');

/** A statement of MySQL with values is prepared once on a connection, and called by its number from then on. */
function createMysqlReader(): ReadSent {
  const statements = new Map<number, string>();
  let prepared: string | undefined;
  return (sent) => {
    const command = sent[4];
    if (command === QUERY) return sent.toString('latin1', 5);
    if (command === PREPARE) prepared = sent.toString('latin1', 5);
    if (command !== EXECUTE) return '';
    const number = sent.readUInt32LE(5);
    if (prepared !== undefined) statements.set(number, prepared);
    prepared = undefined;
    return statements.get(number) ?? '';
  };
}

/** Whether what was sent completes a booking, for one connection to a database. */
function createCommitWatch(read: ReadSent): (sent: Buffer) => boolean {
  let books = false;
  return (sent) => {
    const text = read(sent);
    if (text.includes('UPDATE turnos')) books = true;
    const isEnd = /COMMIT|ROLLBACK/.test(text);
    const isBooking = books && text.includes('COMMIT');
    if (isEnd) books = false;
    return isBooking;
  };
}

const watches: Readonly<Record<MappedSystemKind['kind'], () => (sent: Buffer) => boolean>> = {
  sqlite: () => () => false,
  postgres: () => createCommitWatch(readText),
  mariadb: () => createCommitWatch(createMysqlReader()),
  mysql: () => createCommitWatch(createMysqlReader()),
  // TDS has texts in UTF-16.
  sqlserver: () => createCommitWatch((sent) => sent.toString('utf16le')),
  http: () => (sent) => readText(sent).startsWith('POST /sigho/turnos '),
};

/** The first byte of an error in the protocol of PostgreSQL. */
const POSTGRES_ERROR = 0x45;

/** Lets this become of the answers to bookings over connections that are opened from now on, and counts them. */
export function loseBookings(kind: MappedSystemKind['kind'], between: FaultServer, fate: Fate) {
  const seen = { fate, bookings: 0 };
  between.isRefusal = (answer) => {
    // PostgreSQL finds some conflicts only at the commit. The gateway then books again.
    const isRefused = kind === 'postgres' && answer[0] === POSTGRES_ERROR;
    if (isRefused) seen.bookings--;
    return isRefused;
  };
  between.watch = () => {
    const completes = watches[kind]();
    return (sent) => {
      if (!completes(sent)) return 'passed';
      seen.bookings++;
      return seen.fate;
    };
  };
  return seen;
}
