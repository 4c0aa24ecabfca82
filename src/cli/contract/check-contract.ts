import { closeSync, openSync, writeFileSync } from 'node:fs';
import { formatCaseTable, type Level } from '../../contract/index.ts';
import { getSeed, setSeed } from '../../contract/random.ts';
import { capabilities } from '../../ports/index.ts';
import { version } from '../../toolkit/package.ts';
import { exitCodes } from '../exit-codes.ts';
import { CannotRun } from './cannot-run.ts';
import type { CommandContext } from './command-context.ts';
import { readKnownFailures } from './known-failures.ts';
import { Mask } from './mask.ts';
import { openTarget, type TargetOptions } from './open-target.ts';
import { listPersonal } from './personal.ts';
import { createProgress } from './progress.ts';
import { formatJson } from './reports/json.ts';
import { formatJunit } from './reports/junit.ts';
import { formatTerminal } from './reports/terminal.ts';
import { count, type Report } from './result.ts';
import { runContract } from './run.ts';
import { selectCases } from './select-cases.ts';

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
