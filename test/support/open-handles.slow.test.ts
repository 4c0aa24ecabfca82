import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { findOpenHandles } from './open-handles.ts';

test('a timer is open until it is cleared, and never when it is unreferenced', () => {
  // jest has timers of its own in this process.
  const script = `
    import { findOpenHandles } from '${import.meta.resolve('./open-handles.ts')}';
    const found = [];
    setTimeout(() => undefined, 60_000).unref();
    found.push(findOpenHandles());
    const timer = setTimeout(() => undefined, 60_000);
    found.push(findOpenHandles());
    clearTimeout(timer);
    found.push(findOpenHandles());
    console.log(JSON.stringify(found));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([[], ['a timer'], []]);
});

test('a server and both ends of a connection are open until they are closed', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').resume();
  await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
  const [near, far] = [`127.0.0.1:${socket.localPort}`, `127.0.0.1:${port}`];
  const handles = [`tcp ${far}`, `tcp ${near} to ${far}`];
  expect(findOpenHandles()).toEqual(expect.arrayContaining(handles));
  socket.destroy();
  server.close();
  await Promise.all([once(server, 'close'), once(socket, 'close')]);
  expect(findOpenHandles().filter((handle) => handle.includes(far))).toEqual([]);
});

test('a process is open until it has ended', async () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  expect(findOpenHandles()).toContain(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(findOpenHandles()).not.toContain(`process ${child.pid}`);
});
