import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { findEchoes, get, open, start, until } from '../support/raw-connections.ts';

describe('bodies of megabytes', () => {
  const body = 'x'.repeat(2_000_000);
  const READ = 65_536;
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  /** Samples what it returns once in each turn of the event loop: its largest increase, when it is asked for. */
  function watchTurns(sample: () => number): () => number {
    let largest = 0;
    let last = sample();
    let watching = true;
    const look = () => {
      largest = Math.max(largest, sample() - last);
      last = sample();
      if (watching) setImmediate(look);
    };
    look();
    return () => {
      watching = false;
      return largest;
    };
  }

  test('that arrive together are read a little in each turn of the event loop', async () => {
    let read = 0;
    await start(
      (req, res) => {
        req.on('data', (part: Buffer) => {
          read += part.length;
        });
        req.on('end', () => res.end());
      },
      { maxConnections: 20, maxConnectionsPerAddress: 20, requestTimeout: 60_000 },
    );
    const connections = await Promise.all(Array.from({ length: 20 }, () => open()));
    const findLargest = watchTurns(() => read);
    for (const { socket } of connections) socket.write(post);
    await until(() => read === 20 * body.length);
    expect(findLargest()).toBeLessThanOrEqual(8 * READ);
    expect(read).toBe(20 * body.length);
  });

  test('that nobody reads any more are dropped one read of the socket at a time', async () => {
    const sockets: Socket[] = [];
    await start((req, res) => {
      sockets.push(req.socket);
      res.end(`<${req.url}>`);
    });
    const { socket, received } = await open();
    socket.write(get('/1'));
    await until(() => sockets.length === 1);
    const findLargest = watchTurns(() => sockets[0]?.bytesRead ?? 0);
    socket.write(`${post}${get('/2')}`);
    await until(() => received().includes('</2>'));
    expect(findEchoes(received())).toEqual(['</1>', '</>', '</2>']);
    expect(findLargest()).toBeLessThanOrEqual(2 * READ);
  });
});
