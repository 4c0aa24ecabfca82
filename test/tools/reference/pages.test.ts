import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { findParts, partNames, readPages } from './pages.ts';
import { formatToolbox } from './toolbox.ts';

describe('the reference', () => {
  test('is what the code says; write it with `npm run reference`', async () => {
    const pages = await readPages();
    expect(pages.filter(({ written, current }) => written !== current).map(({ file }) => file)).toEqual([]);
  });

  test('explains everything that puente/adapter exports', () => {
    expect(
      formatToolbox()
        .split('\n')
        .filter((item) => /: ?$/.test(item)),
    ).toEqual([]);
  });

  test('has each part of the code on one page', async () => {
    const named = (await readPages()).flatMap(({ written }) => findParts(written));
    expect(named.toSorted()).toEqual(partNames.toSorted());
  });
});
