import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunningGateway } from '../support/gateway.ts';
import { findMissing, HOST, proxies, startProxy } from '../support/proxies.ts';
import { startRefusing } from '../support/refusing-gateway.ts';
import type { BrokenAnswers, BrokenCaller } from './callers/broken-requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'puente-answers-'));
const VALID = 1_000;

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRefusing();
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

describe.each(proxies)('through examples/deploy/$file', (proxy) => {
  const missing = findMissing(proxy);
  const name = `each of ${VALID} requests beside broken ones of another caller has its own answer`;
  const run = missing === undefined ? test : test.skip;
  run(missing === undefined ? name : `${name} (skipped: ${missing} is not installed here)`, async () => {
    const http = Number(new URL(gateway.url).port);
    const { port, ca, stop } = await startProxy(proxy, folder, Array(2).fill({ http, ops: http }));
    const agent = new Agent({ keepAlive: true, maxSockets: 8, ca, servername: HOST });
    const ask = async (requestId: string): Promise<string> => {
      const headers = { Host: HOST, Authorization: `Bearer ${gateway.token}`, 'X-Request-Id': requestId };
      const sent = request({ agent, host: '127.0.0.1', port, path: '/patients/ana', headers }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return `${response.statusCode} ${response.headers['x-request-id']}`;
    };
    try {
      for (let i = 0; i < 100 && !(await ask('first').catch(String)).startsWith('200'); i++) await sleep(100);
      const options: BrokenCaller = { port, host: HOST, token: gateway.token, rounds: 1 };
      const caller = fork(join(import.meta.dirname, 'callers/broken-requests.ts'), [JSON.stringify(options)]);
      let isOver = false;
      const ended = once(caller, 'exit').then(() => Promise.reject(new Error('the caller ended')));
      const broken = Promise.race([once(caller, 'message'), ended]).finally(() => {
        isOver = true;
      }) as Promise<[readonly BrokenAnswers[]]>;
      const wrong: string[] = [];
      let count = 0;
      const askInTurn = async () => {
        while (count < VALID || !isOver) {
          const requestId = `valid-${count++}`;
          const answer = await ask(requestId).catch(({ code }) => `failed with ${code}`);
          if (answer !== `200 ${requestId}`) wrong.push(`${requestId}: ${answer}`);
          await sleep(5);
        }
      };
      await Promise.all([broken, ...Array.from({ length: 8 }, askInTurn)]);
      expect(wrong.slice(0, 20)).toEqual([]);
      // The proxy may answer in the place of the gateway, by a page, or not at all.
      const [answers] = await broken;
      const strange = answers.filter(
        ({ responses, requestId, messages }) =>
          responses.length > messages || responses.some(({ requestId: id }) => id !== undefined && id !== requestId),
      );
      expect(strange.slice(0, 5)).toEqual([]);
      expect(answers.filter(({ responses, status }) => responses[0]?.status === status).length).toBeGreaterThan(0);
    } finally {
      agent.destroy();
      await stop();
    }
  });
});
