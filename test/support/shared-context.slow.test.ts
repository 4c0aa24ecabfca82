import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import quick from '../../jest.quick.config.js';
import { makeFolder } from './sqlite-state.ts';

const root = join(import.meta.dirname, '../..');
const folder = makeFolder();

/** Changes all that files of one worker have in common. */
const spoils = `
import { afterEach, expect, jest, test } from '@jest/globals';
test('spoils', () => {
  jest.useFakeTimers();
  const timer = jest.spyOn(globalThis, 'setTimeout');
  jest.useRealTimers();
  timer.mockRestore();
  expect(globalThis.setTimeout.clock).toBeDefined();
  jest.spyOn(performance, 'now').mockReturnValue(7);
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  jest.setTimeout(1);
  Object.assign(process.env, { LEFT_BY_A_FILE: 'x', PATH: '' });
  process.exitCode = 3;
});
`;
const looks = `
import { expect, test } from '@jest/globals';
const { PATH, LEFT_BY_A_FILE } = process.env;
test('has a worker as no other file had it', async () => {
  expect({ PATH, LEFT_BY_A_FILE, exitCode: process.exitCode }).toEqual({ PATH: ${JSON.stringify(process.env.PATH)} });
  expect(performance.now()).not.toBe(7);
  await new Promise((resolve) => setTimeout(resolve, 20));
});
`;

test('a test file of npm test finds a worker as no file before it had changed it', () => {
  // Without a record of earlier runs, jest begins with the longer file.
  writeFileSync(join(folder, 'one.mjs'), `${spoils}//${' '.repeat(5_000)}`);
  writeFileSync(join(folder, 'two.mjs'), looks);
  const config = { ...quick, rootDir: root, roots: [folder], testMatch: ['**/*.mjs'], cacheDirectory: folder };
  const args = ['node_modules/jest/bin/jest.js', '--runInBand', '--verbose', '--config', JSON.stringify(config)];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 60_000 });
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/✓ spoils[^✕]*✓ has a worker/) });
});
