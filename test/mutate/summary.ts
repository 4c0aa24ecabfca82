import { describeMutant, type Mutant } from './mutant.ts';
import type { Outcome } from './test-mutant.ts';

/** A mutant and what came of it; it is equivalent when there is a reason why no test can see it. */
export interface Tested {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
  readonly reason?: string;
}

export interface Summary {
  readonly drawn: number;
  readonly byTypes: number;
  readonly byTests: number;
  readonly equivalent: readonly Tested[];
  readonly survived: readonly Tested[];
  /** The percentage that was killed of those that are not equivalent; 100 when there are none. */
  readonly killedPercent: number;
}

export function summarize(tested: readonly Tested[]): Summary {
  const killed = tested.flatMap(({ outcome }) => (outcome.state === 'killed' ? [outcome.by] : []));
  const alive = tested.filter(({ outcome }) => outcome.state === 'survived');
  const equivalent = alive.filter(({ reason }) => reason !== undefined);
  const meant = tested.length - equivalent.length;
  return {
    drawn: tested.length,
    byTypes: killed.filter((by) => by === 'types').length,
    byTests: killed.filter((by) => by !== 'types').length,
    equivalent,
    survived: alive.filter(({ reason }) => reason === undefined),
    killedPercent: meant === 0 ? 100 : (killed.length / meant) * 100,
  };
}

export function formatSummary({ drawn, byTypes, byTests, equivalent, survived, killedPercent }: Summary): string {
  return [
    ...(equivalent.length > 0 ? ['Equivalent:'] : []),
    ...equivalent.map(({ mutant, reason }) => `  ${describeMutant(mutant)}\n    ${reason}`),
    ...(survived.length > 0 ? ['Survived:'] : []),
    ...survived.map(({ mutant, outcome }) => `  ${describeMutant(mutant)}\n    ${describeOutcome(outcome)}`),
    `${drawn} drawn: ${byTypes} killed by types, ${byTests} by tests, ${equivalent.length} equivalent, ${survived.length} survived; ` +
      `${killedPercent.toFixed(1)} % of those that are not equivalent were killed`,
  ].join('\n');
}

export function describeOutcome(outcome: Outcome): string {
  if (outcome.state === 'survived') {
    if (outcome.tests === 0) return 'no test runs this line';
    return `${outcome.tests} files of tests run this line${outcome.left > 0 ? `, and ${outcome.left} more were not tried` : ''}`;
  }
  if (outcome.by === 'types') return 'killed by types';
  if (outcome.by === 'time') return 'killed by time: the tests did not end';
  return `killed by ${outcome.by.file}: ${outcome.by.title}`;
}
