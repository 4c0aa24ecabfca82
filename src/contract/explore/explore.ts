import { AssertionError } from 'node:assert';
import fc from 'fast-check';
import { capabilities as allCapabilities, type Capability } from '../../ports/index.ts';
import type { Level } from '../case.ts';
import type { Subject } from '../subject.ts';
import { BrokenPromise, Interrupted, type PromiseName, promises } from './broken-promise.ts';
import { cleanUp, countLeft, type Left, nothingLeft } from './clean-up.ts';
import { formatSequence } from './curl.ts';
import { NoAnswer, Session } from './session.ts';
import { steps as allSteps } from './steps/index.ts';
import type { Choice, Step } from './steps/step.ts';
import { checkEverything } from './views.ts';
import { World } from './world.ts';

export interface ExploreOptions {
  /** Default: 20. */
  readonly sequences?: number;
  /** How many steps a sequence has at most. Default: 20. */
  readonly length?: number;
  readonly seed: number;
  /** Default: `destructive`. At `write` nothing is booked, at `safe` nothing can be explored. */
  readonly level?: Level;
  /** Default: all that the subject offers. */
  readonly capabilities?: readonly Capability[];
  /** Milliseconds after which nothing new is begun. Default: ten minutes. */
  readonly timeLimit?: number;
  /** Ends the exploration after the current sequence. */
  readonly signal?: AbortSignal;
  readonly onSequence?: (progress: Progress) => void;
}

export interface Progress {
  readonly played: number;
  readonly sequences: number;
  readonly requests: number;
}

/** A promise that was broken, and the shortest sequence that was found to break it. */
export interface Finding {
  readonly promise: PromiseName;
  /** The promise as a sentence. */
  readonly title: string;
  /** What was seen, without a value of an answer. */
  readonly message: string;
  readonly seed: number;
  /** Lines of a shell that expect `$PUENTE_URL` and `$PUENTE_CONTRACT_TOKEN`. */
  readonly curl: readonly string[];
}

export interface Exploration extends Progress {
  readonly seed: number;
  /** How often each step was played, by its name, shrinking included. */
  readonly steps: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** What the patients whom it registered keep. */
  readonly left: Left;
  /** Sequences that ended early because the subject was too busy, or did not answer. */
  readonly interrupted: number;
  /** Why nothing, or not everything, was explored. */
  readonly stopped?: string;
  readonly ms: number;
}

const levels: readonly Level[] = ['safe', 'write', 'destructive'];
/** Each sequence that shrinking tries leaves patients behind. */
const MAX_SHRINKS = 40;
/** An answer that stays away takes as long as the subject waits for it. */
const MAX_UNANSWERED = 3;

/** Plays random sequences on patients that it registers, and holds every answer against a model of the API. */
export async function explore(subject: Subject, options: ExploreOptions): Promise<Exploration> {
  const explorer = new Explorer(subject, options);
  await explorer.run();
  return explorer.result;
}

class Explorer {
  readonly #subject: Subject;
  readonly #options: ExploreOptions;
  readonly #may: ReadonlySet<Capability>;
  readonly #startedAt = Date.now();
  readonly #counts: Record<string, number> = {};
  readonly #findings: Finding[] = [];
  readonly #left: Left = nothingLeft();
  #played = 0;
  #requests = 0;
  #interrupted = 0;
  #unanswered = 0;
  #stopped: string | undefined;

  constructor(subject: Subject, options: ExploreOptions) {
    this.#subject = subject;
    this.#options = options;
    this.#may = new Set((options.capabilities ?? allCapabilities).filter((each) => subject.supports(each)));
  }

