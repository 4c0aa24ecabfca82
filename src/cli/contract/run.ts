import { AssertionError } from 'node:assert';
import { diff, inspect, stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { type Case, type CaseResult, type Level, type Request, runCase, type Subject } from '../../contract/index.ts';
import { didYouMean } from '../../toolkit/problems.ts';
import { YamlFile } from '../../toolkit/yaml-file.ts';
import { type CurlTarget, formatCurl, type Mask } from './mask.ts';
import { CannotRun } from './options.ts';
import { type Exchange, explainError, Recorder } from './recorder.ts';
import { type CleanUp, cleanUp, createCleanUp, type ReportedCase } from './result.ts';

export interface RunOptions {
  readonly cases: readonly Case[];
  /** Begins a subject for a case. */
  readonly start: (testCase: Case) => Promise<Subject>;
  readonly level: Level;
  /** Stops after the first case that fails. */
  readonly bail: boolean;
  /** Whether what a case leaves is still there after it. */
  readonly lasts: boolean;
  readonly known: KnownFailures;
  readonly mask: Mask;
  readonly curl: CurlTarget;
  /** Stops after the case that is being run. */
  readonly signal: AbortSignal;
  /** Called before each case. */
  readonly onCase: (testCase: Case, index: number) => void;
}

export interface Run {
  readonly cases: readonly ReportedCase[];
  readonly cleanUp: CleanUp | undefined;
  /** Why not all cases were run. */
  readonly stopped?: string;
}

/** So many requests of a case are reported; parallel and paging cases send many that are alike. */
const MAX_REQUESTS = 40;

/** After so many cases in a row that got no answer the server is given up: each of them may wait for a minute. */
const MAX_UNANSWERED = 3;

/** Runs the cases one after the other, and takes back what each of them left. */
export async function runContract(options: RunOptions): Promise<Run> {
  const { cases, bail, lasts, signal, onCase } = options;
  const done = createCleanUp();
  const reported: ReportedCase[] = [];
  let stopped: string | undefined;
  let unanswered = 0;
  /** A read that was answered. */
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
    // A system that fails at one thing and answers another is there, and broke its promise.
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

/** Whether a read is answered now that was answered before; where none was, nothing is there. */
async function isThere(subject: Subject, known: Request | undefined): Promise<boolean> {
  if (!known) return false;
  const recorder = new Recorder();
  await recorder
    .watch(subject)
    .send(known)
    .catch(() => undefined);
  return recorder.noAnswer === undefined;
}

async function runOne(testCase: Case, options: RunOptions, done: CleanUp, recorder: Recorder): Promise<ReportedCase> {
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

/**
 * Why a case failed or was skipped, with the difference between what was answered and what was expected, and what went wrong
 * in the adapter.
 */
function explain({ outcome, reason = '', error, meanwhile = [] }: CaseResult): string {
  if (outcome === 'skip') return reason;
  if (error instanceof AssertionError) return explainAssertion(error, meanwhile);
  return explainError(error)?.why ?? reason;
}

function explainAssertion(error: AssertionError, meanwhile: readonly string[]): string {
  const { message, generatedMessage, operator = '', actual, expected } = error;
  // Node colours its own differences where there is a terminal.
  const text = stripVTControlCharacters(message)
    .replaceAll(/\n{2,}/g, '\n')
    .trimEnd();
  const differs = ['deepStrictEqual', ...(generatedMessage ? ['strictEqual'] : [])].includes(operator);
  if (!differs) return [text, ...meanwhile].join('\n');
  const title = generatedMessage ? 'it is not as expected (+ answered, - expected)' : text;
  // Before a difference, which may be cut.
  return [title, ...meanwhile, formatDifference(actual, expected)].join('\n');
}

/** Lines that are the same on both sides are shown so far from a difference. */
const CONTEXT = 2;
/** Of each side, more are not compared. */
const MAX_LINES = 400;
/** Of what only the second has, of both, and of what only the first has. */
const signs = ['-', ' ', '+'];

/** Two values line by line: + begins what only the first has, - what only the second has, and a space what both have. */
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

/** Each text in one piece, so that it can be found and hidden. */
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

/** Cases that are known to fail, by their ids, each with the reason. */
export type KnownFailures = ReadonlyMap<string, string>;

const reasons = z.record(z.string(), z.string().regex(/\S/));

/**
 * Reads the failures that are known.
 * @throws ConfigProblems when the file cannot be read, and CannotRun when a case is not one, or has no reason.
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

/** A failure that is known is skipped for its reason; a case that passes after all fails, so that nothing stays known for ever. */
export function applyKnown(result: CaseResult, known: KnownFailures): CaseResult {
  const { error: _, meanwhile: __, ...rest } = result;
  const reason = known.get(result.id);
  if (reason === undefined || result.outcome === 'skip') return result;
  if (result.outcome === 'fail') return { ...rest, outcome: 'skip', reason: `a known failure: ${reason}` };
  return { ...rest, outcome: 'fail', reason: `it passes, and is named as a known failure: ${reason}` };
}
