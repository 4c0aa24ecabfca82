import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answers, endings, refusals, sendBroken } from '../support/broken-requests.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { startRefusing } from '../support/refusing-gateway.ts';

describe('one message has one answer, however its rest is broken:', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRefusing();
  });
  afterAll(() => gateway.stop());

  test.each(refusals)('$status of $path', async (refusal) => {
    const cases = [false, true].flatMap((isLate) => endings.map((ending) => ({ isLate, ending })));
    const answers: Record<string, Answers> = {};
    const expected: Record<string, unknown> = {};
    const send = async ({ isLate, ending }: (typeof cases)[number], i: number) => {
      const requestId = `broken-${refusal.status}-${i}`;
      const localAddress = refusal.from ?? `127.1.${refusal.status % 256}.${i + 1}`;
      const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', localAddress });
      const name = `${ending.name}, ${isLate ? 'after the answer' : 'at once'}`;
      const own = { status: refusal.status, requestId };
      const got = await sendBroken(socket, {
        refusal,
        ending,
        isLate,
        requestId,
        token: gateway.token,
        host: 'x',
        patience: 5_000,
      });
      // Whoever resets the connection does not read any more.
      const isLost = ending.leave === 'resetAndDestroy' && got.responses.length === 0;
      // It is a message of its own, and may have an answer of its own.
      const [, second] = ending.isMessage ? got.responses : [];
      answers[name] = got;
      expected[name] = {
        responses: isLost
          ? []
          : [own, ...(second ? [{ status: 400, requestId: expect.not.stringMatching(/^broken/) }] : [])],
        isClosed: true,
      };
    };
    await Promise.all(cases.map(send));
    expect(answers).toEqual(expected);
  });
});
