import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import {
  ConfigProblems,
  didYouMean,
  explainIssue,
  formatPath,
  SettingsProblem,
} from '../../../src/toolkit/problems.ts';
import { getField, getFields } from '../../../src/toolkit/records.ts';
import { resolveReferences, secretReference } from '../../../src/toolkit/secret.ts';
import { YamlFile } from '../../../src/toolkit/yaml-file.ts';
import { dateTokens, findPatternFault, timeTokens } from '../formats/date-pattern.ts';
import { compileExpression, ExpressionFault } from '../formats/expression.ts';
import { findHttpNames } from '../sources/http/template.ts';
import { splitPath } from '../sources/source.ts';
import { dropNested, findSqlNames, readVerb } from '../sources/sql/driver.ts';
import { checkParts, findFormerParts } from './check-parts.ts';
import { checkUse, type Definition, type FileProblem } from './check-use.ts';
import { findKey } from './keys.ts';
import type { Name, Thing } from './names.ts';
import { findQuestion } from './questions.ts';
import {
  type Conversion,
  type FieldMapping,
  type FieldMappings,
  findMapping,
  findWritten,
  type Kind,
  type Leaf,
  listLeaves,
  listPaths,
  type MappingFile,
  mappingSchema,
  toConversion,
} from './schema.ts';
import { type ThingName, things } from './things.ts';

const hints = { option: 'settings.file of the adapter', example: 'the examples in docs/tutorials/mapping.md' };

/**
 * Reads a mapping file and checks everything that needs no system.
 * @throws SettingsProblem at `file` with all problems, one line each: `his.yaml:12:5 patients.fields.gender: ...: the
 * fix`.
 */
export function loadMapping(path: string): MappingFile {
  try {
    const file = new YamlFile(path, hints);
    const content = file.toJS();
    const former = findFormerParts(content);
    if (former.length > 0) throw toProblems(file, former);
    const { data, error } = mappingSchema.safeParse(content, { error: explain });
    const problems = [
      ...(error?.issues.flatMap(listProblems) ?? []),
      ...findProblems(data ?? keepValid(content), content),
    ];
    if (data && problems.length === 0) return resolvePaths(data, dirname(path));
    throw toProblems(file, problems);
  } catch (error) {
    throw error instanceof ConfigProblems ? new SettingsProblem('file', error.problems) : error;
  }
}

const toProblems = (file: YamlFile, problems: readonly FileProblem[]): ConfigProblems =>
  new ConfigProblems(
    problems.map(({ path: at, what }) => `${file.findColumn(at)} ${formatPath(at).slice(1) || 'the file'}: ${what}`),
  );

/** Resolves relative paths, also those of secrets, against the folder of the file. */
function resolvePaths(file: MappingFile, folder: string): MappingFile {
  resolveReferences(file, folder);
  const { database } = file;
  if (database?.kind === 'sqlite') return { ...file, database: { ...database, file: resolve(folder, database.file) } };
  if (database?.kind === 'other')
    return { ...file, database: { ...database, driver: resolve(folder, database.driver) } };
  return file;
}

/** The valid sections, so that they can be checked although others have problems. */
const keepValid = (content: Record<string, unknown>): MappingFile =>
  Object.fromEntries(
    Object.entries(mappingSchema.shape).flatMap(([name, schema]) => {
      const { data } = z.safeParse(schema, content[name]);
      return data === undefined ? [] : [[name, data]];
    }),
  ) as MappingFile;

function explain(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== 'unrecognized_keys') return explainIssue(issue);
  const known = Object.keys((issue.inst as z.ZodObject | undefined)?.shape ?? {});
  return issue.keys
    .map((key) => `is not known${didYouMean(key, known) || `: use one of ${known.join(', ')}`}`)
    .join('\n');
}

