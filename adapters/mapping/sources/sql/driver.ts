import type { Marks } from '../../../common/sql-driver.ts';
import type { Scalar, Values } from '../source.ts';

/** What is no `:name` though it may look like one (quoted text, comments, PostgreSQL’s dollar quotes), and what is one. */
const token =
  /\bE'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|(?<list>\bIN\s*\(\s*):(?<all>[a-z]\w*)(?=\s*\))|(?<![\w:]):(?<one>[a-z]\w*)/gi;

/** The `:names` of a statement. */
export const findSqlNames = (sql: string): Set<string> =>
  new Set([...sql.matchAll(token)].flatMap(({ groups = {} }) => groups.all ?? groups.one ?? []));

/** What stands outside of quotes, comments and parentheses. */
export function dropNested(sql: string): string {
  let text = sql.replace(token, (found: string) =>
    /^(--|\/\*)/.test(found) ? ' ' : /^E?['"`$]/i.test(found) ? '0' : found,
  );
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, ' 0 ');
  }
  return text;
}

/** What a statement does, e.g. SELECT, UPDATE or CALL; empty for what is none of these. */
export const readVerb = (sql: string): string =>
  /\b(SELECT|INSERT|REPLACE|UPDATE|DELETE|MERGE|CALL|EXEC|EXECUTE|DO|BEGIN)\b/i
    .exec(dropNested(sql))?.[1]
    ?.toUpperCase() ?? '';

/**
 * Puts a mark in the place of each `:name`, the same one wherever it stands. `IN (:name)` takes all its values, any other
 * place the first one; without a value it is NULL. `places` says of which name each value is, and which one of its values.
 */
export function bind(sql: string, given: Values, { mark, isPositional }: Marks) {
  const values: (string | number | null)[] = [];
  const places: (readonly [string, number])[] = [];
  const marks = new Map<string, string>();
  const place = (value: Scalar, name: string, index: number): string => {
    const key = `${name} ${index}`;
    const known = marks.get(key);
    if (known !== undefined && !isPositional) return known;
    values.push(typeof value === 'boolean' ? Number(value) : value);
    places.push([name, index]);
    marks.set(key, mark(values.length));
    return mark(values.length);
  };
  const text = sql.replace(token, (found: string, ...rest: unknown[]) => {
    const { list = '', all, one } = rest.at(-1) as { list?: string; all?: string; one?: string };
    const name = all ?? one;
    if (name === undefined) return found;
    const [first = null, ...others] = given[name] ?? [];
    const taken = all === undefined ? [first] : [first, ...others];
    return list + taken.map((value, index) => place(value, name, index)).join(', ');
  });
  return { sql: text, values, places };
}
