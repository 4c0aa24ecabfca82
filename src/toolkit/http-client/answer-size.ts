import { measureJson } from '../measure-json.ts';
import { badAnswer, TOO_LARGE } from './failures.ts';

/** Levels of an answer. Those of systems have far fewer, and later code walks them recursively. */
const MAX_DEPTH = 100;
/** What a value costs at least, in bytes of an answer: it takes so much longer to read than the same bytes of a text. */
const BYTES_OF_VALUE = 25;
/** How many times the limit of one answer all pages of a list may have together. */
const ANSWERS_OF_LIST = 4;

/**
 * How large an answer counts, in bytes: 25 for each of its values, if it has no more. Infinite when it is nested deeper than
 * 100 levels.
 * @param json in UTF-8, not yet parsed.
 * @param most bytes, beyond which it need not be exact.
 */
export function weighJson(json: Uint8Array, most: number): number {
  const { depth, values } = measureJson(json, { depth: MAX_DEPTH, values: most / BYTES_OF_VALUE });
  return depth > MAX_DEPTH ? Number.POSITIVE_INFINITY : Math.max(json.length, values * BYTES_OF_VALUE);
}

/** @throws Failure bad_answer `TOO_LARGE` when the answer counts more. */
export function requireSize(weight: number, most: number): void {
  if (weight > most) throw badAnswer(TOO_LARGE);
}

/** The size of a list, all its pages together. */
export class ListSize {
  #left: number;

  /** @param most bytes of one answer; the list may be four times as large. */
  constructor(most: number) {
    this.#left = most * ANSWERS_OF_LIST;
  }

  /** @throws Failure bad_answer `TOO_LARGE` when the list is larger with this page. */
  add(weight: number): void {
    requireSize(weight, this.#left);
    this.#left -= weight;
  }
}