/** The problems of an issue: one for each unknown key. For a union, those of the most likely option. */
function listProblems(issue: z.core.$ZodIssue): FileProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const lines = issue.message.split('\n');
    return issue.keys.map((key, i) => ({ path: [...issue.path, key], what: lines[i]! }));
  }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path: issue.path, what: issue.message }];
  if (issue.errors.every((inner) => countFaults(inner) >= 100)) {
    const messages = new Set(issue.errors.flat().map(({ message }) => message));
    return [{ path: issue.path, what: [...messages].join(' or ').replaceAll(' or must be ', ' or ') }];
  }
  const [meant = []] = issue.errors.toSorted((a, b) => countFaults(a) - countFaults(b));
  return meant.flatMap((inner) => listProblems({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** An option of another type is unlikely. Otherwise the one with the fewest faults is the most likely. */
const countFaults = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((sum, { code, path }) => sum + (code === 'invalid_type' && path.length === 0 ? 100 : 1), 0);

const patternTokens: { readonly [K in Kind]?: Parameters<typeof findPatternFault>[1] } = {
  day: dateTokens,
  dateTime: [...dateTokens, ...timeTokens],
  instant: [...dateTokens, ...timeTokens],
  time: timeTokens,
};

/** The problems of a field, one sentence each with the fix. */
function checkField(leaf: Leaf, mapping: FieldMapping | FieldMappings, { codes }: MappingFile): string[] {
  const conversion = toConversion(mapping);
  return [
    ...checkKeys(leaf, conversion),
    ...checkFormat(leaf.kind, conversion),
    ...checkCodes(leaf, conversion, codes),
    ...checkExpression(conversion),
  ];
}

const pathName = /^[^[\]]+(\[[^[\]=]+=[^[\]]*\])?$/;

const isBroken = (path: string): boolean =>
  splitPath(path.replace(/^(\.\.\/)+/, '')).some((name) => !pathName.test(name.trim()));

/** Reports missing keys, and keys that do not apply to the kind or to each other. */
function checkKeys({ kind, path, isInList, words }: Leaf, conversion: Conversion): string[] {
  const has = (key: keyof Conversion): boolean => conversion[key] !== undefined && conversion[key] !== false;
  const paths = listPaths(conversion);
  const isText = kind === 'text' || kind === 'ids';
  const origins = (['from', 'value', 'expression'] as const).filter((key) => conversion[key] !== undefined);
  const faults: (readonly [boolean, string])[] = [
    [origins.length === 0, 'has no source: add `from`, `value` or `expression`'],
    [origins.length > 1, `has ${origins.map((key) => `\`${key}\``).join(' and ')}: keep one of them`],
    [
      paths.some(isBroken),
      'has an invalid path: write names with one dot between them, e.g. ADDRESS.STREET or PHONES[MAIN=true].NUMBER',
    ],
    [has('join') && paths.length < 2, '`join` needs several values: write `from: [A, B]`, or remove it'],
    [has('split') && !isInList, '`split` applies to lists, and this is not a list: remove it'],
    [has('codes') && has('format'), 'has `codes` and `format`, which exclude each other: keep one of them'],
    [has('codes') && has('numeric'), 'has `codes` and `numeric`, which exclude each other: keep one of them'],
    [has('encode') && has('numeric'), 'has `encode` and `numeric`, which exclude each other: keep one of them'],
    [has('numeric') && !isText, `\`numeric\` applies to ids and texts, and this is ${nouns[kind]}: remove it`],
    [has('digits') && !isText, `\`digits\` applies to ids and texts, and this is ${nouns[kind]}: remove it`],
    [has('encode') && !isText, `\`encode\` applies to ids, and this is ${nouns[kind]}: remove it`],
    [
      typeof conversion.value === 'string' && /^:[a-z]\w*$/i.test(conversion.value),
      `\`value\` is constant, and ${conversion.value} exists only in questions and changes: write \`from\` with the column or element`,
    ],
    [
      conversion.value !== undefined && path[0] === 'free',
      '`value` is constant, but a time can be free or taken: remove `free` if the system lists only one kind',
    ],
    [
      has('value') && words.length > 0 && !words.includes(String(conversion.value)),
      `\`value\` must be one of ${words.join(', ')}${didYouMean(String(conversion.value), words)}`,
    ],
  ];
  return faults.flatMap(([isThere, what]) => (isThere ? [what] : []));
}

/** The name of each kind in messages. */
export const nouns: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  flag: 'true or false',
  day: 'a day',
  dateTime: 'a day with a time',
  instant: 'a day with a time',
  time: 'a time',
  word: 'a word of Puente (`codes`)',
  ids: 'a text',
};

