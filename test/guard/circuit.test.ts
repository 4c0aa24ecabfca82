import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Circuit, type Observation } from '../../src/guard/circuit.ts';
import { takeClocks } from '../support/clock.ts';

let moveClocks: (milliseconds: number) => void;
beforeEach(() => {
  moveClocks = takeClocks();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A circuit that opens at the second failure, and what it told. */
function createCircuit() {
  const told: string[] = [];
  const options = { window: 10_000, minimum: 2, faultRate: 0.5, openFor: 1_000, longestOpen: 60_000 };
  const circuit = new Circuit(options, (change) => void told.push(change));
  const run = (observed: Observation) => circuit.run(async () => observed);
  return { circuit, told, run };
}

describe('a circuit', () => {
  test('is not opened again by calls that began before it closed', async () => {
    const { circuit, run } = createCircuit();
    const late = [1, 2, 3].map(() => Promise.withResolvers<Observation>());
    const slow = late.map(({ promise }) => circuit.run(() => promise));
    await run('fails');
    await run('fails');
    moveClocks(1_000);
    await run('works');
    for (const { resolve } of late) resolve('fails');
    await Promise.all(slow);
    expect(circuit.isClosed).toBe(true);
  });

  test('stays open when the caller of the probe leaves', async () => {
    const { circuit, run, told } = createCircuit();
    await run('fails');
    await run('fails');
    moveClocks(1_000);
    await run('unclear');
    expect(circuit.isClosed).toBe(false);
    expect(told).toEqual(['opened']);
    moveClocks(2_000);
    await run('works');
    expect(told).toEqual(['opened', 'closed']);
  });

  test('counts an outcome while it is in the window', async () => {
    const { circuit, run } = createCircuit();
    await run('fails');
    moveClocks(8_900);
    await run('fails');
    expect(circuit.isClosed).toBe(false);
  });

  test('opens at the share that configuration says, of what its window has', async () => {
    const { circuit, run } = createCircuit();
    await run('fails');
    moveClocks(10_000);
    await run('works');
    await run('works');
    await run('fails');
    expect(circuit.isClosed).toBe(true);
    await run('fails');
    expect(circuit.isClosed).toBe(false);
  });
});
