import { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { didYouMean } from '../../../src/toolkit/did-you-mean.ts';
import type { SourceRecord, SourceValue } from '../sources/source.ts';

/** An expression that cannot be used. Its message repeats no value of a record. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
}

/** What the expressions of one answer may take together. */
export interface Budget {
  steps: number;
}

/** A step takes some nanoseconds at most, so that all of them are a fraction of a second. */
export const createBudget = (): Budget => ({ steps: 100_000_000 });
/** RE2 tries 20 or more instructions in a microsecond. */
const STEPS_OF_INSTRUCTION = 50;

/** Evaluates over one record. @throws Error when the record does not suit the expression, or is too large for the budget. */
export type Expression = (record: SourceRecord, budget: Budget) => SourceValue;

const environment = new Environment({ limits: { maxAstNodes: 200, maxDepth: 20, maxListElements: 50 } })
  .registerVariable('record', 'map')
  .registerFunction('string.matchesLinear(string): bool', matchInTime);

interface Node {
  op: string;
  args: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value;

/** That of the expression that is evaluated. */
let current = createBudget();

/** At every character RE2 may be in each of its instructions. */
function matchInTime(text: string, pattern: string): boolean {
  const compiled = compilePattern(pattern);
  spend(current, STEPS_OF_INSTRUCTION * compiled.programSize() * (text.length + 1));
  return compiled.matcher(text).find();
}

function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new ExpressionFault('the records are too large for the expression');
}

const patterns = new Map<string, RE2JS>();
function compilePattern(pattern: string): RE2JS {
  const compiled = patterns.get(pattern) ?? RE2JS.compile(pattern);
  patterns.set(pattern, compiled);
  return compiled;
}

/** What an expression costs: `weight * (growth * size) ** rounds` steps over a record of that size. */
interface Cost {
  /** Its operations. */
  weight: number;
  /** How many times longer than the record its longest value can become. */
  growth: number;
  /** 1, and 1 more for each macro, whose body may run once for each part of such a value. */
  rounds: number;
  /** The fields of the record that it uses; all of them when it uses the record in another way. */
  fields: Set<string> | 'all';
}

/**
 * Compiles an expression of CEL over `record`.
 * @throws ExpressionFault
 */
export function compileExpression(text: string): Expression {
  const parsed = attempt(() => environment.parse(text));
  const cost: Cost = { weight: 0, growth: 1 + text.length / 100, rounds: 1, fields: new Set() };
  measure(parsed.ast as unknown as Node, cost);
  attempt(() => {
    const { error } = parsed.check();
    if (error) throw error;
  });
  return (record, budget) => {
    const size = measureSize(cost.fields === 'all' ? record : [...cost.fields].map((name) => record[name] ?? null));
    spend(budget, cost.weight * (cost.growth * size) ** cost.rounds);
    current = budget;
    const value: unknown = parsed({ record });
    // Macros such as exists() go on after a fault.
    spend(budget, 0);
    return toSourceValue(value);
  };
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof ExpressionFault) throw error;
    const { summary = 'cannot be read', range } = error as { summary?: string; range?: { start: number } };
    throw new ExpressionFault(`${explain(summary)}${range ? ` (at character ${range.start + 1})` : ''}`);
  }
}

const functions = new Set(environment.getDefinitions().functions.map(({ name }) => name));

/** What the library says of an expression, without its own words for a name that it does not know. */
function explain(summary: string): string {
  const [, called = ''] = /no matching overload for '(?:.*\.)?(\w+)\(/.exec(summary) ?? [];
  if (called !== '' && !functions.has(called)) return `there is no ${called}()${didYouMean(called, functions)}`;
  if (summary.startsWith('Unknown variable')) return `${summary}; all that there is stands in \`record\``;
  return summary.replaceAll('matchesLinear', 'matches').replaceAll('dyn', 'any');
}

/** Adds up what the node and all in it cost, and puts RE2 in the place of regular expressions that may never end. */
function measure(node: Node, cost: Cost): void {
  cost.weight++;
  const args = Array.isArray(node.args) ? (node.args as unknown[]) : [];
  if (node.op === '+') cost.growth++;
  if (node.op === 'list' || node.op === 'map') cost.growth += args.length;
  if (node.op === 'call' || node.op === 'rcall') measureCall(args, cost);
  if (node.op === 'id' && node.args === 'record') cost.fields = 'all';
  const [object, name] = args;
  if (node.op === '.' && isNode(object) && object.op === 'id' && object.args === 'record') {
    if (cost.fields !== 'all') cost.fields.add(String(name));
    return;
  }
  for (const inner of args.flat(2)) if (isNode(inner)) measure(inner, cost);
}

const macros = /^(all|exists|exists_one|map|filter|bind)$/;

/** @param call the name, what it is called on if anything, and the list of its arguments. */
function measureCall(call: unknown[], cost: Cost): void {
  const name = String(call[0]);
  const [first] = call.at(-1) as readonly Node[];
  if (macros.test(name)) cost.rounds++;
  if (/^(timestamp|duration|get[A-Z]\w*)$/.test(name)) {
    throw new ExpressionFault(`${name}() is not there: days and times are read by \`format\``);
  }
  if (/^(hex|base64)$/.test(name)) cost.growth++;
  if (name === 'join' && first) cost.growth += readLiteral(first, 'the separator of join()').length;
  if (name !== 'matches' || !first) return;
  const pattern = readLiteral(first, 'the pattern of matches()');
  try {
    compilePattern(pattern);
  } catch {
    throw new ExpressionFault('the pattern of matches() is no regular expression of RE2, which has no lookaround');
  }
  call[0] = 'matchesLinear';
}

function readLiteral({ op, args }: Node, what: string): string {
  if (op === 'value' && typeof args === 'string') return args;
  throw new ExpressionFault(`${what} has to be written out`);
}

function measureSize(value: SourceValue): number {
  if (typeof value === 'string') return value.length + 1;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + measureSize(each), 1);
}

function toSourceValue(value: unknown): SourceValue {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(toSourceValue);
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as SourceValue;
  throw new ExpressionFault('the expression gives no text, number, truth or list');
}