function checkFormat(kind: Kind, { format }: Conversion): string[] {
  if (format === undefined) return [];
  const needed = patternTokens[kind];
  if (!needed) return [`\`format\` applies to days and times, and this is ${nouns[kind]}: remove it`];
  const fault = findPatternFault(format, needed);
  return fault === undefined ? [] : [`\`format\` ${fault}`];
}

function checkCodes({ kind, words }: Leaf, { codes }: Conversion, tables: MappingFile['codes'] | undefined): string[] {
  // Invalid tables have their own problems.
  if (codes === undefined || !tables) return [];
  const table = typeof codes === 'string' ? tables[codes] : codes;
  if (!table) {
    const names = Object.keys(tables);
    return [
      `there is no table \`${String(codes)}\` in \`codes\`${didYouMean(String(codes), names) || ': add it there'}`,
    ];
  }
  if (words.length > 0) {
    const given = new Set(Object.values(table).map(String));
    const wrong = [...given].filter((word) => !words.includes(word));
    // A system may lack some of more than two words. Of two words, it writes the other one too, in an unknown form.
    const lacking = words.length === 2 && wrong.length === 0 ? words.filter((word) => !given.has(word)) : [];
    return [
      ...wrong.map(
        (word) => `maps a code to ${word}, which must be one of ${words.join(', ')}${didYouMean(word, words)}`,
      ),
      ...lacking.map((word) => `maps no code to ${word}: add that code, or write \`value\` instead of \`codes\``),
    ];
  }
  const isNumber = kind !== 'number' || Object.values(table).every((word) => !Number.isNaN(Number(word)));
  return isNumber ? [] : ['maps a code to something that is not a number: write numbers on the right'];
}

function checkExpression({ expression }: Conversion): string[] {
  if (expression === undefined) return [];
  try {
    compileExpression(expression);
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return [`\`expression\`: ${error.message}`];
  }
}

/** The sections of a file, valid or not. */
type Present = Readonly<Record<string, unknown>>;

/** Problems of a file whose single keys are valid. */
const findProblems = (file: MappingFile, present: Present): FileProblem[] => [
  ...(present.http || present.database ? [] : [{ path: [], what: noSource }]),
  ...findSecrets(file),
  ...(Object.keys(things) as ThingName[]).flatMap((name) => (file[name] ? checkThing(name, file, present) : [])),
];

const noSource = 'has neither `http` nor `database`: add one of them to reach the system';

