import { closeSync, openSync, writeFileSync } from 'node:fs';
import {
  type Case,
  cases,
  formatCaseTable,
  gatewayCases,
  type Level,
  lostRequestCases,
  portCases,
  startCases,
} from '../../contract/index.ts';
import { getSeed, setSeed } from '../../contract/queries.ts';
import { capabilities } from '../../ports/index.ts';
import { version } from '../../toolkit/package.ts';
import { exitCodes } from '../terminal.ts';
import { listPersonal, Mask } from './mask.ts';
import { CannotRun, type CommandContext, createProgress } from './options.ts';
import { formatJson, formatJunit, formatTerminal } from './reports.ts';
import { count, type Report } from './result.ts';
import { readKnownFailures, runContract } from './run.ts';
import { openTarget, type TargetOptions } from './target.ts';

export interface ContractOptions extends TargetOptions {
  readonly level?: Level;
  readonly only?: string;
  /** Prints the cases instead. */
  readonly list?: true;
  readonly skip?: string;
  readonly seed?: number;
  readonly bail?: true;
  readonly verbose?: true;
  readonly json?: string;
  readonly junit?: string;
}

const everything = { forgets: true, hasLine: true, inProcess: false };

const formats = { json: formatJson, junit: formatJunit } as const;

/**
 * Runs the contract, prints what came of it and writes the reports.
 * @returns what to exit with.
 * @throws CannotRun or ConfigProblems when it cannot be run.
 */
export async function checkContract(options: ContractOptions, context: CommandContext): Promise<number> {
  if (options.list) {
    context.print(`${formatCaseTable(selectCases(options.only, everything))}\n`);
    return exitCodes.right;
  }
  const { paint, signal, print } = context;
  for (const format of Object.keys(formats) as (keyof typeof formats)[]) checkWritable(options[format]);
  const target = await openTarget(options, context);
  try {
    const { forgets, fixtures, supports } = target;
    const level = options.level ?? (forgets ? 'destructive' : 'safe');
    const cases = selectCases(options.only, {
      forgets,
      hasLine: options.through !== undefined,
      inProcess: options.url === undefined,
    });
    const known =
      options.skip === undefined ? new Map() : readKnownFailures(options.skip, selectCases(undefined, everything));
    if (options.seed !== undefined) setSeed(options.seed);
    const progress = createProgress(context.progress, cases.length);
    const startedAt = new Date();
    const run = await runContract({
      cases,
      level,
      start: (testCase) => target.start(testCase),
      bail: options.bail ?? false,
      lasts: !forgets,
      known,
      mask: new Mask(listPersonal(fixtures)),
      curl: target.curl,
      signal,
      onCase: progress.show,
    });
    progress.clear();
    const report: Report = {
      version,
      target: { name: target.name, how: target.how, fixtures: target.source },
      level,
      seed: getSeed(),
      offered: capabilities.filter((capability) => supports.has(capability)),
      startedAt: startedAt.toISOString(),
      ms: Date.now() - startedAt.getTime(),
      ...run,
    };
    for (const [format, write] of Object.entries(formats)) {
      const file = options[format as keyof typeof formats];
      if (file !== undefined) writeFileSync(file, write(report));
    }
    print(formatTerminal(report, paint, options.verbose));
    return toExitCode(report);
  } finally {
    await target.close();
  }
}

function toExitCode({ cases, stopped }: Report): number {
  if (count(cases, 'fail') > 0) return exitCodes.wrong;
  const isProved = stopped === undefined && count(cases, 'pass') > 0 && !cases.some(({ unanswered }) => unanswered);
  return isProved ? exitCodes.right : exitCodes.cannotRun;
}

function checkWritable(file: string | undefined): void {
  if (file === undefined) return;
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new CannotRun(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** What a pattern is matched against: `*` stands for any text, and case does not matter. */
const toExpression = (pattern: string): RegExp => new RegExp(pattern.split('*').map(RegExp.escape).join('.*'), 'i');

interface Reach {
  /** Whether every case has an institution of its own, so that this can be proved too. */
  readonly forgets: boolean;
  /** Whether something stands before the system that can lose its answers. */
  readonly hasLine: boolean;
  /** Whether an adapter is judged; what the gateway decides is not, then. */
  readonly inProcess: boolean;
}

/**
 * The cases whose id or title has the pattern in it.
 * @throws CannotRun when there are none.
 */
export function selectCases(pattern: string | undefined, { forgets, hasLine, inProcess }: Reach): readonly Case[] {
  const all = [
    ...(forgets ? startCases : []),
    ...cases,
    ...portCases,
    ...(inProcess ? [] : gatewayCases),
    ...(hasLine ? lostRequestCases : []),
  ];
  if (pattern === undefined) return all;
  const expression = toExpression(pattern);
  const selected = all.filter(({ id, title, whenUnsupported }) =>
    [id, title, whenUnsupported?.title ?? ''].some((text) => expression.test(text)),
  );
  if (selected.length === 0) throw new CannotRun(`no id or title of a case has '${pattern}' in it`);
  return selected;
}
