import { Environment } from '@marcbachmann/cel-js';
import { didYouMean } from '../../../src/toolkit/problems.ts';
import type { SourceRecord, SourceValue } from '../sources/source.ts';
import { createMomentReader, toEpoch } from './date-pattern.ts';

/** An expression that cannot be used. Its message contains no value of a record. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
}

const environment = new Environment({ limits: { maxAstNodes: 200, maxDepth: 20, maxListElements: 50 } })
  .registerVariable('record', 'map')
  .registerFunction('string.replace(string, string): string', (text: string, what: string, by: string) =>
    text.replaceAll(what, () => by),
  )
  .registerFunction('minutesBetween(string, string): double', countMinutes)
  .registerFunction('minutesBetween(string, string, string): double', countMinutes);

interface Node {
  op: string;
  args: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value;

function countMinutes(start: string, end: string, format?: string): number {
  const read = createMomentReader(format, /^\d\d?:/.test(start));
  const [begins, ends] = [start, end].map((text) => toEpoch(read(text) ?? { local: '' }));
  return (ends! - begins!) / 60_000;
}

/**
 * Compiles a CEL expression over `record`. Its run time grows at most linearly with the size of the record. It throws
 * if a record has other types.
 * @throws ExpressionFault
 */
export function compileExpression(text: string): (record: SourceRecord) => SourceValue {
  const parsed = attempt(() => environment.parse(text));
  restrict(parsed.ast);
  attempt(() => {
    const { error } = parsed.check();
    if (error) throw error;
  });
  return (record) => toSourceValue(parsed({ record }));
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { summary = 'cannot be read', range } = error as { summary?: string; range?: { start: number } };
    throw new ExpressionFault(`${explain(summary)}${range ? ` (at character ${range.start + 1})` : ''}`);
  }
}

const functions = new Set(environment.getDefinitions().functions.map(({ name }) => name));

/** The library's error message, without its internal names. */
function explain(summary: string): string {
  const [, called = ''] = /no matching overload for '(?:.*\.)?(\w+)\(/.exec(summary) ?? [];
  if (called !== '' && !functions.has(called)) return `there is no ${called}()${didYouMean(called, functions)}`;
  if (summary.startsWith('Unknown variable')) return `${summary}: use \`record\`, which contains all values`;
  return summary.replaceAll('dyn', 'any');
}

/**
 * Functions that are excluded because their time or memory can grow without bound, or because they convert zones, and
 * the replacements.
 */
const missing: readonly (readonly [RegExp, string])[] = [
  [
    /^(all|exists|exists_one|map|filter|bind)$/,
    'a path finds entries of a list, e.g. `from: PHONES[MAIN=true].NUMBER`',
  ],
  [/^matches$/, '`codes` and `none` translate a text, and contains(), startsWith() and endsWith() test it'],
  [/^(timestamp|duration|get[A-Z]\w*)$/, '`format` reads days and times'],
];
/** Arguments that must be literals, by function, because the run time or the length of the result depends on them. */
const writtenOut: Readonly<Record<string, string>> = {
  join: 'the separator',
  replace: 'the searched text and its replacement',
  minutesBetween: 'the format',
};

function restrict({ op, args }: Node): void {
  const inner = Array.isArray(args) ? (args as unknown[]) : [];
  // The name, what it is called on if anything, and the list of its arguments.
  if (op === 'call' || op === 'rcall') restrictCall(String(inner[0]), inner.at(-1) as readonly Node[]);
  for (const each of inner.flat(2)) if (isNode(each)) restrict(each);
}

function restrictCall(name: string, all: readonly Node[]): void {
  const [, instead] = missing.find(([names]) => names.test(name)) ?? [];
  if (instead !== undefined) throw new ExpressionFault(`${name}() is not available: ${instead}`);
  const given = all.slice(name === 'minutesBetween' ? 2 : 0);
  if (name in writtenOut && !given.every(({ op, args }) => op === 'value' && typeof args === 'string')) {
    throw new ExpressionFault(`${name}() requires ${writtenOut[name]} as literal text`);
  }
}

function toSourceValue(value: unknown): SourceValue {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(toSourceValue);
  if (typeof value === 'number' && Number.isNaN(value)) throw new ExpressionFault('the expression returns no number');
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as SourceValue;
  throw new ExpressionFault('the expression returns no text, number, boolean or list');
}
