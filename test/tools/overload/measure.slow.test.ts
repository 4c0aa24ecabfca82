import { describe, expect, test } from '@jest/globals';
import { listRows, loadRow } from './load-row.ts';
import { listProblems, measure } from './measure.ts';

/** Shorter than `npm run test:overload`, and with more time for probes, since other tests have the processor too. */
const SECONDS = 3;
const PROBES = 2_000;

describe('the gateway lives, and others are served, under', () => {
  test.each(listRows())('%s', async (name) => {
    const row = await loadRow(name);
    const problems = listProblems([await measure(name, row, SECONDS)], { probes: PROBES, memory: row.memory });
    expect({ title: row.title, problems }).toEqual({ title: row.title, problems: [] });
  });
});

test('no process of a row is left when its gateway does not start', async () => {
  const countProcesses = () => process.getActiveResourcesInfo().filter((type) => type === 'ProcessWrap').length;
  const before = countProcesses();
  const row = { ...(await loadRow('hanging-reads')), environment: { PUENTE_ADAPTER_NAME: 'none' } };
  await expect(measure('hanging-reads', row, SECONDS)).rejects.toThrow('ended with 78: PUENTE_ADAPTER_NAME');
  expect(countProcesses()).toBe(before);
});
