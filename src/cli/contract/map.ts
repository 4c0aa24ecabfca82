import { resolve } from 'node:path';
import { z } from 'zod';
import { listNames } from '../../config/keys.ts';
import { describedFixtures, institutionSchema, ruleNames, rules } from '../../contract/fixtures.ts';
import type { Case, FixtureName } from '../../contract/index.ts';
import { promisedFixtures } from '../../contract/subject.ts';
import { type Capability, capabilities } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { wrap } from '../../toolkit/plain-text.ts';
import { ConfigProblems, didYouMean, explainIssue, formatPath } from '../../toolkit/problems.ts';
import { getFields, isRecord } from '../../toolkit/records.ts';
import { timeZone } from '../../toolkit/time-zone.ts';
import { YamlFile } from '../../toolkit/yaml-file.ts';

/** A fixture map: the contract's fixtures, all optional, and the offer. */
export const mapSchema = z.strictObject({
  offers: z.array(z.enum(capabilities)).optional(),
  ...institutionSchema.shape,
  timeZone: timeZone.optional(),
  locale: z.string().min(1).optional(),
  unknown: z.string().min(1).optional(),
});

/** A validated map. */
export type FixtureMap = z.infer<typeof mapSchema>;

/**
 * Reads a fixture map. A key without a value counts as absent.
 * @param option that names the file.
 * @throws ConfigProblems with the line of each problem.
 */
export function readMap(file: string, option: string = '--map'): FixtureMap {
  const source = openMap(file, option);
  const { data, error } = mapSchema.safeParse(dropEmpty(source.toJS()), { error: explainIssue });
  if (data) return data;
  const format = (path: readonly PropertyKey[], what: string): string =>
    `${source.findPlace(path)} ${formatPath(path).slice(1)}: ${what}`;
  throw new ConfigProblems(
    error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') return [format(issue.path, issue.message)];
      const known = listNames(mapSchema, issue.path);
      return issue.keys.map((key) => format([...issue.path, key], `unknown fixture${didYouMean(key, known)}`));
    }),
  );
}

const openMap = (file: string, option: string): YamlFile =>
  new YamlFile(resolve(file), { option, example: `a map from ${commandLine} contract init` });

/**
 * Reads the whole fixture map, including keys without values.
 * @throws ConfigProblems as `readMap`.
 */
export function readKeys(file: string, option: string): Record<string, unknown> {
  readMap(file, option);
  return openMap(file, option).toJS();
}

/** Drops keys without values. */
const dropEmpty = (section: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(section).flatMap(([key, value]) => {
      if (value === null) return [];
      return [[key, isRecord(value) ? dropEmpty(value) : value]];
    }),
  );

/** The known facts of an institution. */
export interface Draft {
  /** The values from its configuration. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Undefined if the institution does not report its offer. */
  readonly offered: ReadonlySet<Capability> | undefined;
}

/** The fixtures for the cases of these capabilities, in the order of the map. */
export function listUsed(offered: ReadonlySet<Capability>, cases: readonly Case[]): readonly FixtureName[] {
  const used = new Set<FixtureName>([...offered].flatMap((capability) => promisedFixtures[capability]));
  for (const { needs, requires, fixtures: own } of cases) {
    if ([needs, ...requires].every((capability) => offered.has(capability))) for (const name of own) used.add(name);
  }
  if (!offered.has('patients.register')) used.add('patients.spare');
  return [...describedFixtures.keys()].filter((name) => used.has(name));
}

/** Formats the map as YAML, with known values filled in and the others marked with TODO. */
export function formatMap({ known, offered }: Draft, used: readonly FixtureName[]): string {
  const lines = [
    ...comment(
      'The records of this institution that puente contract --map may use. Every value is an id unless a comment names another kind. Replace the values marked TODO with records of the institution, if it has them, and remove the marks. A case whose fixture has no value is skipped, and names the fixture.',
    ),
    '',
    ...(offered ? [] : [...formatOffers(), '']),
    ...comment('IANA name of the time zone, and the language that defines the order of names.'),
    formatEntry('timeZone', known.get('timeZone'), 'America/Argentina/Buenos_Aires'),
    formatEntry('locale', known.get('locale'), 'es-AR'),
    ...comment('An id that no record has.'),
    'unknown: "puente-contract-unknown"',
    ...comment(
      'Rules of the system beyond the API, which do not count as failures. Remove the # from rules, and name those that apply:',
    ),
    ...ruleNames.flatMap((name) => comment(`- ${name}: ${rules[name]}`)),
    '# rules: []',
    ...comment('Milliseconds until reads show a write, unless they do at once.'),
    '# lag: 1000',
    ...formatFixtures(used, known),
  ];
  return `${lines.join('\n')}\n`;
}

