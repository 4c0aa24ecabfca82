import { AssertionError } from 'node:assert';
import type { Case, Level } from './case.ts';
import { cases as adapterCases, gatewayCases, outageCases, portCases, startCases } from './cases/index.ts';
import { getSeed, setSeed } from './queries.ts';
import { listThrown, planCase } from './run.ts';
import { isPortsSubject, type Subject } from './subject.ts';
import { Skipped } from './thrown.ts';

/** What the contract asks of a test runner: jest, vitest and node:test have such a `test`. */
export interface Test {
  (title: string, run: (...given: readonly unknown[]) => Promise<void>): unknown;
  readonly skip: (title: string, run: () => Promise<void>) => unknown;
}

export interface DescribeOptions {
  /** What the titles begin with, where one file runs the contract over several subjects. */
  readonly name?: string;
  /** Default: every case, those of the gateway where only requests are sent, and whether two starts are independent. */
  readonly cases?: readonly Case[];
  /** Default: `destructive`. */
  readonly level?: Level;
  /** Whether the subject offers everything: what would be skipped fails then. Default: false. */
  readonly complete?: boolean;
  /** Failures that are known, by the ids of their cases, with a reason each: such a case is skipped, and fails once it passes. */
  readonly known?: Readonly<Record<string, string>>;
  /** What is picked at random follows from it. Default: `PUENTE_CONTRACT_SEED`, else another number each time; a failed case names it. */
  readonly seed?: number;
}

/**
 * Makes a test of each case, called `<id>: <title>`. Those that this subject does not offer are skipped, as one test for each reason,
 * which names them. Await it at the top of a test file: it starts one subject to ask what is offered. What the system refuses
 * while it runs is skipped too; a runner that gives its tests no `skip`, as jest, shows it as passed.
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
  const begin = async () => start();
  const first = await begin();
  const beside = isPortsSubject(first) ? [] : gatewayCases;
  const { cases = [...startCases, ...adapterCases, ...portCases, ...outageCases, ...beside] } = options;
  const skipped = new Map<string, string[]>();
  for (const each of cases) {
    const plan = planCase(each, first, level);
    const title = `${prefix}${each.id}: ${plan.title}`;
    if (plan.skipped === undefined) test(title, (...[context]) => prove(plan.run, begin, known[each.id], context));
    else if (complete) test(title, () => Promise.reject(new Error(`skipped: ${plan.skipped}`)));
    else skipped.set(plan.skipped, [...(skipped.get(plan.skipped) ?? []), each.id]);
  }
  for (const [reason, ids] of skipped) {
    const count = ids.length === 1 ? 'one case' : `${ids.length} cases`;
    test.skip(`${prefix}${count} skipped, because ${reason}: ${ids.join(', ')}`, async () => {});
  }
}

/**
 * @param known why it is known to fail.
 * @param context of the runner: node:test and vitest give each test one, with `skip`.
 */
async function prove(run: Case['run'], begin: () => Promise<Subject>, known?: string, context?: unknown) {
  const begun: Subject[] = [];
  const remember = async () => {
    const subject = await begin();
    begun.push(subject);
    return subject;
  };
  try {
    await run(await remember(), remember);
  } catch (error) {
    const reason = error instanceof Skipped ? error.message : known;
    if (reason === undefined) throw tellThrown(error, begun);
    const skip: unknown = Reflect.get(Object(context), 'skip');
    if (typeof skip === 'function') Reflect.apply(skip, context, [reason]);
    return;
  }
  if (known !== undefined) throw new Error(`it passes, and is named as a known failure: ${known}`);
}

/** What a case failed with; what went wrong in the adapter meanwhile stands in its message, and is its cause. */
function tellThrown(error: unknown, begun: readonly Subject[]): unknown {
  const thrown = listThrown(begun).filter(([, each]) => each !== error);
  if (!(error instanceof AssertionError)) return error;
  const picked = `picked by PUENTE_CONTRACT_SEED=${getSeed()}`;
  const message = [error.message, ...thrown.map(([what]) => what), picked].join('\n');
  const stack = error.stack?.replace(error.message, () => message);
  return Object.assign(error, { message, stack, ...(thrown[0] && { cause: thrown[0][1] }) });
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
