import type { Case, Level } from './case.ts';
import type { Subject } from './subject.ts';

/** The outcome of one case. */
export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly outcome: 'pass' | 'fail' | 'skip';
  /** Why it failed or was skipped. */
  readonly reason?: string;
  /** What was thrown, with its stack. */
  readonly error?: unknown;
  readonly ms: number;
}

/** A run at one level runs the cases of the levels before it too. */
const levels: readonly Level[] = ['safe', 'write', 'destructive'];

/** Runs one case on a fresh subject; its `whenUnsupported` where its capability is not offered. Never throws. */
export async function runCase<S extends Subject>(
  testCase: Case<S>,
  start: () => Promise<S>,
  level: Level = 'destructive',
): Promise<CaseResult> {
  const { id, title } = testCase;
  const startedAt = performance.now();
  const finish = (outcome: CaseResult['outcome'], more: Pick<CaseResult, 'reason' | 'error'> = {}): CaseResult => ({
    id,
    title,
    outcome,
    ...more,
    ms: Math.round(performance.now() - startedAt),
  });
  if (levels.indexOf(testCase.level) > levels.indexOf(level)) {
    return finish('skip', { reason: `it is ${testCase.level}, and the run is ${level}` });
  }
  try {
    const subject = await start();
    if (!subject.supports(testCase.needs)) {
      if (!testCase.whenUnsupported) return finish('skip', { reason: `${testCase.needs} is not offered` });
      await testCase.whenUnsupported(subject);
      return finish('pass');
    }
    const missing = testCase.requires?.find((capability) => !subject.supports(capability));
    if (missing) return finish('skip', { reason: `it requires ${missing}, which is not offered` });
    await testCase.run(subject, start);
    return finish('pass');
  } catch (error) {
    return finish('fail', { reason: error instanceof Error ? error.message : String(error), error });
  }
}

/** Runs the cases one after the other, each on a fresh subject. */
export async function runCases<S extends Subject>(
  cases: readonly Case<S>[],
  start: () => Promise<S>,
  level?: Level,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const testCase of cases) results.push(await runCase(testCase, start, level));
  return results;
}
