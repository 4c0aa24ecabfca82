import { expect } from '@jest/globals';
import { type Case, runCase, type Subject } from '../../src/contract/index.ts';

/** The rows of a table of tests: id, title and case. */
export const nameCases = <S extends Subject>(cases: readonly Case<S>[]) =>
  cases.map((one) => [one.id, one.title, one] as const);

/** Throws what the case throws; a case that is skipped does not pass either. */
export async function expectPass<S extends Subject>(one: Case<S>, start: () => Promise<S>): Promise<void> {
  const { outcome, error, reason } = await runCase(one, start);
  if (error !== undefined) throw error;
  expect([outcome, reason]).toEqual(['pass', undefined]);
}