function checkThing(name: ThingName, file: MappingFile, present: Present): FileProblem[] {
  const thing: Thing = things[name];
  const section = file[name]!;
  const definitions = { ...thing.questions, ...thing.changes };
  const asked = Object.entries(section).filter(([key]) => key in definitions);
  const fields = listLeaves(thing.record).flatMap((leaf) => {
    const path = [name, 'fields', ...leaf.path];
    const mapping = findMapping(section.fields, leaf.path);
    if (mapping !== undefined) return checkField(leaf, mapping, file).map((what) => ({ path, what }));
    const isNeeded = leaf.isAlwaysThere || findMapping(section.fields, leaf.path.slice(0, -1)) !== undefined;
    return leaf.required && isNeeded ? [{ path, what: `is missing: name the column or element` }] : [];
  });
  const definitionFaults = asked.flatMap(([key, definition]) => {
    const faults = checkDefinition(definition, definitions[key]!, file, present);
    const all = faults.length > 0 ? faults : checkUse(`${name}.${key}`, definition as Definition, file);
    return all.map(({ path, what }) => ({ path: [name, key, ...path], what }));
  });
  const { needsOneOf = [] } = thing;
  const lacksAll = needsOneOf.length > 0 && needsOneOf.every((field) => section.fields[field] === undefined);
  const isComposed = Object.keys(thing.questions).some((question) => findQuestion(file, name, question) !== undefined);
  const keys = section.select === undefined ? '' : ', or `keys` beside `select`';
  const empty = { path: [name], what: `has no questions: add ${Object.keys(definitions).join(', ')}${keys}` };
  const needsDatabase = section.select !== undefined && !present.database;
  const composed = Object.entries(thing.questions).flatMap(([question, names]) =>
    checkComposed(name, question, names, file),
  );
  return [
    ...fields,
    ...definitionFaults,
    ...(asked.length === 0 && !isComposed ? [empty] : []),
    ...(lacksAll ? [{ path: [name, 'fields'], what: `has neither ${needsOneOf.join(' nor ')}: add one of them` }] : []),
    ...(needsDatabase ? [{ path: [name, 'select'], what: needsSource('database') }] : []),
    ...(name === 'appointments' && section.fields.coverageId && !present.coverages
      ? [{ path: [name, 'fields', 'coverageId'], what: noCoverages }]
      : []),
    ...checkParts(name, file).map(({ path, what }) => ({ path: [name, ...path], what })),
    ...composed,
  ];
}

const noCoverages = 'leads to no coverage, because the file has no `coverages`: add them, or remove the field';

function checkDefinition(definition: unknown, known: Thing['questions'][string], file: MappingFile, present: Present) {
  const isHttp = typeof definition === 'object' && definition !== null && 'request' in definition;
  const source = isHttp ? 'http' : 'database';
  const texts = [...listTexts(definition)];
  // Names that a step gives to new ids.
  const made = texts.filter(({ path }) => path.at(-1) === 'as');
  const names = [...Object.keys(known), ...made.map(({ text }) => text)];
  const list = names.length > 0 ? `: use one of ${names.map((name) => `:${name}`).join(', ')}` : ': remove it';
  const listNames = (text: string) => [...(isHttp ? findHttpNames({ request: text }) : findSqlNames(text))];
  const isUsed = (name: string) =>
    texts.some(({ path, text }) => (path.at(-1) === 'id' ? text === name : listNames(text).includes(name)));
  return [
    ...(present[source] ? [] : [{ path: [], what: needsSource(source) }]),
    ...made
      .filter(({ text }) => !isUsed(text))
      .map(({ path, text }) => ({
        path,
        what: `is unused: write \`id: ${text}\` as a key of the change, or remove it`,
      })),
    ...Object.keys(getFields(getField(definition, 'defaults')))
      .filter((name) => !isUsed(name))
      .map((name) => ({ path: ['defaults', name], what: 'is unused: remove it' })),
    ...texts.flatMap(({ path, text }) => (isHttp ? [] : checkSql(text).map((what) => ({ path, what })))),
    ...texts.flatMap(({ path, text }) =>
      listNames(text).flatMap((name): FileProblem[] => {
        if (!names.includes(name)) return [{ path, what: `:${name} is not known${didYouMean(name, names) || list}` }];
        return explainOneWay(known[name], name, file).map((what) => ({ path, what }));
      }),
    ),
  ];
}

const needsSource = (source: 'http' | 'database'): string =>
  `needs \`${source}\`, which the file does not have: add it`;

/** Faults that a database would report only at run time. */
function checkSql(sql: string): string[] {
  if (/^(BEGIN|DO|DECLARE)$/.test(readVerb(sql)) || !/;\s*\S/.test(dropNested(sql))) return [];
  return ['has two statements: write each as one of `steps`, or remove the second'];
}

