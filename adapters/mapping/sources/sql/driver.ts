import type { Marks } from '../../../common/sql-driver.ts';
import type { Scalar, Values } from '../source.ts';

/** Matches quoted texts, comments and PostgreSQL's dollar quotes, which may contain `:name`, and real `:names`. */
const token =
  /\bE'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|(?<list>\bIN\s*\(\s*):(?<all>[a-z]\w*)(?=\s*\))|(?<![\w:]):(?<one>[a-z]\w*)/gi;

/** The `:names` of a statement. */
export const findSqlNames = (sql: string): Set<string> =>
  new Set([...sql.matchAll(token)].flatMap(({ groups = {} }) => groups.all ?? groups.one ?? []));

/** The `:names` of a statement at places that take one value, outside of `IN (:name)`. */
export const findSingleSqlNames = (sql: string): Set<string> =>
  new Set([...sql.matchAll(token)].flatMap(({ groups = {} }) => groups.one ?? []));

/** Drops everything in quotes, comments and parentheses. */
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

/** The verb of a statement, e.g. SELECT, UPDATE or CALL. Empty for any other statement. */
export const readVerb = (sql: string): string =>
  /\b(SELECT|INSERT|REPLACE|UPDATE|DELETE|MERGE|CALL|EXEC|EXECUTE|DO|BEGIN)\b/i
    .exec(dropNested(sql))?.[1]
    ?.toUpperCase() ?? '';

/** True for a statement that only creates rows. An upsert may change one instead. */
export const isInsert = (sql: string): boolean =>
  /^(INSERT|REPLACE)$/.test(readVerb(sql)) && !/\bDO\s+UPDATE\b/i.test(dropNested(sql));

/**
 * Replaces each `:name` by a placeholder, the same one at every position. `IN (:name)` gets all values, and any other
 * position the first one, or NULL without a value. `places` has the name and the index of each value.
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
