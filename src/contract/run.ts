import { problems } from '../api/problems.ts';
import { getField } from '../toolkit/records.ts';
import type { Case, Level } from './case.ts';
import { type Rule, rules } from './fixtures.ts';
import { beginPicks } from './queries.ts';
import type { Subject } from './subject.ts';
import { explainMissing, isPortsSubject, watchFixtures } from './subject.ts';
import { Skipped } from './thrown.ts';

/** The outcome of one case. */
export interface CaseResult {
  readonly id: string;
  /** The statement that the case proves. */
  readonly title: string;
  readonly outcome: 'pass' | 'fail' | 'skip';
  /** Why it failed or was skipped. */
  readonly reason?: string;
  /** The thrown error, with its stack. */
  readonly error?: unknown;
  /** The adapter's errors during the case: a sentence without values, and the thrown object. */
  readonly thrown?: readonly (readonly [string, unknown])[];
  readonly ms: number;
}

/**
 * The plan for a case on a subject: its own proof, which may throw `Skipped`, the proof for a capability that is not
 * offered, or a skip.
 */
export type CasePlan =
  | { readonly title: string; readonly run: Case['run']; readonly skipped?: never }
  | { readonly title: string; readonly skipped: string };

/** In order: a run at one level also runs the cases of the lower levels. */
const levels: readonly Level[] = ['safe', 'write', 'destructive'];

/** Plans the case for this subject, and for any other that offers the same. */
export function planCase(testCase: Case, subject: Subject, level: Level = 'destructive'): CasePlan {
  const { title, needs, requires, fixtures, outage, watchesLine, rule, whenUnsupported } = testCase;
  const skip = (skipped: string): CasePlan => ({ title, skipped });
  if (levels.indexOf(testCase.level) > levels.indexOf(level)) {
    return skip(`its level is ${testCase.level}, and the run stops at ${level}`);
  }
  if (!subject.supports(needs)) return whenUnsupported ?? skip(`${needs} is not offered`);
  const missing = requires.find((capability) => !subject.supports(capability));
  if (missing) return skip(`it requires ${missing}, which is not offered`);
  const isMissing = explainMissing(subject, fixtures);
  if (isMissing !== undefined) return skip(isMissing);
  if (testCase.inProcess && !isPortsSubject(subject)) return skip('it calls ports, which is not possible over HTTP');
  if (outage && !subject.fail?.[outage]) return skip(`the subject has no fail.${outage}`);
  if (watchesLine && !(isPortsSubject(subject) && subject.line)) return skip('the subject has no line');
  if (testCase.needsRetry && isPortsSubject(subject) && !subject.isRetryable(needs)) {
    return skip(`retryableWrites does not name ${needs}, so Puente sends it only once per key`);
  }
  const named = [rule ?? []].flat().find((each) => subject.fixtures.rules?.includes(each));
  if (named) return skip(`a rule in the fixtures excludes it: ${rules[named]}`);
  return { title, run: (each, start) => runByRules(testCase, each, start) };
}

/** Runs the case. Skips it if it reads a fixture that is not named, or if the system refuses a value. */
async function runByRules({ id, run, inProcess, rule }: Case, subject: Subject, start: () => Promise<Subject>) {
  const refusals = isPortsSubject(subject) && inProcess ? subject.thrown.refusals : [];
  const before = refusals.length;
  beginPicks(id);
  try {
    await run(respectRules(subject, [rule ?? []].flat()), async () => respectRules(await start(), []));
  } catch (error) {
    const refusal = refusals[before];
    throw refusal === undefined ? error : new Skipped(`the system does not accept a value: ${refusal}`);
  }
}

const respectRules = (subject: Subject, [rule]: readonly Rule[]): Subject => ({
  ...subject,
  fixtures: watchFixtures(subject.fixtures, subject.wrongFixtures),
  send: async (request) => {
    const response = await subject.send(request);
    if (response.status !== 501) return response;
    const { happened, advice } = problems.not_implemented;
    const code = getField(response.body, 'code');
    const detail = String(getField(response.body, 'detail') ?? happened);
    // A write may refuse a value with its own sentence. A read refuses one only by a rule.
    const isOfValue = code === 'not_implemented' && !detail.startsWith(happened);
    if (isOfValue && (rule || !/^GET |-slots$/.test(request.route))) {
      throw new Skipped(`the system does not accept a value: ${detail.replace(advice, '').trim()}`);
    }
    if (rule) throw new Skipped(`the system answers 501 by its rule: ${rules[rule]}`);
    return response;
  },
});

/** Runs one case on a new subject, or its `whenUnsupported` if its capability is not offered. Never throws. */
export async function runCase(testCase: Case, start: () => Promise<Subject>, level?: Level): Promise<CaseResult> {
  const startedAt = performance.now();
  const finish = (title: string, rest: Omit<CaseResult, 'id' | 'title' | 'ms'>): CaseResult => ({
    id: testCase.id,
    title,
    ...rest,
    ms: Math.round(performance.now() - startedAt),
  });
  const begun: Subject[] = [];
  const begin = async () => {
    const subject = await start();
    begun.push(subject);
    return subject;
  };
  try {
    const subject = await begin();
    const plan = planCase(testCase, subject, level);
    if (plan.skipped !== undefined) return finish(plan.title, { outcome: 'skip', reason: plan.skipped });
    await plan.run(subject, begin);
    return finish(plan.title, { outcome: 'pass' });
  } catch (error) {
    if (error instanceof Skipped) return finish(testCase.title, { outcome: 'skip', reason: error.message });
    const thrown = begun.flatMap((subject) => (isPortsSubject(subject) ? subject.thrown.list() : []));
    // The adapter's error may contain data of a patient.
    const isAdapters = thrown.some(([, each]) => each === error);
    const message = String(getField(error, 'message') ?? error);
    const reason = [...(isAdapters ? [] : [message]), ...thrown.map(([what]) => what)].join('\n');
    return finish(testCase.title, { outcome: 'fail', reason, error, thrown });
  }
}

/** Runs the cases one after another, each on a new subject. */
export async function runCases(
  cases: readonly Case[],
  start: () => Promise<Subject>,
  level?: Level,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const testCase of cases) results.push(await runCase(testCase, start, level));
  return results;
}
