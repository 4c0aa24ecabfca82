import type { Case, Level } from './case.ts';
import type { Subject } from './subject.ts';

/** What came of one case. */
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

/** Everything up to this level is run. */
const levels: readonly Level[] = ['safe', 'write', 'destructive'];

/** Runs one case on a fresh subject. Where its capability is not offered, its opposite is run instead. Never throws. */
export async function runCase<S extends Subject>(
  one: Case<S>,
  start: () => Promise<S>,
  level: Level = 'destructive',
): Promise<CaseResult> {
  const { id, title } = one;
  const begun = performance.now();
  const verdict = (outcome: CaseResult['outcome'], more: Pick<CaseResult, 'reason' | 'error'> = {}): CaseResult => ({
    id,
    title,
    outcome,
    ...more,
    ms: Math.round(performance.now() - begun),
  });
  if (levels.indexOf(one.level) > levels.indexOf(level)) {
    return verdict('skip', { reason: `it is ${one.level}, and the run is ${level}` });
  }
  try {
    const subject = await start();
    if (!subject.supports(one.needs)) {
      if (!one.whenUnsupported) return verdict('skip', { reason: `${one.needs} is not offered` });
      await one.whenUnsupported(subject);
      return verdict('pass');
    }
    const missing = one.requires?.find((capability) => !subject.supports(capability));
    if (missing) return verdict('skip', { reason: `it stands on ${missing}, which is not offered` });
    await one.run(subject, start);
    return verdict('pass');
  } catch (error) {
    return verdict('fail', { reason: error instanceof Error ? error.message : String(error), error });
  }
}

/** Runs the cases one after the other, each on a fresh subject. */
export async function run<S extends Subject>(
  cases: readonly Case<S>[],
  start: () => Promise<S>,
  level?: Level,
): Promise<CaseResult[]> {
  const verdicts: CaseResult[] = [];
  for (const one of cases) verdicts.push(await runCase(one, start, level));
  return verdicts;
}
