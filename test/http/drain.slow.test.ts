import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { serve, token } from '../support/process.ts';

type Running = Awaited<ReturnType<typeof serve>>;
let running: Running | undefined;

afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
});

const headers = { Authorization: `Bearer ${token}` };

/** What one client with one keep-alive connection saw until the gateway was gone. */
interface Seen {
  answers: number;
  toldToClose: number;
  broken: string[];
}

/** Asks again and again, after a pause of its own, until there is nobody to connect to. */
async function runClient(url: string, think: number): Promise<Seen> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: Seen = { answers: 0, toldToClose: 0, broken: [] };
  for (;;) {
    try {
      const answer = await ask(`${url}/patients/ana`, agent);
      seen.answers++;
      if (answer.headers.connection === 'close') seen.toldToClose++;
      if (answer.statusCode !== 200) seen.broken.push(String(answer.statusCode));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code !== 'ECONNREFUSED') seen.broken.push(`${code} after ${seen.answers} answers`);
      agent.destroy();
      return seen;
    }
    await pause(think);
  }
}

async function ask(url: string, agent: Agent): Promise<IncomingMessage> {
  const [answer] = (await once(get(url, { agent, headers }), 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
}

/** A raw connection, what came back on it, and a promise of its end. */
async function open(url: string): Promise<{ socket: Socket; received: () => string; ended: Promise<unknown> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, received: () => received, ended };
}

const cutInHalf = (body: string) =>
  [
    'POST /patients/ HTTP/1.1',
    'Host: puente',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body.slice(0, 10),
  ].join('\r\n');

const person = JSON.stringify({
  birth_date: '1992/04/17',
  identifier_type: 'DNI',
  identifier: 36888999,
  gender: 'Female',
});

describe('the gateway, when it is told to stop', () => {
  test.each([1, 2, 3, 4, 5])('breaks no request of 20 clients under load and exits with 0 (run %i)', async () => {
    // Longer than the longest pause of a client.
    running = await serve({ PUENTE_SHUTDOWN_IDLE_TIMEOUT: '600' });
    const clients = Array.from({ length: 20 }, (_, i) => runClient(running!.url, i % 4 === 3 ? 20 * i : i % 4));
    await pause(400);
    const told = performance.now();
    running.signal('SIGTERM');
    const { code } = await running.ended;
    const seen = await Promise.all(clients);

    expect(seen.flatMap(({ broken }) => broken)).toEqual([]);
    expect(seen.every(({ answers }) => answers > 0)).toBe(true);
    expect(seen.filter(({ toldToClose }) => toldToClose > 0).length).toBeGreaterThan(10);
    expect(code).toBe(0);
    expect(performance.now() - told).toBeLessThan(5_000);
  });

  test('answers a request of which only half had come', async () => {
    running = await serve();
    const { socket, received, ended } = await open(running.url);
    socket.write(cutInHalf(person));
    await pause(100);
    running.signal('SIGTERM');
    await running.waitForOutput('drain started');
    await pause(800);
    expect(received()).toBe('');
    socket.write(person.slice(10));
    await ended;

    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received()).toContain('Connection: close');
    expect((await running.ended).code).toBe(0);
  });

  test('answers a request on an idle connection for a moment more, and closes connections that stay quiet', async () => {
    running = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const quiet = await open(running.url);
    await ask(`${running.url}/readyz`, agent);
    running.signal('SIGTERM');
    await running.waitForOutput('drain started');
    await pause(100);
    const answer = await ask(`${running.url}/readyz`, agent);

    expect(answer.statusCode).toBe(503);
    expect(answer.headers.connection).toBe('close');
    await quiet.ended;
    expect((await running.ended).code).toBe(0);
  });

  test('takes new connections during the drain delay, is not ready, and refuses them afterwards', async () => {
    running = await serve({ PUENTE_SHUTDOWN_DRAIN_DELAY: '700' });
    running.signal('SIGTERM');
    await running.waitForOutput('drain started');

    expect((await ask(`${running.url}/readyz`, new Agent())).statusCode).toBe(503);
    expect((await ask(`${running.url}/patients/ana`, new Agent())).statusCode).toBe(200);
    expect((await running.ended).code).toBe(0);
    const [error] = await once(request(running.url), 'error').catch((thrown: unknown) => [thrown]);
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('cuts what is still open after the drain timeout, says so, and exits with 0', async () => {
    running = await serve({ PUENTE_SHUTDOWN_DRAIN_TIMEOUT: '600' });
    const { socket, ended } = await open(running.url);
    socket.write(cutInHalf(person));
    await pause(100);
    running.signal('SIGTERM');
    await ended;

    expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('drain incomplete') });
  });

  test('goes on after SIGHUP, and opens no inspector on SIGUSR1', async () => {
    running = await serve();
    running.signal('SIGUSR1');
    running.signal('SIGHUP');
    await running.waitForOutput('configuration reloaded');
    expect((await ask(`${running.url}/livez`, new Agent())).statusCode).toBe(200);
    running.signal('SIGTERM');
    expect(await running.ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"drain completed"'),
      stderr: expect.not.stringContaining('Debugger'),
    });
  });

  test('waits no longer when it is told a second time', async () => {
    running = await serve();
    const { socket, ended } = await open(running.url);
    socket.write(cutInHalf(person));
    await pause(100);
    running.signal('SIGTERM');
    await running.waitForOutput('drain started');
    const told = performance.now();
    running.signal('SIGINT');
    await ended;

    expect((await running.ended).code).toBe(0);
    expect(performance.now() - told).toBeLessThan(1_500);
  });
});
