import type { ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import type { Scene } from '../hospitals.ts';
import { type Difference, formatOutcome, type Outcome } from '../outcome.ts';
import type { KeyedRequest } from '../side.ts';
import type { Exchange } from '../twin.ts';

/** One difference, and where it was met. */
export interface Occurrence extends Pick<Exchange, 'at' | 'request' | 'memory' | 'fhir'> {
  readonly difference: Difference;
  /** What was asked earlier in the same sequence. */
  readonly before: readonly Exchange[];
}

/** A short sequence of requests. */
export interface Scenario {
  readonly what: string;
  /** Where it plays; absent: the first scene. */
  readonly scene?: Scene | undefined;
  example(id: IdOf): readonly Example[];
}

/** Something on which the two adapters are known to disagree, until one of them is mended; its scenario meets it. */
export interface KnownDisagreement extends Scenario {
  /** Which adapter is wrong, and what says so. */
  readonly ruling: string;
  /** Nothing different is left behind, so that the sequence can go on. */
  readonly harmless?: true;
  explains(met: Occurrence): boolean;
}

/** The id that the FHIR server gave to what the world names so. */
export type IdOf = (type: ResourceType, name: string) => string;

/** A request, how often it is sent at once, and after how many days. */
export type Example = KeyedRequest & { readonly times?: number; readonly days?: number };

/** Whether every answer is this one, e.g. `422 validation body /date`. */
export const areAll = (outcomes: readonly Outcome[], answer: string | RegExp): boolean =>
  outcomes.every((outcome) => isAnswer(outcome, answer));

const isAnswer = (outcome: Outcome, answer: string | RegExp): boolean =>
  typeof answer === 'string' ? formatOutcome(outcome) === answer : answer.test(formatOutcome(outcome));
