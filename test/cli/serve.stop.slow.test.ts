import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { runPuente, serve } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

describe('puente serve that is told to stop', () => {
  test('ends with 0 after its drain, whatever a module of the institution has left open', async () => {
    const middleware = 'setInterval(() => undefined, 1_000); export default (_req, _res, next) => next();';
    const running = await serve({ PUENTE_HTTP_MIDDLEWARE: folder.write('open.mjs', middleware) });
    running.signal('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"drain completed"') });
  });
});

describe('puente serve that is told to stop during its start', () => {
  test.each([
    // The gateway itself sends the signal of a process manager, at a chosen moment.
    ['before its audit trail has begun', "process.kill(process.pid, 'SIGTERM'); await new Promise(() => {});", []],
    [
      'before it listens',
      `const { listen } = Server.prototype;
      Server.prototype.listen = function (...given) {
        process.kill(process.pid, 'SIGTERM');
        return listen.apply(this, given);
      };`,
      ['audit begun', 'audit ended'],
    ],
  ])('%s ends with 0 and leaves no gap in the trail', async (_, code, operations) => {
    const middleware = `import { Server } from 'node:net'; ${code} export default (_req, _res, next) => next();`;
    const environment = {
      PUENTE_HTTP_MIDDLEWARE: folder.write('stop.mjs', middleware),
      PUENTE_STATE_KIND: 'sqlite',
      PUENTE_STATE_FILE: join(folder.path, `${operations.length}.db`),
      PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
      STATE_KEY: randomBytes(32).toString('base64'),
      PUENTE_AUDIT_CHAIN: 'north-1',
    };
    expect((await runPuente(['serve', '--port', '0'], environment)).code).toBe(0);
    const { stdout } = await runPuente(['audit', 'search'], { ...environment, PUENTE_HTTP_MIDDLEWARE: '' });
    const found = stdout.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
    expect(found).toMatchObject([...operations, 'audit search'].map((operation) => ({ operation })));
  });
});
