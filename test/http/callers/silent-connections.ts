/** Holds silent connections from many addresses of this machine, two each, and opens each again as soon as it is closed. */
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
let opened = 0;

const hold = (i: number): void => {
  const index = Math.floor(i / 2);
  const localAddress = `127.10.${Math.floor(index / 250)}.${1 + (index % 250)}`;
  const socket = connect({ port: port!, host: '127.0.0.1', localAddress });
  socket
    .once('connect', () => {
      opened += 1;
      if (opened === count) process.send?.('all were open');
    })
    .on('error', () => undefined)
    .resume()
    .once('close', () => setTimeout(hold, 20, i));
};

for (let i = 0; i < count!; i++) hold(i);
process.once('disconnect', () => process.exit());
