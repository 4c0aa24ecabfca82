import type { Case, Level } from './case.ts';
import type { WrongFixtures } from './fixture-check.ts';
import { type CleanUp, cleanUp, createCleanUp, type Exchange, Recorder } from './recorder.ts';
import { type CaseResult, runCase } from './run.ts';
import type { Request, Subject } from './subject.ts';

/** The reasons of known failures, by the ids of the cases. */
export type KnownFailures = ReadonlyMap<string, string>;

export interface RunnerOptions {
  /** Starts a subject for a case. */
  readonly start: (testCase: Case) => Subject | Promise<Subject>;
  /** Default: `destructive`. */
  readonly level?: Level | undefined;
  /** Default: none. */
  readonly known?: KnownFailures;
  /** True if a case's records outlast its subject. The runner then removes them. Default: false. */
  readonly lasts?: boolean;
  /** True if the results contain the requests of cases and the values that ports returned. Default: false. */
  readonly keepsExchanges?: boolean;
  /** Default: none. */
  readonly wrongFixtures?: WrongFixtures;
}

/** The outcome of a case, with its requests. */
export interface RunResult extends CaseResult {
  /**
   * True if the system was slow or unreachable. The case is skipped, because it could prove nothing. `error` is the
   * error of the case.
   */
  readonly unanswered?: true;
  /** Empty unless they are kept. */
  readonly exchanges: readonly Exchange[];
  /** The values that ports returned in process. Empty unless they are kept. */
  readonly returned: readonly unknown[];
}

/** The number of consecutive cases without an answer after which the runner stops. Each may wait for a minute. */
const MAX_UNANSWERED = 3;

/**
 * Runs cases over one institution, for the command and for the test runners of adapters. It skips known failures and
 * removes the records of a case. It skips all further cases once the system is unreachable.
 */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #cleanUp = createCleanUp();
  #stopped: string | undefined;
  #unanswered = 0;
  /** A read that got an answer. */
  #answered: Request | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** The reason why further cases are skipped. Undefined while cases run. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** The result of the cleanup. Undefined if the records end with the subject. */
  get cleanUp(): CleanUp | undefined {
    return this.#options.lasts ? this.#cleanUp : undefined;
  }

  /** Skips all further cases, for this reason or an earlier one. */
  stop(reason: string): void {
    this.#stopped ??= reason;
  }

  /** Runs the case after the earlier cases have ended. Fails only if a further subject cannot start. */
  async run(testCase: Case): Promise<RunResult> {
    const { start, level, known = new Map(), lasts = false, keepsExchanges = false, wrongFixtures } = this.#options;
    if (this.#stopped !== undefined) {
      const { id, title } = testCase;
      return { id, title, outcome: 'skip', reason: this.#stopped, ms: 0, exchanges: [], returned: [] };
    }
    const recorder = new Recorder({ keeps: keepsExchanges });
    const { exchanges, returned, traces } = recorder;
    const begin = async () => ({ ...recorder.watch(await start(testCase)), ...(wrongFixtures && { wrongFixtures }) });
    const result = await runCase(testCase, begin, level);
    if (lasts && !traces.isEmpty) await cleanUp(await start(testCase), traces, this.#cleanUp);
    return { ...(await this.#classify(testCase, applyKnown(result, known), recorder)), exchanges, returned };
  }

  /** Skips a case without an answer, because it proves nothing. Stops the run if the system is unreachable. */
  async #classify(
    testCase: Case,
    result: CaseResult,
    { noAnswer, answeredRead }: Recorder,
  ): Promise<Partial<RunResult> & CaseResult> {
    const isOpen = result.outcome === 'fail' && noAnswer !== undefined;
    // A system that fails at one request and answers another is reachable, and broke its promise.
    const isAway = isOpen && noAnswer.isAway && !(await this.#isThere(testCase));
    const isUnanswered = isOpen && (isAway || !noAnswer.isAway);
    if (result.outcome !== 'skip') this.#unanswered = isUnanswered ? this.#unanswered + 1 : 0;
    this.#answered = answeredRead ?? this.#answered;
    if (isAway) this.stop(`the system is unreachable, ${noAnswer.why}`);
    if (this.#unanswered >= MAX_UNANSWERED) this.stop('three cases in a row got no answer');
    return isUnanswered ? { ...result, outcome: 'skip', reason: noAnswer.why, unanswered: true } : result;
  }

  /** True if a read that succeeded before still gets an answer. False if no read succeeded before. */
  async #isThere(testCase: Case): Promise<boolean> {
    if (!this.#answered) return false;
    const recorder = new Recorder({ keeps: false });
    const subject = recorder.watch(await this.#options.start(testCase));
    await subject.send(this.#answered).catch(() => undefined);
    return recorder.noAnswer === undefined;
  }
}

/**
 * Skips a known failure with its reason. Fails a case that passes although it is a known failure, so that the list
 * stays current.
 */
export function applyKnown(result: CaseResult, known: KnownFailures): CaseResult {
  const { id, title, ms } = result;
  const reason = known.get(id);
  if (reason === undefined || result.outcome === 'skip') return result;
  if (result.outcome === 'fail') return { id, title, outcome: 'skip', reason: `a known failure: ${reason}`, ms };
  return { id, title, outcome: 'fail', reason: `it passes, although it is named as a known failure: ${reason}`, ms };
}
