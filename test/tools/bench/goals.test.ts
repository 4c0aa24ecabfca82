import { describe, expect, test } from '@jest/globals';
import { assessGoals } from './goals.ts';
import type { Result } from './variant.ts';

const toResult = (name: string, cpus: readonly number[]): Result => ({
  name,
  own: false,
  rounds: cpus.map((cpu) => ({ cpu, rate: 1_000, p50: 1, p99: 2 })),
});

const assessReads = (express: readonly number[], puente: readonly number[]) =>
  assessGoals({
    results: new Map([['read', [toResult('Express 5', express), toResult('Puente on memory', puente)]]]),
  });

describe('the table of goals', () => {
  test('has G1 to G11, and says of each that was not measured that it was not', () => {
    const goals = assessReads([40, 40], [50, 50]);
    expect(goals.map(({ id }) => id)).toEqual(Array.from({ length: 11 }, (_, i) => `G${i + 1}`));
    expect(goals.slice(1).filter(({ met, figure }) => met !== undefined || !figure.startsWith('not measured'))).toEqual(
      [],
    );
  });

  test('a goal is met or missed by the median of its ratios', () => {
    expect(assessReads([44, 44, 10], [80, 80, 80])[0]).toMatchObject({ figure: '0.55 [0.34-0.55]', met: true });
    expect(assessReads([44, 44, 44], [44, 81, 81])[0]).toMatchObject({ met: false });
  });

  test('a goal of several figures is met only when each is', () => {
    const startUp = { seconds: 0.5, early: 140, megabytes: 120, coldCatalogue: 101 };
    expect(assessGoals({ results: new Map(), startUp })[8]).toMatchObject({ met: false });
    expect(assessGoals({ results: new Map(), startUp: { ...startUp, coldCatalogue: 100 } })[8]).toMatchObject({
      met: true,
    });
  });
});
