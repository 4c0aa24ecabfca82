import { didYouMean } from '../../../src/toolkit/did-you-mean.ts';
import { secretReference } from '../../../src/toolkit/secret.ts';
import { findHttpNames } from '../sources/http/template.ts';
import { readVerb } from '../sources/sql/conditions.ts';
import { findSqlNames, listQuoted, splitWords } from '../sources/sql/statement.ts';
import { checkField } from './check-field.ts';
import { checkUse, type Definition, type Problem } from './check-use.ts';
import { findMapping } from './field.ts';
import { listLeaves } from './leaves.ts';
import type { MappingFile } from './schema.ts';
import type { Thing } from './thing.ts';
import { type ThingName, things } from './things.ts';
import { findWritten } from './written.ts';

/** Which sections a file has, right or wrong. */
type Present = Readonly<Record<string, unknown>>;

/** What a file may not say, although each of its keys is right. */
export const findProblems = (file: MappingFile, present: Present): Problem[] => [
  ...(present.http || present.database ? [] : [{ path: [], what: noSource }]),
  ...findSecrets(file),
  ...(Object.keys(things) as ThingName[]).flatMap((name) => (file[name] ? checkThing(name, file, present) : [])),
];

const noSource = 'has neither `http` nor `database`; add the one by which the system is reached';

function checkThing(name: ThingName, file: MappingFile, present: Present): Problem[] {
  const thing: Thing = things[name];
  const section = file[name]!;
  const definitions = { ...thing.questions, ...thing.changes };
  const asked = Object.entries(section).filter(([key]) => key in definitions);
  const fields = listLeaves(thing.record).flatMap((leaf) => {
    const path = [name, 'fields', ...leaf.path];
    const mapping = findMapping(section.fields, leaf.path);
    if (mapping !== undefined) return checkField(leaf, mapping, file).map((what) => ({ path, what }));
    const isNeeded = leaf.isAlwaysThere || findMapping(section.fields, leaf.path.slice(0, -1)) !== undefined;
    return leaf.required && isNeeded ? [{ path, what: `is missing; say which column or element it is` }] : [];
  });
  const definitionFaults = asked.flatMap(([key, definition]) => {
    const faults = checkDefinition(definition, definitions[key]!, file, present);
    const all = faults.length > 0 ? faults : checkUse(`${name}.${key}`, definition as Definition, file, section.select);
    return all.map(({ path, what }) => ({ path: [name, key, ...path], what }));
  });
  const { needsOneOf = [] } = thing;
  const lacksAll = needsOneOf.length > 0 && needsOneOf.every((field) => section.fields[field] === undefined);
  const empty = { path: [name], what: `asks nothing; add ${Object.keys(definitions).join(', ')}` };
  const { select } = section;
  const ofAll: Thing['questions'][string] = Object.assign({}, ...Object.values(thing.questions));
  const selectFaults = select === undefined ? [] : checkDefinition(select, ofAll, file, present);
  return [
    ...fields,
    ...definitionFaults,
    ...(asked.length === 0 ? [empty] : []),
    ...(lacksAll ? [{ path: [name, 'fields'], what: `has neither ${needsOneOf.join(' nor ')}; add one of them` }] : []),
    ...selectFaults.map(({ what }) => ({ path: [name, 'select'], what })),
  ];
}

