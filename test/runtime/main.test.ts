import { createServer } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { memory } from '../../adapters/memory/index.ts';
import { start } from '../../src/runtime/main.ts';
import { listen } from '../support/listen.ts';
import { openSandbox } from '../support/sandbox.ts';

test('a gateway that cannot listen lets go of what its adapter holds', async () => {
  let closed = false;
  const close = async () => {
    closed = true;
  };
  const offer = jest
    .spyOn(memory, 'offer')
    .mockImplementation(() => ({ ...openSandbox(), retryableWrites: [], close }));
  const port = String(await listen(createServer()));
  try {
    await expect(start({ port, environment: {} })).rejects.toMatchObject({
      section: 'http',
      cause: { code: 'EADDRINUSE' },
    });
    expect(closed).toBe(true);
  } finally {
    offer.mockRestore();
  }
});
