import { AssertionError } from 'node:assert';
import type { Case, Level } from './case.ts';
import { listCases } from './cases/index.ts';
import { findWrongFixtures } from './fixture-check.ts';
import { getSeed, setSeed } from './queries.ts';
import { type CaseResult, planCase } from './run.ts';
import { Runner } from './runner.ts';
import { isPortsSubject, type Subject } from './subject.ts';

/** The function that the contract calls on a test runner: `test` of jest, vitest and node:test. */
export interface Test {
  (title: string, run: (...given: readonly unknown[]) => Promise<void>): unknown;
  readonly skip: (title: string, run: () => Promise<void>) => unknown;
}

export interface DescribeOptions {
  /** The prefix of the titles, if one file runs the contract over several subjects. */
  readonly name?: string;
  /**
   * Default: every case. The cases of the gateway run only if requests are sent. A further case checks whether two
   * starts are independent.
   */
  readonly cases?: readonly Case[];
  /** Default: `destructive`. */
  readonly level?: Level;
  /** True if the subject offers everything. A case that would be skipped then fails. Default: false. */
  readonly complete?: boolean;
  /** Known failures: the reason, by the id of the case. The contract skips such a case, and fails it once it passes. */
  readonly known?: Readonly<Record<string, string>>;
  /**
   * The seed of all random choices. Default: `PUENTE_CONTRACT_SEED`, otherwise a new number each time. A failed case
   * names it.
   */
  readonly seed?: number;
}

/**
 * Creates a test for each case, called `<id>: <title>`. One skipped test for each reason names the cases that this
 * subject does not offer. Await the call at the top of a test file: it starts one subject, and checks which
 * capabilities it offers and whether the institution has the records of the fixtures. One test fails for all wrong
 * fixtures, and the cases that need them are skipped. A case that the system refuses at run time is skipped too. A
 * runner without `skip`, such as jest, shows such a case as passed, and each reason is printed once. If the system is
 * unreachable, one case fails and all further cases are skipped.
 * @param start starts a subject without earlier changes.
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
    test(`${prefix}the institution has the records that the fixtures name`, () =>
      Promise.reject(new Error(sentences.join('\n'))));
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
        if (result.outcome === 'fail' || result.unanswered) throw toTestError(result);
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
 * @param context of the runner: node:test and vitest pass one to each test, with `skip`.
 * @returns false if the test continues, as in jest.
 */
export function skipTest(context: unknown, reason: string): boolean {
  const skip: unknown = Reflect.get(Object(context), 'skip');
  if (typeof skip !== 'function') return false;
  Reflect.apply(skip, context, [reason]);
  return true;
}

/**
 * The error of a failed case. Its message includes the adapter's errors in the meantime, and its cause is the first of
 * them.
 */
function toTestError({ reason, error = new Error(reason), thrown = [] }: CaseResult): unknown {
  if (!(error instanceof AssertionError)) return error;
  const others = thrown.filter(([, each]) => each !== error);
  const picked = `picked by PUENTE_CONTRACT_SEED=${getSeed()}`;
  const message = [error.message, ...others.map(([what]) => what), picked].join('\n');
  const stack = error.stack?.replace(error.message, () => message);
  return Object.assign(error, { message, stack, ...(others[0] && { cause: others[0][1] }) });
}

/**
 * A Markdown table of the requirements of each case: the capability that it proves, the ones that it requires, and its
 * own fixtures.
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
