import { AssertionError } from 'node:assert';
import type { Case, Level } from './case.ts';
import { listCases } from './cases/index.ts';
import { findWrongFixtures } from './fixture-check.ts';
import { getSeed, setSeed } from './queries.ts';
import { type CaseResult, planCase } from './run.ts';
import { Runner } from './runner.ts';
import { isPortsSubject, type Subject } from './subject.ts';

/** The function that the contract needs of a test runner: `test` of jest, vitest and node:test. */
export interface Test {
  (title: string, run: (...given: readonly unknown[]) => Promise<void>): unknown;
  readonly skip: (title: string, run: () => Promise<void>) => unknown;
}

export interface DescribeOptions {
  /** The beginning of the titles, where one file runs the contract over several subjects. */
  readonly name?: string;
  /** Default: every case, those of the gateway where only requests are sent, and whether two starts are independent. */
  readonly cases?: readonly Case[];
  /** Default: `destructive`. */
  readonly level?: Level;
  /** True if the subject offers everything: a case that would be skipped fails then. Default: false. */
  readonly complete?: boolean;
  /** Failures that are known, by the ids of their cases, with a reason each: such a case is skipped, and fails once it passes. */
  readonly known?: Readonly<Record<string, string>>;
  /** What is picked at random follows from it. Default: `PUENTE_CONTRACT_SEED`, else another number each time; a failed case names it. */
  readonly seed?: number;
}

/**
 * Makes a test of each case, called `<id>: <title>`. Those that this subject does not offer are skipped, as one test for each reason,
 * which names them. Await it at the top of a test file: it starts one subject to ask what is offered, and whether the institution has
 * what the fixtures name. One test fails for all fixtures that are wrong, and cases that need them are skipped. What the system refuses
 * while it runs is skipped too; a runner that gives its tests no `skip`, as jest, shows it as passed, and each reason is printed once.
 * When the system is away, one case fails and all further ones are skipped.
 * @param start begins a subject on which nothing has happened yet.
 */
export async function describeContract(
  test: Test,
  start: () => Subject | Promise<Subject>,
  options: DescribeOptions = {},
): Promise<void> {
  const { name, level, complete = false, known = {}, seed = Number(process.env.PUENTE_CONTRACT_SEED) } = options;
  if (seed) setSeed(seed);
  const prefix = name === undefined ? '' : `${name}: `;
  const first = await start();
  const inProcess = isPortsSubject(first);
  const { cases = listCases({ isFresh: true, inProcess, canFail: inProcess || first.fail !== undefined }) } = options;
  const wrongFixtures = await findWrongFixtures(first, cases, level);
  if (wrongFixtures.size > 0) {
    const sentences = [...wrongFixtures].map(([fixture, problem]) => `${fixture}: ${problem}`);
    test(`${prefix}the fixtures name what the institution has`, () => Promise.reject(new Error(sentences.join('\n'))));
  }
  const runner = new Runner({ start, level, known: new Map(Object.entries(known)), wrongFixtures });
  const skipped = new Map<string, string[]>();
  const printed = new Set<string>();
  for (const each of cases) {
    const plan = planCase(each, { ...first, wrongFixtures }, level);
    const title = `${prefix}${each.id}: ${plan.title}`;
    if (plan.skipped === undefined) {
      test(title, async (...[context]) => {
        const result = await runner.run(each);
        if (result.outcome === 'fail' || result.unanswered) throw tellThrown(result);
        const { outcome, reason = '' } = result;
        if (outcome !== 'skip' || skipTest(context, reason) || printed.has(reason)) return;
        printed.add(reason);
        process.stdout.write(`${title}: skipped, as are all cases with this reason: ${reason}\n`);
      });
    } else if (complete) test(title, () => Promise.reject(new Error(`skipped: ${plan.skipped}`)));
    else skipped.set(plan.skipped, [...(skipped.get(plan.skipped) ?? []), each.id]);
  }
  for (const [reason, ids] of skipped) {
    const count = ids.length === 1 ? 'one case' : `${ids.length} cases`;
    test.skip(`${prefix}${count} skipped, because ${reason}: ${ids.join(', ')}`, async () => {});
  }
}

/**
 * Skips the running test with its reason, if the runner can.
 * @param context of the runner: node:test and vitest give each test one, with `skip`.
 * @returns false where the test goes on, as in jest.
 */
export function skipTest(context: unknown, reason: string): boolean {
  const skip: unknown = Reflect.get(Object(context), 'skip');
  if (typeof skip !== 'function') return false;
  Reflect.apply(skip, context, [reason]);
  return true;
}

/** What a case failed with; what went wrong in the adapter meanwhile stands in its message, and is its cause. */
function tellThrown({ reason, error = new Error(reason), thrown = [] }: CaseResult): unknown {
  if (!(error instanceof AssertionError)) return error;
  const others = thrown.filter(([, each]) => each !== error);
  const picked = `picked by PUENTE_CONTRACT_SEED=${getSeed()}`;
  const message = [error.message, ...others.map(([what]) => what), picked].join('\n');
  const stack = error.stack?.replace(error.message, () => message);
  return Object.assign(error, { message, stack, ...(others[0] && { cause: others[0][1] }) });
}

/**
 * What each case stands on, as a table in Markdown: what it proves, what it requires, and
 * the fixtures that it needs besides those of its capabilities.
 */
export function formatCaseTable(cases: readonly Case[]): string {
  const head = ['case', 'proves', 'requires', 'fixtures'];
  const rows = cases.map(({ id, needs, requires, fixtures }) => [
    id,
    needs,
    ...[requires, fixtures].map((each) => each.join(', ')),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
