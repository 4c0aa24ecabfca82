import { once } from 'node:events';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { Failure } from '../ports/index.ts';
import { toAuditEvent } from './audit-event.ts';
import { toAuditMessage } from './audit-message.ts';
import type { PlacedRecord } from './chain.ts';
import type { Destination } from './forwarder.ts';

/** Facility authpriv, severity notice. */
const PRIORITY = 85;
/** Milliseconds without a sign of the server, while connecting or sending. */
const TIMEOUT = 10_000;

/**
 * A repository of IHE ATNA that is reached by syslog over TLS (RFC 5424 and 5425). The protocol knows no answer: what the
 * server's machine has taken counts as sent.
 */
export function createSyslogDestination(server: ConnectionOptions): Destination {
  let socket: TLSSocket | undefined;
  return {
    name: 'syslog',
    send: async (records, signal) => {
      try {
        if (!socket?.writable) socket = await open(server, signal);
        await write(socket, Buffer.concat(records.map(toFrame)));
      } catch (error) {
        socket?.destroy();
        socket = undefined;
        const code = (error as NodeJS.ErrnoException).code ?? 'UNEXPECTED';
        throw new Failure('unavailable', 'the syslog server cannot be reached', { cause: { code } });
      }
    },
    close: () => socket?.destroy(),
  };
}

async function open(server: ConnectionOptions, signal: AbortSignal): Promise<TLSSocket> {
  const socket = connect({ ...(isIP(server.host ?? '') === 0 && { servername: server.host }), ...server });
  socket.setTimeout(TIMEOUT, () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
  await once(socket, 'secureConnect', { signal }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  socket.setTimeout(0);
  // The next message finds it closed. A server that says anything is not listened to.
  socket
    .on('error', () => undefined)
    .on('end', () => socket.destroy())
    .resume();
  return socket.unref();
}

const write = (socket: TLSSocket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), TIMEOUT);
    socket.write(bytes, (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
  });

/** Its length in bytes before each message: RFC 5425. */
function toFrame(placed: PlacedRecord): Buffer {
  const { at } = placed.record;
  const header = `<${PRIORITY}>1 ${at} ${hostname()} puente ${process.pid} IHE+DICOM -`;
  const message = Buffer.from(`${header} \ufeff${toAuditMessage(toAuditEvent(placed))}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}