/** Explains a `:name` whose reading cannot be reversed. */
function explainOneWay(meant: Name | undefined, name: string, file: MappingFile): string[] {
  const written = meant && findWritten(file, meant);
  const oneWay = (['expression', 'value'] as const).find((key) => written?.[key] !== undefined && !written.from);
  return meant && oneWay
    ? [`:${name} cannot be written, because ${meant.field} is read by \`${oneWay}\`: ${mending}`]
    : [];
}

/** A value compared with a key must have the form of its column, and a form that sorts by time. */
function checkComposed(name: ThingName, question: string, names: Readonly<Record<string, Name>>, file: MappingFile) {
  const asked = findQuestion(file, name, question);
  if (typeof asked !== 'object' || !('conditions' in asked)) return [];
  return asked.conditions.flatMap(({ name: each, is, column }): FileProblem[] => {
    const key = findKey(name, question, each) ?? each;
    const meant = names[each];
    const format = is !== '=' && meant ? findWritten(file, meant)?.format : undefined;
    const faults = explainOneWay(meant, each, file);
    const isUnordered = format !== undefined && !/^(yyyy.?MM.?dd|seconds$|milliseconds$)/.test(format);
    const order = `is compared with a time in the format ${format}, which does not sort by time: write an expression that returns a date, and remove \`format\``;
    const [path, ...others] = (meant && listPaths(findWritten(file, meant) ?? {})) ?? [];
    const isTime = is === '<=' && meant?.part === 'day' && others.length === 0 && path === column.split('.').at(-1);
    return [...faults, ...(isUnordered ? [order] : []), ...(isTime ? [dayOfTime] : [])].map((what) => ({
      path: [name, 'keys', key],
      what,
    }));
  });
}

const dayOfTime =
  'compares days with a column of times, so the times of the last day would be missing: write the column as the key `start`';

const mending = 'read it by `from` and `codes`, `format` or another reversible key, or remove the name';

interface Text {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

function* listTexts(value: unknown, path: readonly PropertyKey[] = []): Generator<Text> {
  if (typeof value === 'string') yield { path, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    yield* listTexts(each, [...path, Array.isArray(value) ? Number(key) : key]);
}

const secretName = /pass|clave|contrase|secret|token|api-?_?key|^authorization$|^pwd$/i;
/** In a request, `clave` may be any key. Only these names are secrets. */
const secretParameter = /^(pass(word|wd)?|pwd|contrase.+|(client_?)?secret|token|api-?_?key|authorization)$/i;
const secretElement = /<(?:[\w.-]+:)?(\w+)[^<>]*>\s*([^<>]*?)\s*<\//g;
const sentParts: readonly unknown[] = ['query', 'headers', 'form', 'json', 'xml'];

/** Finds secrets of the login and other requests that are written in the file itself. */
function findSecrets(file: MappingFile): FileProblem[] {
  const sections = ['http', ...Object.keys(things)] as const;
  return sections
    .flatMap((name) => [...listTexts(file[name as ThingName] ?? {}, [name])])
    .filter(({ path }) => path.slice(1, 3).some((part) => sentParts.includes(part)))
    .filter(({ path, text }) => {
      const elements = [...text.matchAll(secretElement)].map(([, name = '', given = '']) => [name, given] as const);
      const all = [[String(path.at(-1)), text] as const, ...elements];
      return all.some(([name, given]) => isSecret(path[0] === 'http', name, given));
    })
    .map(({ path }) => ({ path, what: 'has a secret in the file: move it, and write env:NAME or file:/path' }));
}

function isSecret(isOfAll: boolean, name: string, text: string): boolean {
  const isNamed = isOfAll ? secretName.test(name) : secretParameter.test(name) && !/(^|\W):[a-z]/i.test(text);
  return isNamed && !secretReference.safeParse(text).success;
}
