import { closeSync, openSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { listCases, type Reach } from '../../contract/cases/index.ts';
import { findWrongFixtures } from '../../contract/fixture-check.ts';
import { type Case, formatCaseTable, type Level } from '../../contract/index.ts';
import { getSeed, setSeed } from '../../contract/queries.ts';
import { type KnownFailures, Runner, type RunnerOptions, type RunResult } from '../../contract/runner.ts';
import { capabilities } from '../../ports/index.ts';
import { buildVersion } from '../../toolkit/package.ts';
import { didYouMean } from '../../toolkit/problems.ts';
import { YamlFile } from '../../toolkit/yaml-file.ts';
import { exitCodes } from '../terminal.ts';
import { explain } from './explanation.ts';
import { type FixtureMap, readMap } from './map.ts';
import { type CurlTarget, formatCurl, listPersonal, Mask } from './mask.ts';
import { CannotRun, type CommandContext, createProgress } from './options.ts';
import { type ContractReport, count, formatJson, formatJunit, formatTerminal, type ReportedCase } from './reports.ts';
import { describeTarget, findTarget, type InstitutionOptions, type Target } from './target.ts';

export interface ContractOptions extends InstitutionOptions {
  readonly map?: string;
  readonly level?: Level;
  readonly only?: string;
  /** Prints the cases instead of running them. */
  readonly list?: true;
  readonly skip?: string;
  readonly seed?: number;
  readonly bail?: true;
  readonly verbose?: true;
  readonly json?: string;
  readonly junit?: string;
}

const everything: Reach = { isFresh: true, canFail: true, inProcess: false };

const formats = { json: formatJson, junit: formatJunit } as const;

/**
 * Runs the contract, prints the results and writes the reports.
 * @returns the exit code.
 * @throws CannotRun or ConfigProblems if the contract cannot run.
 */
export async function checkContract(options: ContractOptions, context: CommandContext): Promise<number> {
  if (options.list) {
    context.print(`${formatCaseTable(selectCases(options.only, everything))}\n`);
    return exitCodes.right;
  }
  for (const format of Object.keys(formats) as (keyof typeof formats)[]) checkWritable(options[format]);
  const map = options.map === undefined ? undefined : readMap(options.map);
  const progress = createProgress(context.progress, { isVerbose: options.verbose ?? false });
  progress.note('reading the records of the institution');
  const target = await findTarget(options, context);
  try {
    const report = await runOver(target, map, options, { signal: context.signal, progress });
    // First, because a file that cannot be written would lose the results.
    context.print(formatTerminal(report, context.paint, options.verbose));
    for (const [format, write] of Object.entries(formats)) {
      const file = options[format as keyof typeof formats];
      if (file !== undefined) refuseUnwritable(file, () => writeFileSync(file, write(report)));
    }
    return toExitCode(report);
  } finally {
    await target.close();
  }
}

/** Runs the selected cases over the institution. */
async function runOver(
  target: Target,
  map: FixtureMap | undefined,
  options: ContractOptions,
  { signal, progress }: Pick<CommandContext, 'signal'> & { readonly progress: ReturnType<typeof createProgress> },
): Promise<ContractReport> {
  const { forgets } = target;
  const { fixtures, supports, source } = describeTarget(target, map, options.map);
  const level = options.level ?? (forgets ? 'destructive' : 'safe');
  const cases = selectCases(options.only, {
    isFresh: forgets,
    canFail: options.through !== undefined,
    inProcess: options.url === undefined,
  });
  const known =
    options.skip === undefined ? new Map() : readKnownFailures(options.skip, selectCases(undefined, everything));
  if (options.seed !== undefined) setSeed(options.seed);
  const startedAt = new Date();
  progress.note('searching for the records of the fixtures');
  const first = await target.start({ level: 'safe' }, fixtures, supports);
  const wrongFixtures = await findWrongFixtures(first, cases, level);
  const run = await runContract({
    cases,
    level,
    start: (testCase) => target.start(testCase, fixtures, supports),
    bail: options.bail ?? false,
    lasts: !forgets,
    known,
    wrongFixtures,
    mask: new Mask(listPersonal(fixtures)),
    curl: target.curl,
    signal,
    onCase: (testCase, index) => progress.show(testCase, index, cases.length),
  });
  progress.clear();
  return {
    version: buildVersion,
    target: { name: target.name, how: target.how, fixtures: source },
    level,
    seed: getSeed(),
    offered: capabilities.filter((capability) => supports.has(capability)),
    startedAt: startedAt.toISOString(),
    ms: Date.now() - startedAt.getTime(),
    wrongFixtures: Object.fromEntries(wrongFixtures),
    ...run,
  };
}

function toExitCode({ cases, stopped, wrongFixtures }: ContractReport): number {
  if (count(cases, 'fail') > 0) return exitCodes.wrong;
  const isWhole = stopped === undefined && Object.keys(wrongFixtures).length === 0;
  const isProved = isWhole && count(cases, 'pass') > 0 && !cases.some(({ unanswered }) => unanswered);
  return isProved ? exitCodes.right : exitCodes.cannotRun;
}

function checkWritable(file: string | undefined): void {
  if (file !== undefined) refuseUnwritable(file, () => closeSync(openSync(file, 'a')));
}

/** @throws CannotRun if the work fails. */
function refuseUnwritable(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new CannotRun(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Compiles a pattern: `*` matches any text, and case does not count. */
const toExpression = (pattern: string): RegExp => new RegExp(pattern.split('*').map(RegExp.escape).join('.*'), 'i');

/**
 * The cases whose id or title contains the pattern.
 * @throws CannotRun if there are none.
 */
export function selectCases(pattern: string | undefined, reach: Reach): readonly Case[] {
  const all = listCases(reach);
  if (pattern === undefined) return all;
  const expression = toExpression(pattern);
  const selected = all.filter(({ id, title, whenUnsupported }) =>
    [id, title, whenUnsupported?.title ?? ''].some((text) => expression.test(text)),
  );
  if (selected.length === 0) throw new CannotRun(`no id or title of a case contains '${pattern}': see contract --list`);
  return selected;
}

export interface ContractRunOptions extends RunnerOptions {
  readonly cases: readonly Case[];
  /** Stops after the first failed case. */
  readonly bail: boolean;
  readonly mask: Mask;
  readonly curl: CurlTarget;
  /** Stops after the current case. */
  readonly signal: AbortSignal;
  /** Called before each case. */
  readonly onCase: (testCase: Case, index: number) => void;
}

/** Runs the cases one after another, and hides the values of patients in its report. */
export async function runContract(
  options: ContractRunOptions,
): Promise<Pick<ContractReport, 'cases' | 'cleanUp' | 'stopped'>> {
  const { cases, bail, signal, onCase, mask, curl } = options;
  const runner = new Runner({ ...options, keepsExchanges: true });
  const reported: ReportedCase[] = [];
  for (const [index, testCase] of cases.entries()) {
    if (signal.aborted) runner.stop('the run was interrupted');
    if (runner.stopped === undefined) onCase(testCase, index);
    const result = await runner.run(testCase);
    mask.learn(result.exchanges, result.returned);
    reported.push(report(testCase, result, mask, curl));
    if (bail && result.outcome === 'fail') runner.stop('an earlier case failed, and --bail stops the run');
  }
  const { stopped, cleanUp } = runner;
  return { cases: reported, cleanUp, ...(stopped !== undefined && { stopped }) };
}

/** The maximum number of reported requests of a case. Parallel and paging cases send many similar ones. */
const MAX_REQUESTS = 40;

function report({ id, section, needs, level }: Case, result: RunResult, mask: Mask, curl: CurlTarget): ReportedCase {
  const { title, outcome, ms, unanswered, exchanges } = result;
  const reason = result.reason === undefined ? {} : { reason: mask.hide(explain(result)) };
  const requests = exchanges.slice(0, MAX_REQUESTS).map(({ request, response, ms }) => ({
    route: request.route,
    status: response?.status,
    ms,
    curl: formatCurl(request, curl, mask),
  }));
  return { id, title, section, needs, level, outcome, ...reason, ...(unanswered && { unanswered }), ms, requests };
}

const reasons = z.record(z.string(), z.string().regex(/\S/));

/**
 * Reads the known failures.
 * @throws ConfigProblems if the file cannot be read, and CannotRun if a case does not exist or has no reason.
 */
export function readKnownFailures(file: string, cases: readonly Case[]): KnownFailures {
  const { data } = reasons.safeParse(
    new YamlFile(file, { option: '--skip', example: 'patients.register.twice: a reason' }).toJS(),
  );
  if (!data) throw new CannotRun(`${file}: a case has no reason: add one`);
  const ids = cases.map(({ id }) => id);
  const strange = Object.keys(data).find((id) => !ids.includes(id));
  if (strange !== undefined)
    throw new CannotRun(`${file} names an unknown case: ${strange}${didYouMean(strange, ids)}`);
  return new Map(Object.entries(data));
}
