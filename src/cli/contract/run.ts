import { AssertionError } from 'node:assert';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { diff, inspect, stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import {
  cases as adapterCases,
  type Case,
  type CaseResult,
  formatCaseTable,
  gatewayCases,
  type Level,
  lostRequestCases,
  portCases,
  type Request,
  runCase,
  type Subject,
  startCases,
} from '../../contract/index.ts';
import { getSeed, setSeed } from '../../contract/queries.ts';
import { capabilities } from '../../ports/index.ts';
import { buildVersion } from '../../toolkit/package.ts';
import { didYouMean } from '../../toolkit/problems.ts';
import { YamlFile } from '../../toolkit/yaml-file.ts';
import { exitCodes } from '../terminal.ts';
import { readMap } from './map.ts';
import { type CurlTarget, formatCurl, listPersonal, Mask } from './mask.ts';
import { CannotRun, type CommandContext, createProgress } from './options.ts';
import { type CleanUp, cleanUp, createCleanUp, type Exchange, explainError, Recorder } from './recorder.ts';
import { type ContractReport, count, formatJson, formatJunit, formatTerminal, type ReportedCase } from './reports.ts';
import { describeTarget, findTarget, type InstitutionOptions } from './target.ts';

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

const everything = { forgets: true, hasLine: true, inProcess: false };

const formats = { json: formatJson, junit: formatJunit } as const;

/**
 * Runs the contract, prints the results and writes the reports.
 * @returns the exit code.
 * @throws CannotRun or ConfigProblems when the contract cannot be run.
 */
export async function checkContract(options: ContractOptions, context: CommandContext): Promise<number> {
  if (options.list) {
    context.print(`${formatCaseTable(selectCases(options.only, everything))}\n`);
    return exitCodes.right;
  }
  const { paint, signal, print } = context;
  for (const format of Object.keys(formats) as (keyof typeof formats)[]) checkWritable(options[format]);
  const map = options.map === undefined ? undefined : readMap(options.map);
  const progress = createProgress(context.progress, { isVerbose: options.verbose ?? false });
  progress.note('looking at what the institution has');
  const target = await findTarget(options, context);
  try {
    const { forgets } = target;
    const { fixtures, supports, source } = describeTarget(target, map, options.map);
    const level = options.level ?? (forgets ? 'destructive' : 'safe');
    const cases = selectCases(options.only, {
      forgets,
      hasLine: options.through !== undefined,
      inProcess: options.url === undefined,
    });
    const known =
      options.skip === undefined ? new Map() : readKnownFailures(options.skip, selectCases(undefined, everything));
    if (options.seed !== undefined) setSeed(options.seed);
    const startedAt = new Date();
    const run = await runContract({
      cases,
      level,
      start: (testCase) => target.start(testCase, fixtures, supports),
      bail: options.bail ?? false,
      lasts: !forgets,
      known,
      mask: new Mask(listPersonal(fixtures)),
      curl: target.curl,
      signal,
      onCase: (testCase, index) => progress.show(testCase, index, cases.length),
    });
    progress.clear();
    const report: ContractReport = {
      version: buildVersion,
      target: { name: target.name, how: target.how, fixtures: source },
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

function toExitCode({ cases, stopped }: ContractReport): number {
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

/** Compiles a pattern: `*` matches any text, and case does not count. */
const toExpression = (pattern: string): RegExp => new RegExp(pattern.split('*').map(RegExp.escape).join('.*'), 'i');

interface Reach {
  /** True if every case has an institution of its own. Cases about that can then run. */
  readonly forgets: boolean;
  /** True if a proxy before the system can drop its answers. */
  readonly hasLine: boolean;
  /** True if the adapter is tested. The gateway's own decisions are then not. */
  readonly inProcess: boolean;
}

/**
 * The cases whose id or title contains the pattern.
 * @throws CannotRun when there are none.
 */
export function selectCases(pattern: string | undefined, { forgets, hasLine, inProcess }: Reach): readonly Case[] {
  const all = [
    ...(forgets ? startCases : []),
    ...adapterCases,
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

export interface ContractRunOptions {
  readonly cases: readonly Case[];
  /** Creates the subject of a case. */
  readonly start: (testCase: Case) => Promise<Subject>;
  readonly level: Level;
  /** Stops after the first case that fails. */
  readonly bail: boolean;
  /** True if the records of a case outlive it. */
  readonly lasts: boolean;
  readonly known: KnownFailures;
  readonly mask: Mask;
  readonly curl: CurlTarget;
  /** Stops after the current case. */
  readonly signal: AbortSignal;
  /** Called before each case. */
  readonly onCase: (testCase: Case, index: number) => void;
}

export interface Run {
  readonly cases: readonly ReportedCase[];
  readonly cleanUp: CleanUp | undefined;
  /** The reason why some cases were not run. */
  readonly stopped?: string;
}

/** The maximum number of reported requests of a case. Parallel and paging cases send many similar ones. */
const MAX_REQUESTS = 40;

/** The run ends after this number of unanswered cases in a row, because each of them may wait for a minute. */
const MAX_UNANSWERED = 3;

/** Runs the cases one after the other, and cleans up after each of them. */
export async function runContract(options: ContractRunOptions): Promise<Run> {
  const { cases, bail, lasts, signal, onCase } = options;
  const done = createCleanUp();
  const reported: ReportedCase[] = [];
  let stopped: string | undefined;
  let unanswered = 0;
  /** A read that got an answer. */
  let known: Request | undefined;
  for (const [index, testCase] of cases.entries()) {
    stopped ??= signal.aborted ? 'the run was interrupted' : undefined;
    if (stopped !== undefined) {
      reported.push(report(testCase, { ...testCase, outcome: 'skip', reason: stopped, ms: 0 }));
      continue;
    }
    onCase(testCase, index);
    const recorder = new Recorder();
    const result = await runOne(testCase, options, done, recorder);
    const { noAnswer } = recorder;
    const hasFailed = result.outcome === 'fail' && noAnswer !== undefined;
    // A system that fails one request and answers another is reachable: it broke its promise.
    const isAway = hasFailed && noAnswer.isAway && !(await isThere(await options.start(testCase), known));
    const isOpen = hasFailed && (isAway || !noAnswer.isAway);
    reported.push(isOpen ? { ...result, outcome: 'skip', reason: noAnswer.why, unanswered: true } : result);
    if (result.outcome !== 'skip') unanswered = isOpen ? unanswered + 1 : 0;
    if (unanswered >= MAX_UNANSWERED) stopped = 'three cases in a row got no answer';
    if (isAway) stopped = `the system is away, ${noAnswer.why}`;
    known = recorder.exchanges.find(isAnsweredRead)?.request ?? known;
    if (bail && result.outcome === 'fail') stopped = 'an earlier case failed, and the run was to stop then';
  }
  return { cases: reported, cleanUp: lasts ? done : undefined, ...(stopped !== undefined && { stopped }) };
}

const isAnsweredRead = ({ request, response }: Exchange): boolean =>
  request.route.startsWith('GET ') && response?.status === 200;

/**
 * Repeats a read that got an answer before. Returns true if it gets one now. Without such a read, the system counts as
 * unreachable.
 */
async function isThere(subject: Subject, known: Request | undefined): Promise<boolean> {
  if (!known) return false;
  const recorder = new Recorder();
  await recorder
    .watch(subject)
    .send(known)
    .catch(() => undefined);
  return recorder.noAnswer === undefined;
}

async function runOne(
  testCase: Case,
  options: ContractRunOptions,
  done: CleanUp,
  recorder: Recorder,
): Promise<ReportedCase> {
  const { start, level, lasts, known, mask, curl } = options;
  const proved = await runCase(testCase, async () => recorder.watch(await start(testCase)), level);
  const result = applyKnown(proved, known);
  mask.learn(recorder.exchanges, recorder.returned);
  if (lasts && (recorder.exchanges.length > 0 || recorder.returned.length > 0)) {
    await cleanUp(await start(testCase), recorder.traces, done);
  }
  const requests = recorder.exchanges.slice(0, MAX_REQUESTS).map(({ request, response, ms }) => ({
    route: request.route,
    status: response?.status,
    ms,
    curl: formatCurl(request, curl, mask),
  }));
  const reason = result.reason === undefined ? {} : { reason: mask.hide(explain(result)) };
  return { ...report(testCase, { ...result, ...reason }), requests };
}

function report(
  { id, section, needs, level }: Case,
  { title, outcome, reason, ms }: Pick<CaseResult, 'title' | 'outcome' | 'reason' | 'ms'>,
): ReportedCase {
  return { id, title, section, needs, level, outcome, ...(reason !== undefined && { reason }), ms, requests: [] };
}

/** Explains a failed or skipped case, with the difference between answer and expectation, and the adapter's errors. */
function explain({ outcome, reason = '', error, meanwhile = [] }: CaseResult): string {
  if (outcome === 'skip') return reason;
  if (error instanceof AssertionError) return explainAssertion(error, meanwhile);
  return explainError(error)?.why ?? reason;
}

function explainAssertion(error: AssertionError, meanwhile: readonly string[]): string {
  const { message, generatedMessage, operator = '', actual, expected } = error;
  // Node colors its own differences if there is a terminal.
  const text = stripVTControlCharacters(message)
    .replaceAll(/\n{2,}/g, '\n')
    .trimEnd();
  const differs = ['deepStrictEqual', ...(generatedMessage ? ['strictEqual'] : [])].includes(operator);
  if (!differs) return [text, ...meanwhile].join('\n');
  const title = generatedMessage ? 'it is not as expected (+ answered, - expected)' : text;
  // In front of the difference, which may be truncated.
  return [title, ...meanwhile, formatDifference(actual, expected)].join('\n');
}

/** The number of equal lines that are shown around a difference. */
const CONTEXT = 2;
/** The maximum lines of each side that are compared. */
const MAX_LINES = 400;
/** For lines only in the second, in both, and only in the first. */
const signs = ['-', ' ', '+'];

/** Compares two values line by line. + marks lines only in the first, - only in the second, and a space common ones. */
export function formatDifference(actual: unknown, expected: unknown): string {
  const lines = diff(print(actual), print(expected)).map(([sign, line]) => `${signs[sign + 1]} ${line}`);
  const changed = lines.flatMap((line, i) => (line.startsWith(' ') ? [] : [i]));
  const isNear = (i: number) => changed.some((at) => Math.abs(at - i) <= CONTEXT);
  return lines
    .flatMap((line, i) => {
      if (isNear(i)) return [line];
      return isNear(i - 1) ? ['  …'] : [];
    })
    .join('\n');
}

/** Prints each text in one piece, so that it can be found and hidden. */
const print = (value: unknown): string[] =>
  inspect(value, {
    depth: 10,
    compact: false,
    breakLength: Number.POSITIVE_INFINITY,
    sorted: true,
    maxArrayLength: 200,
  })
    .split('\n')
    .map((line) => line.replace(/,$/, ''))
    .slice(0, MAX_LINES);

/** Known failures: ids of cases, each with the reason. */
export type KnownFailures = ReadonlyMap<string, string>;

const reasons = z.record(z.string(), z.string().regex(/\S/));

/**
 * Reads the known failures.
 * @throws ConfigProblems when the file cannot be read, and CannotRun when a case does not exist or has no reason.
 */
export function readKnownFailures(file: string, cases: readonly Case[]): KnownFailures {
  const { data } = reasons.safeParse(
    new YamlFile(file, { option: '--skip', example: 'patients.register.twice: a reason' }).toJS(),
  );
  if (!data) throw new CannotRun(`each case in ${file} needs a reason`);
  const ids = cases.map(({ id }) => id);
  const strange = Object.keys(data).find((id) => !ids.includes(id));
  if (strange !== undefined) throw new CannotRun(`${file} names no case: ${strange}${didYouMean(strange, ids)}`);
  return new Map(Object.entries(data));
}

/** Skips a known failure with its reason. A known failure that now passes is a failure, so the file stays current. */
export function applyKnown(result: CaseResult, known: KnownFailures): CaseResult {
  const { error: _, meanwhile: __, ...rest } = result;
  const reason = known.get(result.id);
  if (reason === undefined || result.outcome === 'skip') return result;
  if (result.outcome === 'fail') return { ...rest, outcome: 'skip', reason: `a known failure: ${reason}` };
  return { ...rest, outcome: 'fail', reason: `it passes, and is named as a known failure: ${reason}` };
}
