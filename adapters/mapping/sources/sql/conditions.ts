import { splitWords } from './driver.ts';

/** A word or a sign of a statement, or what stands between two parentheses. */
type Part = string | Parts;
type Parts = readonly Part[];

/** How a value is used: by a `key` only rows that equal it are meant, a `window` limits rows, and what is `kept` is written. */
export type ValueUse = 'key' | 'window' | 'kept';

const verbs = ['SELECT', 'INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'MERGE', 'CALL', 'EXEC', 'EXECUTE', 'DO', 'BEGIN'];

const findVerb = (parts: Parts): string => String(parts.find((part) => isWord(part, ...verbs)) ?? '').toUpperCase();

/** Whether a statement has a clause, e.g. WHERE, outside of all parentheses. */
export const hasClause = (sql: string, word: string): boolean => parse(sql).some((part) => isWord(part, word));

/** Whether a statement uses a `:name` like this, whatever the other values are. */
export function uses(sql: string, name: string, use: ValueUse): boolean {
  const parts = parse(sql);
  const sought: Sought = { name: `:${name}`.toLowerCase(), isWindow: use === 'window' };
  const verb = findVerb(parts);
  const isLimited = () => limits(parts, sought);
  const isKept = () =>
    readClauses(parts).some(({ word, parts: inner }) => /^(SET|VALUES|SELECT)$/.test(word) && has(inner, sought, true));
  if (verb === 'SELECT') return isLimited();
  if (verb === 'UPDATE' || verb === 'DELETE') return use === 'kept' ? isKept() : isLimited();
  // What an INSERT has in a NOT EXISTS alone is not written.
  if (verb === 'INSERT' || verb === 'REPLACE') return isKept() || isLimited();
  return has(parts, sought, true);
}

interface Sought {
  readonly name: string;
  readonly isWindow: boolean;
}

function parse(sql: string): Parts {
  const open: Part[][] = [[]];
  for (const word of splitWords(sql)) {
    const inner = word === ')' && open.length > 1 ? open.pop() : undefined;
    if (word === '(') open.push([]);
    else open.at(-1)!.push(inner ?? word);
  }
  return open.flat();
}

const isGroup = (part: Part | undefined): part is Parts => Array.isArray(part);
const isWord = (part: Part | undefined, ...words: readonly string[]): boolean =>
  typeof part === 'string' && words.includes(part.toUpperCase());
const isQuery = (part: Part | undefined): part is Parts => isGroup(part) && isWord(part[0], 'SELECT', 'WITH');

function has(part: Part, sought: Sought, isDeep: boolean): boolean {
  if (!isGroup(part)) return part.toLowerCase() === sought.name;
  return (isDeep || !isQuery(part)) && part.some((each) => has(each, sought, isDeep));
}

const constants = ['NULL', 'TRUE', 'FALSE', 'AND'];
const hasColumn = (parts: Parts): boolean =>
  parts.some((part, i) =>
    isGroup(part) ? hasColumn(part) : /^[a-z_]/i.test(part) && !isGroup(parts[i + 1]) && !isWord(part, ...constants),
  );

function split(parts: Parts, ...words: readonly string[]): readonly Parts[] {
  const found: Part[][] = [[]];
  for (const part of parts) {
    if (isWord(part, ...words)) found.push([]);
    else found.at(-1)!.push(part);
  }
  return found;
}

const beginnings =
  /^(WITH|INSERT|SELECT|UPDATE|DELETE|SET|VALUES|FROM|USING|JOIN|ON|WHERE|HAVING|GROUP|ORDER|LIMIT|RETURNING)$/i;

/** The clauses of a statement, but for what an outer join adds: it leaves no row out. */
function readClauses(parts: Parts): readonly { readonly word: string; readonly parts: Parts }[] {
  const found: { word: string; parts: Part[] }[] = [];
  let isOuter = false;
  parts.forEach((part, i) => {
    const isJoin = isWord(part, 'JOIN');
    if (isJoin) isOuter = isWord(parts[i - (isWord(parts[i - 1], 'OUTER') ? 2 : 1)], 'LEFT', 'RIGHT', 'FULL');
    if (isWord(part, 'WHERE')) isOuter = false;
    if (typeof part === 'string' && beginnings.test(part)) found.push({ word: part.toUpperCase(), parts: [] });
    else if (!isOuter) found.at(-1)?.parts.push(part);
  });
  return found;
}

/** Whether each row that a query gives, or a statement changes, fits the value. */
function limits(statement: Parts, sought: Sought): boolean {
  const isLimited = (parts: Parts) => readClauses(parts).some((clause) => limitsIn(clause.word, clause.parts, sought));
  return (
    readClauses(statement).some(({ word, parts }) => word === 'WITH' && limitsIn(word, parts, sought)) ||
    split(statement, 'UNION', 'EXCEPT', 'INTERSECT').every(isLimited)
  );
}

function limitsIn(clause: string, parts: Parts, sought: Sought): boolean {
  if (/^(WHERE|ON|HAVING)$/.test(clause)) return holds(parts, sought);
  if (!/^(WITH|FROM|USING|JOIN)$/.test(clause)) return false;
  // A query, or the arguments of a function.
  return parts.some((part) => isGroup(part) && (isQuery(part) ? limits(part, sought) : has(part, sought, false)));
}

/** Whether a condition is true only of what fits the value: all that `OR` stands between, and one that `AND` does. */
const holds = (condition: Parts, sought: Sought): boolean =>
  split(condition, 'OR').every((each) => split(each, 'AND').some((comparison) => compares(comparison, sought)));

const comparisons = /^(=|<=>|IN|IS|<>|!=|<|>|<=|>=|I?LIKE|BETWEEN|SIMILAR|REGEXP|RLIKE|~\*?)$/i;

function compares(parts: Parts, sought: Sought): boolean {
  const [first, second] = parts;
  if (isWord(first, 'NOT')) return false;
  if (isWord(first, 'EXISTS')) return isGroup(second) && limits(second, sought);
  if (parts.length === 1 && isGroup(first)) return isQuery(first) ? limits(first, sought) : holds(first, sought);
  // Never true: the value is always given.
  if (isWord(second, 'IS') && has(first!, sought, false)) return !parts.some((part) => isWord(part, 'NOT'));
  if (sought.isWindow) return has(parts, sought, false);
  const at = parts.findIndex((part) => typeof part === 'string' && comparisons.test(part));
  if (!isWord(parts[at], '=', '<=>', 'IN') || isWord(parts[at - 1], 'NOT')) return false;
  const left = parts.slice(0, at);
  const right = parts.slice(at + 1);
  const isCompared = (one: Parts, other: Parts) => has(one, sought, false) && hasColumn(other);
  return (
    isCompared(left, right) ||
    isCompared(right, left) ||
    right.some((part) => isQuery(part) && hasColumn(left) && limits(part, sought))
  );
}
