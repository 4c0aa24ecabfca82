import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { writePrivately } from '../../src/toolkit/private-file.ts';
import { ConfigFolder } from '../support/config-file.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

test('a file that cannot be written is named by its own path, and not by that of its draft', () => {
  const path = join(folder.path, 'missing', 'hospital.json');
  expect(() => writePrivately(path, '{}')).toThrow(expect.objectContaining({ code: 'ENOENT', path }));
});
