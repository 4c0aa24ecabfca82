import { z } from 'zod';
import type { Thing } from '../../../adapters/mapping/file/names.ts';
import { createParts, listLeaves, mappingSchema } from '../../../adapters/mapping/file/schema.ts';
import { things } from '../../../adapters/mapping/file/things.ts';
import { http, httpChange, httpQuestion } from '../../../adapters/mapping/sources/http/schema.ts';
import { database, sqlChange } from '../../../adapters/mapping/sources/sql/schema.ts';
import { quote } from './markdown.ts';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly required?: readonly string[];
}

const toJsonSchema = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
/** Every key in a schema, those of choices too, by its path. */
function listKeys(
  schema: JsonSchema,
  path: readonly string[] = [],
): readonly (readonly [string, JsonSchema, boolean])[] {
  const { properties = {}, items, anyOf = [], oneOf = [], required = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, each]) => {
    const at = [...path, name];
    return [[at.join('.'), each, required.includes(name)] as const, ...listKeys(each, at)];
  });
  return [...own, ...[...(items ? [items] : []), ...anyOf, ...oneOf].flatMap((each) => listKeys(each, path))];
}

/** Keys that stand in another table of the page already. */
const isElsewhere = (name: string): boolean =>
  name.startsWith('forEachSlot.') ||
  (name.startsWith('login.') && name !== 'login.request' && name.slice('login.'.length) in httpQuestion.shape);

/** What the guide explains with examples. */
const isExplained = /^(login|pages|steps)\./;

const formatKeys = (schema: z.ZodType): string => {
  const keys = new Map<
    string,
    { descriptions: Set<string>; words: Set<string>; default: unknown; isRequired: boolean }
  >();
  for (const [name, { description, default: value, const: word, enum: words = [] }, isRequired] of listKeys(
    toJsonSchema(schema),
  )) {
    if (isElsewhere(name)) continue;
    const known = keys.get(name) ?? { descriptions: new Set(), words: new Set(), default: value, isRequired };
    if (description) known.descriptions.add(description);
    for (const each of word === undefined ? words : [word]) known.words.add(quote(String(each)));
    keys.set(name, known);
  }
  const rows = [...keys].map(([name, { descriptions, words, default: value, isRequired }]) => {
    const given = isRequired || value === undefined || typeof value === 'object' ? undefined : JSON.stringify(value);
    const shown = given && ` (${quote(given.replace(/^"(.+)"$/, '$1'))})`;
    const meaning = isExplained.test(name)
      ? ''
      : [...descriptions, ...(words.size > 0 ? [[...words].join(', ')] : [])].join(' ');
    return { name: `${quote(name)}${isRequired ? '!' : ''}${shown ?? ''}`, meaning };
  });
  const bare = rows.filter(({ meaning }) => meaning === '').map(({ name }) => name);
  return [
    ...rows.filter(({ meaning }) => meaning !== '').map(({ name, meaning }) => `- ${name}: ${meaning}`),
    ...(bare.length > 0 ? [`- ${bare.join(', ')}`] : []),
  ].join('\n');
};

function formatThing([name, { about, record, questions, changes }]: readonly [string, Thing]): string {
  const asked = Object.entries({ ...questions, ...changes }).map(([key, names]) => {
    const registered: object = key === 'update' && 'create' in changes ? changes.create : {};
    const own = Object.keys(names).filter((each) => !(each in registered));
    const as = own.length < Object.keys(names).length ? ', and the names of `create`' : '';
    return `- ${[key, ...own.map((each) => `:${each}`)].map(quote).join(' ')}${as}`;
  });
  const fields = listLeaves(record).map(({ path, kind, words, required, isAlwaysThere }) => {
    const mark = required && isAlwaysThere ? '**' : '';
    const about = words.length > 0 ? words.join('/') : kind;
    return `${mark}${quote(path.join('.'))}${mark}${about === 'text' ? '' : ` (${about})`}`;
  });
  return [`## ${name}`, about, asked.join('\n'), `Fields: ${fields.join(', ')}.`].join('\n\n');
}

const { shape: changes } = httpChange;

/** All keys of a mapping file, from its schema. */
export const formatMapping = (): string =>
  [
    '## The file',
    formatKeys(
      z.object({
        system: mappingSchema.shape.system,
        rules: mappingSchema.shape.rules,
        codes: mappingSchema.shape.codes,
      }),
    ),
    '## database',
    formatKeys(database),
    '## http',
    'A `login.request` has the other keys of a question, too.',
    formatKeys(http),
    '## A thing',
    'Puente composes the questions of a thing over SQL of these, and of its [`keys`](../tutorials/mapping.md#5-patients). A thing with the question `all` may have `keep`, also over HTTP.',
    formatKeys(z.object(createParts('services'))),
    '## A question over HTTP',
    formatKeys(httpQuestion),
    '## A change over HTTP',
    'As a question, without `records` and `pages`, and with:',
    formatKeys(z.object({ id: changes.id, defaults: changes.defaults, lookAgain: changes.lookAgain })),
    '## A change over SQL',
    'A question over SQL is its text. `forEachSlot` has the keys of `steps`.',
    formatKeys(sqlChange),
    '## A field',
    'The name of a column or the path of an element, or the keys of the [converters](mapping-details.md#converters).',
    ...Object.entries(things as Readonly<Record<string, Thing>>).map(formatThing),
  ].join('\n\n');
