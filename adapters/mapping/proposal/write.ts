import { formatYaml } from '../../../src/toolkit/yaml-file.ts';
import type { Conversion } from '../file/schema.ts';
import { type CatalogueKind, quoteName } from '../sources/sql/tables.ts';
import type { FieldGuess, FieldQuestion, MissingThing, RowCondition, ThingGuess } from './guess.ts';
import type { ColumnPlace, Member } from './places.ts';
import { isTimeType, listMasks } from './values.ts';

/** The head of a mapping file for this database. */
export interface FileHead {
  readonly kind: CatalogueKind;
  /** The section `database`. */
  readonly database: Readonly<Record<string, string>>;
  /** Tables that the user may not read. */
  readonly unreadable: readonly string[];
}

/** The things that `check` rejects, with its messages. */
export type Refused = ReadonlyMap<string, readonly string[]>;

/** Writes a mapping file: certain parts as YAML, and all others commented out with a question. */
export function writeProposal(
  guesses: readonly (ThingGuess | MissingThing)[],
  { kind, database, unreadable }: FileHead,
  refused: Refused,
): string {
  const head = [
    '# What puente mapping new --from found in the database. Puente’s word is on the left of each colon, yours on the right.',
    '# `?` is a question without a certain answer. A thing behind # waits for its answers: add them, and remove the first # of its lines.',
    '# Masks show the shape of values: 9 is a digit, A a letter, … more letters. Then run: puente check, puente mapping preview.',
    ...(unreadable.length > 0 ? [`# ? not readable by this user: ${unreadable.join(', ')}`] : []),
    '',
    'system: his',
    'database:',
    ...Object.entries(database).map(([key, value]) => `  ${key}: ${formatScalar(value)}`),
  ];
  const sections = guesses.map((guess) =>
    'why' in guess ? [`# ? ${guess.thing}: ${guess.why}`] : writeThing(guess, kind, refused.get(guess.thing) ?? []),
  );
  return `${[head, ...sections].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** True if the thing has no open question. */
export const isComplete = ({ unless, questions }: ThingGuess): boolean =>
  unless === undefined && !questions.some(({ required }) => required);

function writeThing(guess: ThingGuess, kind: CatalogueKind, problems: readonly string[]): string[] {
  const { thing, table, count, unless } = guess;
  const names = nameMembers(guess);
  const columns = listColumns(guess, names, kind);
  const asked = [
    ...(unless === undefined ? [] : [unless]),
    ...problems,
    ...guess.conditions.flatMap((each) =>
      formatCondition(each, names, kind) === undefined ? [`which rows are valid? ${describePlace(each.place)}`] : [],
    ),
  ];
  const rows = count === undefined ? '' : `, ${count} row${count === 1 ? '' : 's'}`;
  const lines = [
    `${thing}: # ${table.name}${rows}`,
    ...asked.map((what) => `#  ? ${what}`),
    ...writeSelect(names, columns, kind),
    ...writeWhere(guess, names, kind),
    ...writeKeys(guess, names, kind),
    ...(catalogues.has(thing) ? ['  keep: 60 # seconds for which the answer is cached'] : []),
    '  fields:',
    ...writeFields(guess, (place) => columns.get(formatPlace(place, names, kind))?.name ?? place.column.name),
    ...describeRest(guess),
  ];
  const isLive = isComplete(guess) && problems.length === 0;
  // Without the first # of each line it is a thing whose open questions `check` reports, and the comments remain
  // comments.
  return isLive ? lines : lines.map((line) => `#${line}`);
}

const catalogues = new Set(['practitioners', 'locations', 'services', 'carriers', 'plans', 'schedules']);

/** Aliases of the used tables. The thing's own table is the first. */
type Aliases = ReadonlyMap<Member, string>;

function nameMembers({ members, fields, conditions }: ThingGuess): Aliases {
  const used = new Set<Member>();
  const use = (member: Member): void => {
    if (member.join) use(member.join.with);
    used.add(member);
  };
  for (const member of members.slice(0, 1)) use(member);
  for (const place of [...fields.flatMap(({ places }) => places), ...conditions.map((each) => each.place)])
    use(place.member);
  const names = new Map<Member, string>();
  for (const member of used) {
    const initial =
      member.table.name
        .replace(/[^a-z]/gi, '')
        .slice(0, 1)
        .toLowerCase() || 't';
    const taken = [...names.values()];
    names.set(
      member,
      [initial, ...Array.from({ length: 50 }, (_, i) => `${initial}${i + 2}`)].find((each) => !taken.includes(each))!,
    );
  }
  return names;
}

