import { dropNested, findSqlNames } from '../sources/sql/driver.ts';
import type { FileProblem } from './check-use.ts';
import { findKey, isKeyOfQuestion, listNeededKeys } from './keys.ts';
import type { Thing } from './names.ts';
import { findMapping, listPaths, type MappingFile, toConversion } from './schema.ts';
import { type ThingName, things } from './things.ts';

const clauses = /\b(WHERE|GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT|OFFSET|FETCH|UNION|EXCEPT|INTERSECT)\b/i;

const folded = /\b(upper|lower|ucase|lcase)\s*\(/i;

/** Reports parts of a thing that do not compose a statement with all its criteria. */
export function checkParts(name: ThingName, file: MappingFile): FileProblem[] {
  const { select, where, order, keys = {}, keep } = file[name]!;
  const columns = Object.entries(keys).flatMap(([key, given]) => {
    if (given === undefined) return [];
    const { column, join } = typeof given === 'string' ? { column: given, join: undefined } : given;
    return [[['keys', key], column] as const, ...(join === undefined ? [] : [[['keys', key, 'join'], join] as const])];
  });
  const parts: (readonly [readonly string[], string | undefined])[] = [
    [['select'], select],
    [['where'], where],
    [['order'], order],
    ...columns,
  ];
  const given = parts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const]));
  return [
    ...checkLastDay(name, file),
    ...checkOwner(name, file),
    ...given.flatMap(([path, text]) => explainPart(text, path[0] === 'select').map((what) => ({ path, what }))),
    ...columns
      .filter(([[, key = ''], text]) => /^(id|.+Id)$/.test(key) && folded.test(text))
      .map(([path]) => ({
        path,
        what: 'ignores the case of letters, so another id matches too: write only the column',
      })),
    ...(select === undefined
      ? given.map(([path]) => ({ path: path.slice(0, 1), what: 'requires `select`: add it' }))
      : Object.keys(keys)
          .filter((key) => !isKeyOfQuestion(name, key, keys))
          .map((key) => ({ path: ['keys', key], what: explainUnused(name, key) }))),
    ...(keep !== undefined && select === undefined && Reflect.get(file[name]!, 'all') === undefined
      ? [{ path: ['keep'], what: 'belongs to no question: remove it' }]
      : []),
  ];
}

/** Without the end of an absence, only its first day would be found. */
function checkLastDay(
  name: ThingName,
  { exceptions: { keys = {}, fields } = { fields: {} } }: MappingFile,
): FileProblem[] {
  const mapped = ['lastDay', 'end'].find((each) => Object.hasOwn(fields, each));
  if (name !== 'exceptions' || mapped === undefined || !keys.firstDay || keys.lastDay) return [];
  return [{ path: ['keys'], what: `requires lastDay because an absence has \`${mapped}\`: add its column` }];
}

/** A key compares one practitioner of a taken time, and the time of the others would seem free. */
function checkOwner(name: ThingName, { taken }: MappingFile): FileProblem[] {
  const mapping = taken && findMapping(taken.fields, ['practitionerId']);
  const isSeveral = mapping !== undefined && listPaths(toConversion(mapping)).length > 1;
  if (name !== 'taken' || !taken?.keys?.practitionerId || !isSeveral) return [];
  const what =
    'compares one practitioner, and a taken time has several: remove this key, so that Puente reads all taken times';
  return [{ path: ['keys', 'practitionerId'], what }];
}

function explainPart(text: string, isSelect: boolean): string[] {
  const outer = dropNested(text);
  const clause = clauses.exec(outer)?.[1];
  const [name] = findSqlNames(text);
  return [
    ...(isSelect && !/^\s*(SELECT|WITH)\b/i.test(outer) ? ['begins with SELECT, or WITH'] : []),
    ...(/[()]/.test(outer) ? ['has an unbalanced parenthesis: add or remove one'] : []),
    ...(outer.includes(';') ? ['has a `;`: remove it'] : []),
    ...(clause === undefined ? [] : [explainClause(clause.toUpperCase(), isSelect)]),
    ...(name === undefined ? [] : [`has :${name}, which Puente adds by \`keys\`: remove it`]),
  ];
}

function explainClause(clause: string, isSelect: boolean): string {
  if (isSelect && clause === 'WHERE')
    return 'has a WHERE: write constant conditions as `where`, and criteria as `keys`';
  if (/^ORDER/.test(clause)) return 'has an ORDER BY: write it as `order`';
  return `has ${clause} outside of parentheses: put it into a subquery, as in FROM (SELECT ...) q`;
}

function explainUnused(name: ThingName, key: string): string {
  const ways = Object.entries<Thing['questions'][string]>(things[name].questions)
    .filter(([question, names]) => Object.keys(names).some((each) => findKey(name, question, each) === key))
    .map(([question]) => listNeededKeys(name, question)[0]?.join(' and '));
  return `belongs to no question without ${[...new Set(ways)].join(', or ')}: add it to \`keys\``;
}

/**
 * Reports the former parts of a question of 0.2.0, and their replacements. A question over SQL is now a complete
 * statement.
 */
export function findFormerParts(content: Readonly<Record<string, unknown>>): FileProblem[] {
  return (Object.keys(things) as ThingName[]).flatMap((thing) => {
    const section = Object(content[thing]) as Readonly<Record<string, unknown>>;
    return Object.keys(things[thing].questions).flatMap((question): FileProblem[] => {
      const given = section[question];
      const { sql = given, keep } = Object(given) as { readonly sql?: unknown; readonly keep?: unknown };
      if (keep !== undefined && typeof sql !== 'string') {
        const what = `belongs to ${thing} since 0.3.0: write it beside \`${question}\`, not in it`;
        return [{ path: [thing, question, 'keep'], what }];
      }
      if (typeof sql !== 'string') return [];
      const isWhole = /^[\s(]*(SELECT|WITH|CALL|EXEC|EXECUTE|VALUES|TABLE|DECLARE|BEGIN)\b/i.test(
        dropNested(sql).trim() || sql,
      );
      if (isWhole && typeof given === 'string') return [];
      const what = isWhole
        ? 'is a text since 0.3.0: write the statement after the colon, and `keep` as a key of the thing'
        : `no longer follows \`select\` since 0.3.0: write ${suggest(thing, question, sql)}, and Puente composes the statement`;
      return [{ path: [thing, question], what }];
    });
  });
}

/** The keys and the rest of a part of a statement, as far as they can be recognized. */
function suggest(thing: ThingName, question: string, sql: string): string {
  const found = [...sql.matchAll(/([\w.]+)\s*(?:=|>=|<=|IN\s*\(|BETWEEN)\s*:(\w+)/gi)].flatMap(
    ([, column, name = '']) => {
      const key = findKey(thing, question, name);
      return key === undefined ? [] : [`${key}: ${column}`];
    },
  );
  const needed = listNeededKeys(thing, question)[0] ?? [];
  const keys = found.length > 0 ? found : needed.map((key) => `${key}: ...`);
  const always = '`where` for constant conditions, and `order`';
  return keys.length > 0
    ? `\`keys: { ${[...new Set(keys)].join(', ')} }\` beside \`select\`, ${always}`
    : `${always}, beside \`select\``;
}