/** A question or a change: whether it can be asked, and the `:names` in it. */
function checkDefinition(definition: unknown, known: Thing['questions'][string], file: MappingFile, present: Present) {
  const isHttp = typeof definition === 'object' && definition !== null && 'request' in definition;
  const source = isHttp ? 'http' : 'database';
  const texts = [...listTexts(definition)];
  // Names that a step gives to what it made.
  const made = texts.filter(({ path }) => path.at(-1) === 'as');
  const names = [...Object.keys(known), ...made.map(({ text }) => text)];
  const list = names.length > 0 ? `; known are ${names.map((name) => `:${name}`).join(', ')}` : '; none is known here';
  const listNames = (text: string) => [...(isHttp ? findHttpNames({ request: text }) : findSqlNames(text))];
  const isUsed = (name: string) =>
    texts.some(({ path, text }) => (path.at(-1) === 'id' ? text === name : listNames(text).includes(name)));
  return [
    ...(present[source] ? [] : [{ path: [], what: `needs \`${source}\`, which the file does not have; add it` }]),
    ...made
      .filter(({ text }) => !isUsed(text))
      .map(({ path, text }) => ({
        path,
        what: `is used nowhere; write \`id: ${text}\` beside the steps, or leave it out`,
      })),
    ...Object.keys(Object(definition).defaults ?? {})
      .filter((name) => !isUsed(name))
      .map((name) => ({ path: ['defaults', name], what: 'is used nowhere; leave it out' })),
    ...texts.flatMap(({ path, text }) => (isHttp ? [] : checkSql(text, names).map((what) => ({ path, what })))),
    ...texts.flatMap(({ path, text }) =>
      listNames(text).flatMap((name): Problem[] => {
        if (!names.includes(name)) return [{ path, what: `:${name} is not known${didYouMean(name, names) || list}` }];
        const written = known[name] && findWritten(file, known[name]);
        const oneWay = (['expression', 'value'] as const).find((key) => written?.[key] !== undefined && !written.from);
        if (!oneWay) return [];
        const what = `:${name} cannot be written, since ${known[name]!.field} is read by \`${oneWay}\`; ${mending}`;
        return [{ path, what }];
      }),
    ),
  ];
}

/** What databases would refuse at run time alone, or take for something else. */
function checkSql(sql: string, names: readonly string[]): string[] {
  const isBlock = /^(BEGIN|DO|DECLARE)$/.test(readVerb(sql));
  const quoted = listQuoted(sql).flatMap((text) =>
    [...text.matchAll(/(?<!\w):([a-z]\w*)/gi)].map(([, name = '']) => name),
  );
  return [
    ...(!isBlock && splitWords(sql).slice(0, -1).includes(';')
      ? ['holds two statements; write each as one of `steps`, or leave out the second']
      : []),
    ...quoted
      .filter((name) => names.includes(name))
      .map((name) => `:${name} in quotes is a text and no value; leave out the quotes`),
  ];
}

const mending = 'read it by `from` and `codes`, `format` or another key that goes both ways, or leave the name out';

interface Text {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** All texts in a part of the file, with their paths in it. */
function* listTexts(value: unknown, path: readonly PropertyKey[] = []): Generator<Text> {
  if (typeof value === 'string') yield { path, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    yield* listTexts(each, [...path, Array.isArray(value) ? Number(key) : key]);
}

const secretName = /pass|clave|contrase|secret|token|api-?_?key|^authorization$|^pwd$/i;
/** In a request `clave` may be any key, and only these are secrets. */
const secretParameter = /^(pass(word|wd)?|pwd|contrase.+|(client_?)?secret|token|api-?_?key|authorization)$/i;
const secretElement = /<(?:[\w.-]+:)?(\w+)[^<>]*>\s*([^<>]*?)\s*<\//g;
const sentParts: readonly unknown[] = ['query', 'headers', 'form', 'json', 'xml'];

/** Secrets that stand in the file itself: in what the login and other requests send. */
function findSecrets(file: MappingFile): Problem[] {
  const sections = ['http', ...Object.keys(things)] as const;
  return sections
    .flatMap((name) => [...listTexts(file[name as ThingName] ?? {}, [name])])
    .filter(({ path }) => path.slice(1, 3).some((part) => sentParts.includes(part)))
    .filter(({ path, text }) => {
      const elements = [...text.matchAll(secretElement)].map(([, name = '', given = '']) => [name, given] as const);
      const all = [[String(path.at(-1)), text] as const, ...elements];
      return all.some(([name, given]) => isSecret(path[0] === 'http', name, given));
    })
    .map(({ path }) => ({ path, what: 'holds a secret; write env:NAME or file:/path, where the secret is' }));
}

function isSecret(isOfAll: boolean, name: string, text: string): boolean {
  const isNamed = isOfAll ? secretName.test(name) : secretParameter.test(name) && !/(^|\W):[a-z]/i.test(text);
  return isNamed && !secretReference.safeParse(text).success;
}
