import { createServer } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { memory } from '../../adapters/memory/index.ts';
import { start } from '../../src/runtime/main.ts';
import { openSandbox } from '../support/sandbox.ts';

test('a gateway that cannot listen lets go of what its adapter holds', async () => {
  let closed = false;
  const close = async () => {
    closed = true;
  };
  const offer = jest.spyOn(memory, 'offer').mockImplementation(() => ({ ...openSandbox(), resumes: [], close }));
  const other = createServer();
  try {
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    await expect(start({ port, environment: {} })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(closed).toBe(true);
  } finally {
    offer.mockRestore();
    other.close();
  }
});