const formatPlace = ({ member, column }: ColumnPlace, names: Aliases, kind: CatalogueKind): string => {
  const name = quoteName(kind, column.name);
  return names.size > 1 ? `${names.get(member)}.${name}` : name;
};

/** The name of each column in the rows of `select`; a name in two tables gets the table as its prefix. */
function listColumns(
  { fields }: ThingGuess,
  names: Aliases,
  kind: CatalogueKind,
): ReadonlyMap<string, { readonly sql: string; readonly name: string }> {
  const columns = new Map<string, { readonly sql: string; readonly name: string }>();
  for (const place of fields.flatMap((each) => each.places)) {
    const sql = formatPlace(place, names, kind);
    if (columns.has(sql)) continue;
    const isPlain = /^[\p{L}\w ]+$/u.test(place.column.name);
    const isTaken = [...columns.values()].some(({ name }) => name.toLowerCase() === place.column.name.toLowerCase());
    const name =
      isPlain && !isTaken
        ? place.column.name
        : `${place.member.table.name}_${place.column.name}`.replaceAll(/\W/g, '_');
    columns.set(sql, { sql: name === place.column.name ? sql : `${sql} AS ${name}`, name });
  }
  return columns;
}

type Columns = ReturnType<typeof listColumns>;

function writeSelect(names: Aliases, columns: Columns, kind: CatalogueKind): string[] {
  const quote = (name: string) => quoteName(kind, name);
  const from = [...names].map(([{ table, join }, alias]) =>
    join
      ? `LEFT JOIN ${quote(table.name)} ${alias} ON ${alias}.${quote(join.column)} = ${names.get(join.with)}.${quote(join.target)}`
      : `FROM ${quote(table.name)}${names.size > 1 ? ` ${alias}` : ''}`,
  );
  const list = [...columns.values()].map(({ sql }) => sql);
  const rows: string[] = [];
  for (const column of list) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + column.length < 100) rows[rows.length - 1] = `${last}, ${column}`;
    else rows.push(column);
  }
  const select = `SELECT ${rows.join(',\n      ') || '*'}`;
  return [
    '  select: |',
    ...`${select}\n    ${from.join('\n      ')}`.split('\n').map((line, i) => (i === 0 ? `    ${line}` : line)),
  ];
}

function writeWhere({ conditions }: ThingGuess, names: Aliases, kind: CatalogueKind): string[] {
  const all = conditions.flatMap((each) => formatCondition(each, names, kind) ?? []);
  return all.length > 0 ? [`  where: ${formatScalar(all.join(' AND '))}`] : [];
}

/** Undefined if the codes of the column are unknown. */
function formatCondition(
  { place, reading, isPositive }: RowCondition,
  names: Aliases,
  kind: CatalogueKind,
): string | undefined {
  const name = formatPlace(place, names, kind);
  const { type } = place.column;
  if (reading.unless !== undefined) return undefined;
  if (isTimeType(type)) return `${name} IS NULL`;
  if (kind === 'postgres' && type === 'boolean') return isPositive ? `${name} IS NOT FALSE` : `${name} IS NOT TRUE`;
  const { codes } = reading.conversion;
  const written = typeof codes === 'object' ? Object.entries(codes).find(([, word]) => word === true)?.[0] : undefined;
  const yes = written === undefined ? '1' : `'${written.replaceAll("'", "''")}'`;
  return isPositive ? `${name} = ${yes}` : `coalesce(${name}, ${written === undefined ? '0' : "''"}) <> ${yes}`;
}

