import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { sumByFile } from './self-time.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, scriptId: '', lineNumber: 0, columnNumber: 0 });
const here = pathToFileURL(join(import.meta.dirname, 'self-time.ts')).href;

test('a profile is added up by file, the most expensive first, without the time in which nothing was done', () => {
  const profile = {
    nodes: [frame('(idle)'), frame('read', here), frame('write', here), frame('send', 'node:net')].map(
      (callFrame, id) => ({ id, callFrame }),
    ),
    samples: [3, 1, 2, 0, 2],
    timeDeltas: [7, 10, 20, 30, 500],
    startTime: 0,
    endTime: 567,
  };
  expect(sumByFile(profile)).toEqual([
    { file: 'test/tools/bench/self-time.ts', busiest: 'write:1', micros: 50, share: 50 / 60 },
    { file: 'node:net', busiest: 'send:1', micros: 10, share: 10 / 60 },
  ]);
});