  get result(): Exploration {
    return {
      seed: this.#options.seed,
      played: this.#played,
      sequences: this.#options.sequences ?? 20,
      requests: this.#requests,
      steps: this.#counts,
      findings: this.#findings,
      left: this.#left,
      interrupted: this.#interrupted,
      ...(this.#stopped !== undefined && { stopped: this.#stopped }),
      ms: Date.now() - this.#startedAt,
    };
  }

  async run(): Promise<void> {
    const { level = 'destructive', sequences = 20, length = 20, seed } = this.#options;
    const steps = allSteps.filter(
      (step) => levels.indexOf(step.level) <= levels.indexOf(level) && step.needs.every((each) => this.#may.has(each)),
    );
    if (level === 'safe' || steps.length === 0) {
      this.#stopped = level === 'safe' ? 'the level safe writes nothing' : 'patients.register is not offered';
      return;
    }
    const choice = fc.record({
      who: fc.nat(2),
      other: fc.nat(2),
      which: fc.nat(60),
      times: fc.integer({ min: 2, max: 4 }),
    });
    const anyStep = fc.oneof(
      ...steps.map((step) => ({
        weight: step.weight,
        arbitrary: choice.map((chosen) => ({ step, chosen })),
      })),
    );
    const anySequence = fc.array(anyStep, { minLength: 1, maxLength: length, size: 'max' });
    // Each finding ends a search; the next one looks for other broken promises.
    while (this.#played < sequences && !this.#isOver()) {
      const rest = sequences - this.#played;
      const found = this.#findings.length;
      await this.#search(anySequence, seed + found, rest);
      if (this.#findings.length === found) return;
    }
  }

  async #search(anySequence: fc.Arbitrary<Sequence>, seed: number, numRuns: number): Promise<void> {
    let finding: Finding | undefined;
    let shrinks = 0;
    const property = fc.asyncProperty(anySequence, async (sequence) => {
      if (this.#isOver() || (finding && shrinks++ >= MAX_SHRINKS)) return;
      if (!finding) this.#played++;
      const broken = await this.#playUntilSure(sequence);
      const { onSequence } = this.#options;
      onSequence?.({ played: this.#played, sequences: this.result.sequences, requests: this.#requests });
      if (!broken || (finding && broken.promise !== finding.promise)) return;
      finding = broken;
      throw new BrokenPromise(broken.promise, broken.message);
    });
    const details = await fc.check(property, { seed, numRuns });
    if (finding) this.#findings.push(finding);
    else if (details.failed) throw details.errorInstance;
  }

  #isOver(): boolean {
    const { timeLimit = 600_000, signal } = this.#options;
    if (signal?.aborted) this.#stopped = 'it was interrupted';
    else if (Date.now() - this.#startedAt > timeLimit) this.#stopped = 'the time is up';
    return this.#stopped !== undefined;
  }

  /** What somebody else could have caused has to happen three times. */
  async #playUntilSure(sequence: Sequence): Promise<Finding | undefined> {
    let last: Played = await this.#play(sequence);
    for (let again = 0; last?.isDoubtful && again < 2; again++) last = await this.#play(sequence);
    return last?.finding;
  }

  async #play(sequence: Sequence): Promise<Played> {
    const session = new Session(this.#subject);
    const world = new World(session, this.#may);
    try {
      for (const { step, chosen } of sequence) {
        this.#counts[step.name] = (this.#counts[step.name] ?? 0) + 1;
        await step.run(world, chosen);
      }
      for (const person of world.people.values()) await checkEverything(world, person);
      return undefined;
    } catch (error) {
      if (error instanceof Interrupted || error instanceof NoAnswer) {
        this.#interrupted++;
        if (error instanceof NoAnswer && ++this.#unanswered >= MAX_UNANSWERED) {
          this.#stopped = 'the subject does not answer';
        }
        return undefined;
      }
      const broken = toBrokenPromise(error);
      if (this.#findings.some(({ promise }) => promise === broken.promise)) return undefined;
      const { promise, message, isDoubtful } = broken;
      const curl = formatSequence(session.exchanges);
      return { isDoubtful, finding: { promise, title: promises[promise], message, seed: this.#options.seed, curl } };
    } finally {
      countLeft(world, await cleanUp(world), this.#left);
      this.#requests += session.sent;
    }
  }
}

type Sequence = readonly { readonly step: Step; readonly chosen: Choice }[];
type Played = { readonly finding: Finding; readonly isDoubtful: boolean } | undefined;

/** @throws the error itself when it is not about what the subject answered. */
function toBrokenPromise(error: unknown): BrokenPromise {
  if (error instanceof BrokenPromise) return error;
  // The subject in this process saw a Failure that says a value which it was given.
  if (error instanceof AssertionError)
    return new BrokenPromise('answered', 'a port failed with a message that says a value');
  // A body of another shape than the document has.
  if (error instanceof TypeError) return new BrokenPromise('answered', 'an answer lacks what the document shows');
  throw error;
}
