import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { Rejection } from '../../src/api/index.ts';
import { registerPatient } from '../../src/api/operations/patients.ts';
import { BodyBudget, collectBody, readBody } from '../../src/http/body.ts';
import { findEchoes, open, start, until } from '../support/raw-connections.ts';

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
const pace = { window: 200, bytes: 100 };

/** A server that responds with the body, or with the code of why it was not taken. */
const startCollecting = (most = 1_000_000) => {
  let size = 0;
  const take = (count: number) => {
    size += count;
    if (size > most) throw new Rejection('payload_too_large');
  };
  return start((req, res) => {
    collectBody(req, take, pace).then(
      (bytes) => res.end(`<${bytes}>`),
      (error) => res.end(`<${error.code}>`),
    );
  });
};

/** Looks whether the request of an operation has a body. */
async function lookForBody(req: IncomingMessage): Promise<void> {
  const [look] = [readBody(new BodyBudget(1_000), [])(registerPatient)].flat();
  await Reflect.apply(look!, undefined, [req, { locals: {} }, () => undefined]);
}

describe('a body', () => {
  test('is collected from all its parts, however long it takes', async () => {
    await startCollecting();
    const { socket, received } = await open();
    socket.write(head(600));
    for (let i = 0; i < 6; i++) {
      socket.write('x'.repeat(100));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await until(() => findEchoes(received()).length > 0);
    expect(findEchoes(received())).toEqual([`<${'x'.repeat(600)}>`]);
  });

  test.each([
    ['does not come', 0],
    ['drips', 1],
  ])('that %s is given up after a while', async (_what, bytes) => {
    await startCollecting();
    const { socket, received } = await open();
    socket.write(head(1_000));
    const timer = setInterval(() => socket.write('x'.repeat(bytes)), 20);
    await until(() => findEchoes(received()).length > 0);
    clearInterval(timer);
    expect(findEchoes(received())).toEqual(['<request_timeout>']);
  });

  test('that stops for longer than the pace allows is given up, however much has come', async () => {
    await startCollecting();
    const { socket, received } = await open();
    socket.write(`${head(200_000)}${'x'.repeat(100_000)}`);
    await until(() => findEchoes(received()).length > 0);
    expect(findEchoes(received())).toEqual(['<request_timeout>']);
  });

  test('of which there is too much is given up at once, and ends the connection when the rest of it is dropped', async () => {
    await startCollecting(1_000);
    const { socket, received, closed } = await open();
    socket.write(`${head(100_000)}${'x'.repeat(50_000)}`);
    await until(() => findEchoes(received()).length > 0);
    expect(findEchoes(received())).toEqual(['<payload_too_large>']);
    socket.write(`${'x'.repeat(50_000)}${head(0)}`);
    await closed;
    expect(findEchoes(received())).toEqual(['<payload_too_large>']);
    expect(received()).toContain('\r\nConnection: close\r\n');
  });

  test.each([
    ['Content-Length: 100', (req: IncomingMessage) => collectBody(req, () => undefined)],
    ['Transfer-Encoding: chunked', lookForBody],
  ])('with %s of a caller that reset the connection before it is read fails at once', async (header, read) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await start((req) => {
      req.on('close', () => read(req).catch(({ code }) => resolve(code)));
    });
    const { socket } = await open();
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
    await new Promise((done) => setTimeout(done, 20));
    socket.resetAndDestroy();
    expect(await promise).toBe('malformed_request');
  });

  test('that was read leaves the connection open', async () => {
    await startCollecting();
    const { socket, received } = await open();
    for (let count = 1; count <= 2; count++) {
      socket.write(`${head(6)}xxx`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.write('yyy');
      await until(() => findEchoes(received()).length === count);
    }
    expect(findEchoes(received())).toEqual(['<xxxyyy>', '<xxxyyy>']);
  });
});
