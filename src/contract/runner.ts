import type { Case, Level } from './case.ts';
import type { WrongFixtures } from './fixture-check.ts';
import { type CleanUp, cleanUp, createCleanUp, type Exchange, Recorder } from './recorder.ts';
import { type CaseResult, runCase } from './run.ts';
import type { Request, Subject } from './subject.ts';

/** Cases that are known to fail, by their ids, each with the reason. */
export type KnownFailures = ReadonlyMap<string, string>;

export interface RunnerOptions {
  /** Begins a subject for a case. */
  readonly start: (testCase: Case) => Subject | Promise<Subject>;
  /** Default: `destructive`. */
  readonly level?: Level | undefined;
  /** Default: none. */
  readonly known?: KnownFailures;
  /** True if the records that a case leaves outlast its subject: the runner takes them back. Default: false. */
  readonly lasts?: boolean;
  /** True if results have the requests of cases and the results of ports. Default: false. */
  readonly keepsExchanges?: boolean;
  /** Default: none. */
  readonly wrongFixtures?: WrongFixtures;
}

/** The outcome of a case, with what it sent. */
export interface RunResult extends CaseResult {
  /** The system was slow or away, and the case is skipped: what was to be proved is open. `error` is what the case failed with. */
  readonly unanswered?: true;
  /** Empty unless they are kept. */
  readonly exchanges: readonly Exchange[];
  /** The results of ports, in process; empty unless they are kept. */
  readonly returned: readonly unknown[];
}

/** After so many cases in a row that got no answer the server is given up: each of them may wait for a minute. */
const MAX_UNANSWERED = 3;

/**
 * Runs cases over one institution, for the command and for the test runners of adapters. It skips the failures that are known,
 * takes back what a case left, and skips all further cases when the system is away.
 */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #cleanUp = createCleanUp();
  #stopped: string | undefined;
  #unanswered = 0;
  /** A read that was answered. */
  #answered: Request | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Why further cases are skipped; undefined while they are run. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** The outcome of the records that cases left; undefined where they end with the subject. */
  get cleanUp(): CleanUp | undefined {
    return this.#options.lasts ? this.#cleanUp : undefined;
  }

  /** Skips all further cases, for this reason or an earlier one. */
  stop(reason: string): void {
    this.#stopped ??= reason;
  }

  /** Runs the case when the cases before it have ended. Fails only if a further subject cannot be started. */
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
    return { ...(await this.#judge(testCase, applyKnown(result, known), recorder)), exchanges, returned };
  }

  /** A case without an answer proves nothing: it is skipped, and all others too when the system is away. */
  async #judge(
    testCase: Case,
    result: CaseResult,
    { noAnswer, answeredRead }: Recorder,
  ): Promise<Partial<RunResult> & CaseResult> {
    const isOpen = result.outcome === 'fail' && noAnswer !== undefined;
    // A system that fails at one thing and answers another is there, and broke its promise.
    const isAway = isOpen && noAnswer.isAway && !(await this.#isThere(testCase));
    const isUnanswered = isOpen && (isAway || !noAnswer.isAway);
    if (result.outcome !== 'skip') this.#unanswered = isUnanswered ? this.#unanswered + 1 : 0;
    this.#answered = answeredRead ?? this.#answered;
    if (isAway) this.stop(`the system is away, ${noAnswer.why}`);
    if (this.#unanswered >= MAX_UNANSWERED) this.stop('three cases in a row got no answer');
    return isUnanswered ? { ...result, outcome: 'skip', reason: noAnswer.why, unanswered: true } : result;
  }

  /** True if a read is answered now that was answered before; where none was, nothing is there. */
  async #isThere(testCase: Case): Promise<boolean> {
    if (!this.#answered) return false;
    const recorder = new Recorder({ keeps: false });
    const subject = recorder.watch(await this.#options.start(testCase));
    await subject.send(this.#answered).catch(() => undefined);
    return recorder.noAnswer === undefined;
  }
}

/** A failure that is known is skipped for its reason; a case that passes after all fails, so that nothing stays known for ever. */
export function applyKnown(result: CaseResult, known: KnownFailures): CaseResult {
  const { id, title, ms } = result;
  const reason = known.get(id);
  if (reason === undefined || result.outcome === 'skip') return result;
  if (result.outcome === 'fail') return { id, title, outcome: 'skip', reason: `a known failure: ${reason}`, ms };
  return { id, title, outcome: 'fail', reason: `it passes, and is named as a known failure: ${reason}`, ms };
}