/** The fields that supply the column of each key of a thing. */
const keyFields: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  patients: [
    ['id', 'id'],
    ['document', 'identifier.value'],
    ['documentType', 'identifier.type'],
    ['birthDate', 'birthDate'],
    ['gender', 'gender'],
  ],
  coverages: [
    ['id', 'id'],
    ['patientId', 'patientId'],
  ],
  appointments: [
    ['patientId', 'patientId'],
    ['id', 'id'],
  ],
  slots: [
    ['start', 'start'],
    ['practitionerId', 'practitionerId'],
    ['serviceId', 'serviceId'],
    ['locationId', 'locationId'],
  ],
  taken: [
    ['start', 'start'],
    ['practitionerId', 'practitionerId'],
  ],
  exceptions: [
    ['firstDay', 'firstDay'],
    ['lastDay', 'lastDay'],
  ],
};

function writeKeys({ thing, fields }: ThingGuess, names: Aliases, kind: CatalogueKind): string[] {
  const keys = (keyFields[thing] ?? []).flatMap(([key, field]) => {
    const places = fields.find(({ path }) => path.join('.') === field)?.places ?? [];
    const [place] = places;
    if (!place) return [];
    // With day and time in two columns, the key is the day.
    return [`${key === 'start' && places.length > 1 ? 'day' : key}: ${formatFlow(formatPlace(place, names, kind))}`];
  });
  return keys.length > 0 ? [`  keys: { ${keys.join(', ')} }`] : [];
}

/** The name of a column in the rows of `select`. */
type FindName = (place: ColumnPlace) => string;

function writeFields({ fields, questions }: ThingGuess, findName: FindName): string[] {
  const byName = new Map<string, string[]>();
  const add = (path: readonly string[], line: (indent: string, key: string) => string) => {
    const [first = '', second] = path;
    const lines = byName.get(first) ?? [];
    lines.push(second === undefined ? line('    ', first) : line('      ', second));
    byName.set(first, lines);
  };
  const nested = new Set([...fields, ...questions].filter(({ path }) => path.length > 1).map(({ path }) => path[0]!));
  for (const field of fields) {
    const note = field.note === undefined ? '' : ` # ? ${field.note}`;
    add(field.path, (indent, key) => `${indent}${key}: ${formatField(field, findName)}${note}`);
  }
  for (const question of questions)
    add(
      question.path,
      (indent, key) => `${question.required ? '' : '#'}${indent}${key}: # ? ${formatQuestion(question)}`,
    );
  return [...byName].flatMap(([name, lines]) => {
    if (!nested.has(name)) return lines;
    const isOpen = lines.every((line) => line.startsWith('#'));
    return [`${isOpen ? '#' : ''}    ${name}:`, ...lines];
  });
}

const formatQuestion = ({ required, why, places }: FieldQuestion): string =>
  `${required ? 'needed: ' : ''}${why}${places.length > 0 ? `: ${places.map(describePlace).join('; ')}` : ''}`;

function describePlace({ member, column }: ColumnPlace): string {
  const masks = listMasks(column.values);
  const name = member.join ? `${member.table.name}.${column.name}` : column.name;
  return `${name} (${masks.length > 0 ? masks.join(' | ') : 'empty'})`;
}

/** The columns that no field reads, with samples of their values: a complete thing may lack a condition. */
function describeRest({ rest }: ThingGuess): string[] {
  return rest.length > 0
    ? ['#  not read:', ...rest.slice(0, MOST_REST).map((place) => `#    ${describePlace(place)}`)]
    : [];
}

/** The maximum number of columns listed for a thing. */
const MOST_REST = 40;

function formatField({ places, conversion }: FieldGuess, findName: FindName): string {
  const from = places.map(findName);
  const paths = places.length > 0 ? { from: from.length === 1 ? from[0]! : from } : {};
  const all: Conversion = { ...paths, ...conversion };
  const [only] = from;
  return places.length === 1 && Object.keys(conversion).length === 0 ? formatScalar(only!) : formatFlow(all);
}

const formatScalar = (text: string): string => formatYaml(text).trimEnd();

/** A value in one line. */
function formatFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatFlow).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${formatFlow(key)}: ${formatFlow(each)}`)
      .join(', ')} }`;
  if (typeof value !== 'string') return String(value);
  return /^[A-Za-z_][\w./ -]*$/.test(value) && formatScalar(value) === value ? value : JSON.stringify(value);
}
