import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { listen } from '../../src/http/server.ts';

// Other systems let some hundred wait at most.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the server lets as many connections wait to come in as may be open', async () => {
  const server = createServer();
  const port = await listen(server, { host: '127.0.0.1', port: 0, backlog: 600 });
  // Whom the system cannot let wait asks again after a second. Nobody comes in while this process waits for the other.
  const script = `
    let connected = 0;
    const end = () => { process.stdout.write(String(connected)); process.exit(); };
    setTimeout(end, 4_000);
    for (let i = 0; i < 600; i++)
      require('node:net').connect(${port}, '127.0.0.1', () => ++connected === 600 && end()).on('error', end);
  `;
  expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout).toBe('600');
  server.close();
});
