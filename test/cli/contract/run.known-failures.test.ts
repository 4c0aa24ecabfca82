import { afterAll, expect, test } from '@jest/globals';
import { type ContractOptions, checkContract } from '../../../src/cli/contract/run.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { readPrinted } from '../../support/printed.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const run = (skip: string, options: ContractOptions = {}) =>
  readPrinted((output) => {
    const { signal } = new AbortController();
    const progress = { isTTY: false, columns: 80, write: () => true };
    const given = { only: 'patients.register.twice', skip: folder.write('known.yaml', skip), ...options };
    return checkContract(given, { ...output, environment: {}, signal, progress });
  });

test('a case that is known to fail and passes is a failure, with the reason that was given', async () => {
  const { code, printed } = await run('patients.register.twice: mended in May');
  expect(code).toBe(1);
  expect(printed).toContain('it passes, although it is named as a known failure: mended in May');
});

test('a case that there is not, and one without a reason, are told before anything runs', async () => {
  await expect(run('patients.register.twise: a reason')).rejects.toThrow('did you mean patients.register.twice?');
  await expect(run('patients.register.twice:')).rejects.toThrow('has no reason');
});

test('a run is told its seed, and takes one again', async () => {
  expect((await run('', { seed: 4711 })).printed).toContain('seed 4711');
});