/** Formats fixtures in their sections, each with its description. */
function formatFixtures(names: readonly FixtureName[], known: Draft['known']): string[] {
  const lines: string[] = [];
  let section = '';
  for (const name of names) {
    const [group = '', member] = name.split('.');
    if (group !== section) lines.push('', ...(member === undefined ? [] : [`${group}:`]));
    section = group;
    lines.push(...formatFixture(name, known, member === undefined ? '' : '  '));
  }
  return lines;
}

function formatFixture(name: FixtureName, known: Draft['known'], indent: string): string[] {
  const { description = '', examples: [example] = [] } = describedFixtures.get(name) ?? {};
  const key = name.split('.').at(-1) ?? name;
  const value = known.get(name);
  if (name.startsWith('records.') && Array.isArray(value)) {
    const records = value.map((each) => `${indent}  - ${JSON.stringify(each)}`);
    return [...comment(`${description} TODO`, indent), `${indent}${key}:`, ...records];
  }
  return [...comment(description, indent), indent + formatEntry(key, value, example)];
}

/**
 * Adds missing fixtures to a map, and keeps every line of it. Fixtures for a section that is in braces, in quotes or
 * indented are left to the operator.
 * @param content the parsed text.
 */
export function addFixtures(
  text: string,
  content: Readonly<Record<string, unknown>>,
  names: readonly FixtureName[],
  known: Draft['known'],
) {
  const lacking = names.filter((name) => {
    const [group = '', member] = name.split('.');
    return member === undefined ? !(group in content) : !(member in getFields(content[group]));
  });
  const isInSection = (name: FixtureName) => name.includes('.') && name.slice(0, name.indexOf('.')) in content;
  if (!isExtensible(text, content)) return { text, added: [], left: lacking };
  const left: FixtureName[] = [];
  let whole = text.endsWith('\n') || text === '' ? text : `${text}\n`;
  for (const name of lacking.filter(isInSection).toReversed()) {
    const section = new RegExp(
      `^${name.split('.')[0]}:[ \\t]*(#.*)?\\r?\\n(?=(?:[ \\t]*(?:#.*)?\\r?\\n)*( *))`,
      'm',
    ).exec(whole);
    if (!section) left.unshift(name);
    else {
      const lines = formatFixture(name, known, section[2] || '  ');
      const end = section.index + section[0].length;
      whole = `${whole.slice(0, end)}${lines.join('\n')}\n${whole.slice(end)}`;
    }
  }
  const others = formatFixtures(
    lacking.filter((name) => !isInSection(name)),
    known,
  );
  return {
    text: others.length > 0 ? `${whole}${others.join('\n')}\n` : whole,
    added: lacking.filter((name) => !left.includes(name)),
    left,
  };
}

/** True if lines can be added at the end of the text: all its sections begin a line, and no brace or `...` ends it. */
const isExtensible = (text: string, content: object): boolean =>
  !/^(?:[ \t]*\{|\.\.\.)/m.test(text) &&
  Object.keys(content).every((key) => new RegExp(`^["']?${RegExp.escape(key)}["']?[ \\t]*:`, 'm').test(text));

const comment = (text: string, indent = ''): string[] =>
  wrap(text, 96 - indent.length).map((line) => `${indent}# ${line}`);

/** Formats `key: value`, or a key without a value yet. The value is JSON, which is valid YAML. */
function formatEntry(key: string, value: unknown, example: unknown): string {
  if (value !== undefined) return `${key}: ${JSON.stringify(value)}`;
  return `${key}: # TODO${example === undefined ? '' : ` e.g. ${example}`}`;
}

const formatOffers = (): string[] => [
  ...comment('The operations that this institution offers: remove the # before them.'),
  'offers:',
  ...capabilities.map((each) => `  # - ${each} # TODO`),
];
