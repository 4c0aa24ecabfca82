import { AssertionError } from 'node:assert';
import { diff, inspect, stripVTControlCharacters } from 'node:util';
import type { CaseResult } from '../../contract/index.ts';
import { explainError } from '../../contract/recorder.ts';

/** Explains a failed or skipped case, with the difference between answer and expectation, and the adapter's errors. */
export function explain({ outcome, reason = '', error, thrown = [] }: CaseResult): string {
  if (outcome === 'skip') return reason;
  const meanwhile = thrown.map(([what]) => what);
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
  const title = generatedMessage ? 'the answer is not as expected (+ answered, - expected)' : text;
  // In front of the difference, which may be truncated.
  return [title, ...meanwhile, formatDifference(actual, expected)].join('\n');
}

/** The number of equal lines that are shown around a difference. */
const CONTEXT = 2;
/** The maximum lines of each side that are compared. */
const MAX_LINES = 400;
/** The marks of lines only in the second value, in both, and only in the first. */
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
