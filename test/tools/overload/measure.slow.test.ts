import { describe, expect, test } from '@jest/globals';
import { listRows, loadRow } from './load-row.ts';
import { listProblems, measure } from './measure.ts';

/** Shorter than `npm run test:overload`, and with more time for probes, since other tests have the processor too. */
const SECONDS = 3;
const PROBES = 2_000;

describe('the gateway lives, and others are served, under', () => {
  test.each(listRows())('%s', async (name) => {
    const row = await loadRow(name);
    const runs = [await measure(name, row, SECONDS)];
    const list = () => listProblems(runs, { probes: PROBES, memory: row.memory });
    // The run in the middle of three decides when others had the processor in the first one.
    if (list().length > 0) runs.push(await measure(name, row, SECONDS), await measure(name, row, SECONDS));
    const problems = list();
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
