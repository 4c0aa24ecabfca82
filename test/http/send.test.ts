import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { afterResponse } from '../../src/http/send.ts';

test('what is given back after a response is given back once, also when the caller left before', async () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  let done = 0;
  afterResponse(res, () => done++);
  expect(done).toBe(0);
  const closed = new Promise((resolve) => res.once('close', resolve));
  res.destroy();
  await closed;
  expect(done).toBe(1);
  afterResponse(res, () => done++);
  expect(done).toBe(2);
});
