import type { HttpQuestion } from '../sources/http/schema.ts';
import type { KeyedQuestion } from '../sources/sql/compose.ts';
import { listNeededKeys, listWays } from './keys.ts';
import type { KeyDefinition, MappingFile } from './schema.ts';
import { type ThingName, things } from './things.ts';

const toColumn = (key: KeyDefinition): { readonly column: string; readonly join?: string } =>
  typeof key === 'string' ? { column: key } : key;

// An expression may end in a comment.
const coalesce = (column: string, other: string): string => `coalesce(${column}\n, ${other}\n)`;

/** The question in a file: a statement, a request, or its `select` and `keys`. Undefined if the file has none. */
export function findQuestion(
  file: MappingFile,
  thing: ThingName,
  question: string,
): string | HttpQuestion | KeyedQuestion | undefined {
  const section = file[thing];
  const own: unknown = section && Reflect.get(section, question);
  if (!section || own !== undefined) return own as string | HttpQuestion | undefined;
  const { select, where, order, keys = {} } = section;
  const way = listWays(thing, question).find((each) =>
    each.every(({ key, isOptional }) => isOptional || keys[key] !== undefined),
  );
  if (select === undefined || !way) return undefined;
  const conditions = way.flatMap(({ key, otherwise, ...condition }) => {
    const [given, other] = [keys[key], otherwise === undefined ? undefined : keys[otherwise]];
    if (given === undefined) return other === undefined ? [] : [{ ...condition, ...toColumn(other) }];
    const { column, ...join } = toColumn(given);
    if (other === undefined) return [{ ...condition, ...join, column }];
    const { column: first } = toColumn(other);
    return [{ ...condition, ...join, column: coalesce(column, first), orLess: [column, first] as const }];
  });
  return { select, where, order, conditions };
}

/** The unchecked criteria of a question that is a complete statement. */
export const listOwnStatements = (file: MappingFile): readonly string[] =>
  (Object.keys(things) as ThingName[]).flatMap((thing) =>
    Object.keys(things[thing].questions)
      .filter((question) => typeof findQuestion(file, thing, question) === 'string')
      .filter((question) => listNeededKeys(thing, question).some((keys) => keys.length > 0))
      .map((question) => `${thing}.${question}`),
  );
