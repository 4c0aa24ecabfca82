import { describe, expect, test } from '@jest/globals';
import { listRows, loadRow } from './load-row.ts';
import { listProblems, measure, type Promised } from './measure.ts';

/** Shorter than `npm run test:overload`, and with more time for probes, since other tests have the processor too. */
const SECONDS = 3;
const promised = { probes: 2_000, memory: 150e6 };
/** What may take more than docs/reliability.md promises; it must not get worse. */
const beyond: Readonly<Record<string, Partial<Promised>>> = { 'large-tickets': { memory: 200e6 } };

describe('the gateway lives, and others are served, under', () => {
  test.each(listRows())('%s', async (name) => {
    const { title } = await loadRow(name);
    expect({ title, problems: listProblems([await measure(name, SECONDS)], { ...promised, ...beyond[name] }) }).toEqual(
      {
        title,
        problems: [],
      },
    );
  });
});
