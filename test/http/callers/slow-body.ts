/** A telephone: sends one ticket at so many bytes a second, and sends its parent the status of the answer. */
import { connect } from 'node:net';

export interface SlowCaller {
  readonly port: number;
  readonly token: string;
  readonly path: string;
  readonly bytes: number;
  readonly bytesPerSecond: number;
}

const { port, token, path, bytes, bytesPerSecond }: SlowCaller = JSON.parse(process.argv[2] ?? '');
const EVERY_MS = 500;
const file = (size: number) =>
  JSON.stringify({ observations: 'x', fields: [{ id: 'comprobante', value: 'x'.repeat(size) }] });
// Base64 comes in fours.
const body = Buffer.from(file(Math.floor((bytes - file(0).length) / 4) * 4));
const head = [
  `POST ${path} HTTP/1.1`,
  'Host: x',
  `Authorization: Bearer ${token}`,
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
];
const socket = connect(port, '127.0.0.1').setEncoding('latin1');
let received = '';
let sent = 0;
socket.write(`${head.join('\r\n')}\r\n\r\n`);
const step = (bytesPerSecond * EVERY_MS) / 1_000;
const timer = setInterval(() => {
  socket.write(body.subarray(sent, sent + step));
  sent += step;
  if (sent >= body.length) clearInterval(timer);
}, EVERY_MS);
const end = () => process.send?.(received.slice(9, 12) || 'closed', () => process.exit());
socket
  .on('data', (text) => {
    received += text;
    end();
  })
  .on('error', end)
  .once('close', end);
