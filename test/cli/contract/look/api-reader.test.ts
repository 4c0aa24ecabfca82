import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ApiReader } from '../../../../src/cli/contract/look/api-reader.ts';

const request = { route: 'GET /practitioner/' } as const;
const answer = { status: 200, headers: {}, body: {} };

/** Reads an API whose requests get an answer, or none, in this order, until it has answered all or is given up. */
async function readAll(answered: readonly boolean[]) {
  let sent = 0;
  const reader = new ApiReader({
    send: async () => {
      if (answered[sent++]) return answer;
      throw new DOMException('no answer', 'TimeoutError');
    },
  });
  while (sent < answered.length) await reader.read(z.object({}), request);
  return { sent, failed: [...reader.failed] };
}

describe('reading an API', () => {
  test('tries a request again that got no answer', async () => {
    expect(await readAll([false, true, false, false, true])).toEqual({ sent: 5, failed: ['GET /practitioner/'] });
  });

  test('ends when three requests in a row got no answer', async () => {
    await expect(readAll([true, false, false, false, true])).rejects.toThrow('three requests in a row got no answer');
  });
});
