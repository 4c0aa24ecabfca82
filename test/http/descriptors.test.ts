import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { boundConnections, explainFewDescriptors, readDescriptorLimit } from '../../src/http/descriptors.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();

describe('the files that a process may open', () => {
  test.each([
    [
      'Limit                     Soft Limit           Hard Limit           Units\nMax open files            256                  4096                 files\n',
      256,
    ],
    ['Max open files            unlimited            unlimited            files\n', undefined],
    ['Max processes             63431                63431                processes\n', undefined],
  ])('are read as Linux tells them: %j', (text, limit) => {
    const file = join(folder, 'limits');
    writeFileSync(file, text);
    expect(readDescriptorLimit(file)).toBe(limit);
  });

  test('are not known elsewhere', () => {
    expect(readDescriptorLimit(join(folder, 'nothing'))).toBeUndefined();
  });

  test.each([
    [1_000, 65_536, 1_000],
    [1_000, 2_000, 1_000],
    [1_000, 1_024, 512],
  ])('leave %d connections of callers, with %p of them, %d', (most, descriptors, connections) => {
    expect(boundConnections(most, descriptors)).toBe(connections);
    const told = explainFewDescriptors(most, descriptors);
    if (connections === most) expect(told).toBeUndefined();
    else expect(told).toMatch(/^is 1000, but .* 1024 files, .* 512 connections: raise LimitNOFILE/);
  });
});
