import { AssertionError } from 'node:assert';
import { diff, inspect, stripVTControlCharacters } from 'node:util';
import type { CaseResult } from '../../contract/index.ts';
import { explainError } from '../../contract/recorder.ts';

/**
 * Why a case failed or was skipped, with the difference between what was answered and what was expected, and what went wrong
 * in the adapter.
 */
export function explain({ outcome, reason = '', error, thrown = [] }: CaseResult): string {
  if (outcome === 'skip') return reason;
  const meanwhile = thrown.map(([what]) => what);
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
