import { expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { loaders } from '../../adapters/loaders.ts';

test('what is loaded by name are the adapters that come with Puente', async () => {
  const loaded = Object.entries(loaders).map(async ([name, load]) => [name, await load()] as const);
  expect(await Promise.all(loaded)).toEqual(Object.entries(adapters));
});
