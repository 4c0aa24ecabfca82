import { AssertionError } from 'node:assert';
import type { Case, Level } from './case.ts';
import { cases as adapterCases, gatewayCases, outageCases, portCases, startCases } from './cases/index.ts';
import { isPortsSubject } from './ports-subject.ts';
import { listThrown, type Plan, planCase } from './run.ts';
import { Skipped } from './skipped.ts';
import type { Subject } from './subject.ts';

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
}

/**
 * Makes a test of each case, called `<id>: <title>`. One that this subject does not offer is skipped, with the reason in its
 * title. Await it at the top of a test file: it starts one subject to ask what is offered. What a rule of the system refuses
 * while it runs is skipped too; a runner that gives its tests no `skip`, as jest, shows it as passed.
 * @param start begins a subject on which nothing has happened yet.
 */
export async function describeContract(
  test: Test,
  start: () => Subject | Promise<Subject>,
  options: DescribeOptions = {},
): Promise<void> {
  const { name, level, complete = false } = options;
  const prefix = name === undefined ? '' : `${name}: `;
  const begin = async () => start();
  const first = await begin();
  const beside = isPortsSubject(first) ? [] : gatewayCases;
  const { cases = [...startCases, ...adapterCases, ...portCases, ...outageCases, ...beside] } = options;
  for (const each of cases) {
    const plan = planCase(each, first, level);
    const title = `${prefix}${each.id}: ${plan.title}`;
    if (plan.skipped === undefined) test(title, async (...[context]) => prove(plan, begin, context));
    else if (complete) test(title, () => Promise.reject(new Error(`skipped: ${plan.skipped}`)));
    else test.skip(`${title} (skipped: ${plan.skipped})`, async () => {});
  }
}

/** @param context of the runner: node:test and vitest give each test one, with `skip`. */
async function prove({ run }: Extract<Plan, { run: unknown }>, begin: () => Promise<Subject>, context: unknown) {
  const begun: Subject[] = [];
  const remember = async () => {
    const subject = await begin();
    begun.push(subject);
    return subject;
  };
  try {
    await run(await remember(), remember);
  } catch (error) {
    if (!(error instanceof Skipped)) throw tellThrown(error, begun);
    const skip: unknown = Reflect.get(Object(context), 'skip');
    if (typeof skip === 'function') Reflect.apply(skip, context, [error.message]);
  }
}

/** What a case failed with; what went wrong in the adapter meanwhile stands in its message, and is its cause. */
function tellThrown(error: unknown, begun: readonly Subject[]): unknown {
  const thrown = listThrown(begun).filter(([, each]) => each !== error);
  if (!(error instanceof AssertionError) || thrown.length === 0) return error;
  const message = [error.message, ...thrown.map(([what]) => what)].join('\n');
  const stack = error.stack?.replace(error.message, () => message);
  return Object.assign(error, { message, stack, cause: thrown[0]?.[1] });
}
