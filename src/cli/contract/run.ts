import { AssertionError } from 'node:assert';
import { stripVTControlCharacters } from 'node:util';
import { type Case, type CaseResult, type Level, type Request, runCase, type Subject } from '../../contract/index.ts';
import { type CleanUp, cleanUp, createCleanUp } from './clean-up.ts';
import { type CurlTarget, formatCurl } from './curl.ts';
import { formatDifference } from './difference.ts';
import { applyKnown, type KnownFailures } from './known-failures.ts';
import type { Mask } from './mask.ts';
import { explainError } from './no-answer.ts';
import { type Exchange, Recorder } from './recorder.ts';
import type { ReportedCase } from './result.ts';

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
