import { type Conversion, type Leaf, listLeaves } from '../file/schema.ts';
import { type ThingName, things } from '../file/things.ts';
import type { SystemTable } from '../sources/sql/tables.ts';
import { type Bases, findBase, type ProposedThing } from './base.ts';
import { type ColumnPlace, findPlaces, joinParts, type Member, type PlaceSearch } from './places.ts';
import type { HospitalSystem } from './system.ts';
import { type ColumnReading, isTimeType, type ReadField, readColumn } from './values.ts';
import { words } from './words.ts';

/** A field that is read from columns. */
export interface FieldGuess {
  readonly path: readonly string[];
  /** Empty for a field with a constant value. */
  readonly places: readonly ColumnPlace[];
  readonly conversion: Omit<Conversion, 'from'>;
  /** A remark for review. The field is read nevertheless. */
  readonly note?: string | undefined;
}

/** A field without a certain column. */
export interface FieldQuestion {
  readonly path: readonly string[];
  readonly required: boolean;
  readonly why: string;
  readonly places: readonly ColumnPlace[];
}

/** A condition that all rows of a thing meet. */
export interface RowCondition {
  readonly place: ColumnPlace;
  readonly reading: ColumnReading;
  /** True if the column marks valid rows, false if it marks invalid ones. */
  readonly isPositive: boolean;
}

export interface ThingGuess {
  readonly thing: ProposedThing | 'taken';
  readonly table: SystemTable;
  readonly count: number | undefined;
  /** The reason why it may be another table. */
  readonly unless: string | undefined;
  readonly members: readonly Member[];
  readonly fields: readonly FieldGuess[];
  readonly questions: readonly FieldQuestion[];
  readonly conditions: readonly RowCondition[];
  /** Columns that no field reads. */
  readonly rest: readonly ColumnPlace[];
}

/** A thing without a table. */
export interface MissingThing {
  readonly thing: ProposedThing;
  readonly why: string;
}

/** The table of a thing, with the doubt `unless` it is certain. */
interface PerhapsBase {
  readonly table: SystemTable;
  readonly unless?: string;
}

const pickSure = (bases: ReadonlyMap<ProposedThing, PerhapsBase>): Bases =>
  new Map([...bases].flatMap(([name, { table, unless }]) => (unless === undefined ? [[name, table]] : [])));

/** The things that names and values suggest, in the order of the file. */
export async function guessThings(system: HospitalSystem): Promise<readonly (ThingGuess | MissingThing)[]> {
  const bases = new Map<ProposedThing, PerhapsBase>();
  const missing = new Map<ProposedThing, string>();
  for (const thing of Object.keys(words.things) as ProposedThing[]) {
    const found = await findBase(system, thing, pickSure(bases));
    if ('why' in found) missing.set(thing, found.why);
    else bases.set(thing, found);
  }
  const sure = pickSure(bases);
  const guesses: (ThingGuess | MissingThing)[] = [];
  for (const thing of Object.keys(words.things) as ProposedThing[]) {
    const base = bases.get(thing);
    guesses.push(base ? await guessThing(system, thing, base, sure) : { thing, why: missing.get(thing) ?? '' });
  }
  return [...guesses, ...guessTaken(guesses)];
}

/** With weekly schedules and without slot rows, appointments take the times. */
function guessTaken(guesses: readonly (ThingGuess | MissingThing)[]): readonly ThingGuess[] {
  const find = (thing: string) => guesses.find((each): each is ThingGuess => each.thing === thing && !('why' in each));
  const appointments = find('appointments');
  if (!appointments || !find('schedules') || find('slots')) return [];
  const names: Readonly<Record<string, readonly string[]>> = {
    'practitioners.id': ['practitionerId'],
    start: ['start'],
    minutes: ['minutes'],
    status: ['free'],
  };
  const fields = appointments.fields.flatMap((field): FieldGuess[] => {
    const path = names[field.path.join('.')];
    const { codes } = field.conversion;
    const isFree = (word: unknown) => word === 'canceled';
    const conversion =
      path?.[0] === 'free' && typeof codes === 'object'
        ? { codes: Object.fromEntries(Object.entries(codes).map(([code, word]) => [code, isFree(word)])) }
        : field.conversion;
    return path ? [{ ...field, path, conversion }] : [];
  });
  const questions = appointments.questions.flatMap((question): FieldQuestion[] => {
    const path = names[question.path.join('.')];
    return path ? [{ ...question, path }] : [];
  });
  return [{ ...appointments, thing: 'taken', fields, questions, rest: [] }];
}

async function guessThing(
  system: HospitalSystem,
  thing: ProposedThing,
  { table, unless }: PerhapsBase,
  bases: Bases,
): Promise<ThingGuess> {
  const { fields: known, ...tables } = words.things[thing]!;
  const members = joinParts(system, table, tables);
  const joined = new Map<string, Member>();
  const fields: FieldGuess[] = [];
  const questions: FieldQuestion[] = [];
  for (const leaf of listLeaves(things[thing].record)) {
    const name = leaf.path.join('.');
    const given =
      name === 'id'
        ? await guessId(system, table, members)
        : await guessField(
            {
              system,
              thing,
              leaf,
              members,
              bases,
              joined,
              read: new Set(fields.flatMap(({ places }) => places.map(({ column }) => column))),
            },
            known[name] ?? [],
          );
    if (given && 'why' in given) questions.push(given);
    else if (given) fields.push(given);
    else if (leaf.isAlwaysThere && isNeeded(leaf))
      questions.push({ path: leaf.path, required: true, why: 'no column has such a name', places: [] });
  }
  const settled = settle(thing, fields, questions, bases);
  const lacking = questions.filter(
    ({ required, path, places }) =>
      required && places.length === 0 && settled.questions.some((each) => each.path === path),
  );
  const needed = listLeaves(things[thing].record).filter(({ required, isAlwaysThere }) => required && isAlwaysThere);
  const doubt =
    lacking.length > 1 && lacking.length >= needed.length / 2
      ? `${table.name} has no ${lacking.map(({ path }) => path.join('.')).join(', ')}: is it the table?`
      : undefined;
  const { conditions, active } = await findConditions(system, thing, members, settled.fields);
  const { count } = await system.sample(table);
  const all = { ...settled, fields: [...settled.fields, ...active] };
  const [several] = await listRepeated(system, all.fields);
  const rest = await listRest(system, members, [
    ...all.fields,
    ...all.questions,
    { places: conditions.map(({ place }) => place) },
  ]);
  const asked = thing === 'coverages' ? askWhichAreValid(system, all, rest) : all.questions;
  const left = rest.filter((place) => !asked.some(({ places }) => places.includes(place)));
  const doubts = { unless: unless ?? doubt ?? several, questions: asked };
  return { thing, table, count, members, conditions, rest: left, fields: all.fields, ...doubts };
}

/** Tables of coverages keep old ones, and several for a patient. A date or a type shows which one is valid. */
function askWhichAreValid(
  system: HospitalSystem,
  { fields, questions }: Pick<ThingGuess, 'fields' | 'questions'>,
  unread: readonly ColumnPlace[],
): readonly FieldQuestion[] {
  if (fields.some(({ path }) => path[0] === 'active')) return questions;
  const telling = new Set(['date', 'start', 'end', 'valid', 'type', 'status']);
  const places = unread.filter(
    ({ member: { table }, column: { name, type } }) =>
      isTimeType(type) || !system.columnMeanings(table, name).isDisjointFrom(telling),
  );
  if (places.length === 0) return questions;
  const others = questions.filter(({ path }) => path[0] !== 'active');
  return [...others, { path: ['active'], required: true, why: 'which coverages are valid', places }];
}

async function listRest(
  system: HospitalSystem,
  members: readonly Member[],
  used: readonly { readonly places: readonly ColumnPlace[] }[],
): Promise<ColumnPlace[]> {
  const known = new Set(
    used.flatMap(({ places }) => places.map(({ member, column }) => `${member.table.name}.${column.name}`)),
  );
  const rest: ColumnPlace[] = [];
  for (const member of members)
    for (const column of await system.look(member.table))
      if (!known.has(`${member.table.name}.${column.name}`)) rest.push({ member, column });
  return rest;
}

/** Joined tables with several rows for one record. A person has to select one. */
async function listRepeated(system: HospitalSystem, fields: readonly FieldGuess[]): Promise<string[]> {
  const members = new Set(
    fields.flatMap(({ places }) => places.map(({ member }) => member)).filter(({ isMany }) => isMany),
  );
  const repeated: string[] = [];
  for (const { table, join } of members) {
    const values = (await system.look(table)).find(({ name }) => name === join?.column)?.values ?? [];
    if (new Set(values).size < values.length)
      repeated.push(`${table.name} has several rows for one ${join?.column}: select one of them in its JOIN`);
  }
  return repeated;
}

async function guessId(
  system: HospitalSystem,
  table: SystemTable,
  [base]: readonly Member[],
): Promise<FieldGuess | FieldQuestion> {
  const id = system.findId(table);
  const column = (await system.look(table)).find(({ name }) => name === id);
  if (!column || !base) return { path: ['id'], required: true, why: 'the table has no key of one column', places: [] };
  const { conversion } = readColumn('', { path: ['id'], kind: 'text' }, column);
  return { path: ['id'], places: [{ member: base, column }], conversion };
}

/** True if a record is useless without the field. */
const isNeeded = ({ path, required }: Leaf): boolean => required || path.join('.') === 'name';

interface FieldSearch extends PlaceSearch {
  /** Columns that a field already reads. */
  readonly read: ReadonlySet<object>;
}

/** The first certain mapping. Without one, the first uncertain mapping, as a question. */
async function guessField(
  search: FieldSearch,
  ways: readonly string[],
): Promise<FieldGuess | FieldQuestion | undefined> {
  const { leaf, thing } = search;
  let question: FieldQuestion | undefined;
  const ask = (why: string, places: readonly ColumnPlace[]) => {
    question ??= { path: leaf.path, required: isNeeded(leaf), why, places };
  };
  for (const way of ways) {
    // Each column belongs to one field.
    const found = (await findPlaces(search, way)).filter(
      (places) => !places.some(({ column }) => search.read.has(column)),
    );
    if (found.length > 1) {
      ask('several columns match', found.flat());
      break;
    }
    const [places] = found;
    if (!places) continue;
    const reading = readPlaces(thing, leaf, places);
    if (reading.unless === undefined)
      return { path: leaf.path, places, conversion: reading.conversion, note: reading.note };
    ask(reading.unless, places);
  }
  return question;
}

/** Reads columns as one field: a day and a time as a start, and several texts joined. */
function readPlaces(thing: string, leaf: Leaf, [first, ...more]: readonly ColumnPlace[]): ColumnReading {
  if (!first) return { conversion: {} };
  const [second] = more;
  if (leaf.kind === 'text' && second) return { conversion: {} };
  if (leaf.kind !== 'dateTime' || !second) return readColumn(thing, leaf, first.column);
  const day = readColumn(thing, { ...leaf, kind: 'day' }, first.column);
  const time = readColumn(thing, { ...leaf, kind: 'time' }, second.column);
  const unless = day.unless ?? time.unless;
  if (unless !== undefined) return { conversion: {}, unless };
  const { format } = day.conversion;
  const hasSeconds = second.column.values.some((value) => /:\d\d:/.test(value));
  if (format === undefined) return { conversion: {} };
  if (/HH/.test(format)) return { conversion: {}, unless: 'the day already has a time' };
  return { conversion: { format: `${format} HH:mm${hasSeconds ? ':ss' : ''}` } };
}

/** Adds fields that follow from other fields, and constants for fields without a column. */
function settle(
  thing: ThingName,
  fields: readonly FieldGuess[],
  questions: readonly FieldQuestion[],
  bases: Bases,
): Pick<ThingGuess, 'fields' | 'questions'> {
  const isOpen = (name: string) => questions.some(({ path, places }) => path.join('.') === name && places.length === 0);
  const find = (name: string) => fields.find(({ path }) => path.join('.') === name);
  const always = (name: string, value: string, note: string): FieldGuess => ({
    path: name.split('.'),
    places: [],
    conversion: { value },
    note,
  });
  const added: FieldGuess[] = [];
  const document = find('identifier.value')?.places[0]?.column;
  if (isOpen('identifier.type') && document) {
    const isDni =
      /dni/i.test(document.name) ||
      (document.values.length > 5 && document.values.every((value) => /^\d{1,2}\.?\d{3}\.?\d{3}$/.test(value)));
    if (isDni) added.push(always('identifier.type', 'DNI', 'no column has the type of a document'));
  }
  const whole = find('name');
  const [name, ...others] = whole?.places ?? [];
  const isWhole = thing === 'patients' && name && others.length === 0 && !find('lastName');
  const hasComma = name?.column.values.length && name.column.values.every((value) => /^[^,]+,[^,]+$/.test(value));
  if (isWhole && hasComma)
    added.push(
      { ...whole!, conversion: { after: ',' } },
      { path: ['lastName'], places: [name], conversion: { before: ',' } },
    );
  else if (isWhole) added.push({ ...whole!, note: 'where is the last name? `before` and `after` cut one column' });
  if (isOpen('type') && thing === 'services') added.push(always('type', 'CONSULTA', 'or PRACTICA: no column has it'));
  if (isOpen('planId') && !bases.has('plans') && find('plan')) added.push(always('planId', '', 'plans are texts'));
  const given = new Set(added.map(({ path }) => path.join('.')));
  return {
    fields: [...fields.filter((each) => !given.has(each.path.join('.'))), ...added],
    questions: questions.filter(({ path }) => !given.has(path.join('.'))),
  };
}

/** Columns that exclude rows: deleted ones never count. */
async function findConditions(
  system: HospitalSystem,
  thing: ProposedThing,
  members: readonly Member[],
  fields: readonly FieldGuess[],
): Promise<{ readonly conditions: readonly RowCondition[]; readonly active: readonly FieldGuess[] }> {
  const leaves: readonly Leaf[] = listLeaves(things[thing].record);
  const hasActive = leaves.some(({ path }) => path.join('.') === 'active');
  const isRead = fields.some(({ path }) => path.join('.') === 'active');
  const flag: ReadField = { path: ['active'], kind: 'flag' };
  const [base] = members;
  if (!base) return { conditions: [], active: [] };
  // An annulled slot may be blocked, and an annulled appointment canceled, which Puente still lists.
  const isOpen = thing === 'slots' || thing === 'appointments';
  const columns = await system.look(base.table);
  const active: FieldGuess[] = [];
  const conditions = columns.flatMap((column): RowCondition[] => {
    const [meaning, ...more] = system.columnMeanings(base.table, column.name).difference(new Set(['date', 'is']));
    if (more.length > 0 || meaning === undefined || !['deleted', 'inactive', 'active'].includes(meaning)) return [];
    const isPositive = meaning === 'active';
    if (isOpen) {
      const reading = { conversion: {}, unless: 'deleted or canceled' };
      return meaning === 'deleted' ? [{ place: { member: base, column }, reading, isPositive }] : [];
    }
    // A thing that can be inactive is listed as such.
    if (isPositive && (hasActive || isRead)) return [];
    const place = { member: base, column };
    const opposite = readColumn(thing, flag, column, true);
    if (meaning === 'inactive' && hasActive && !isRead && opposite.unless === undefined && !isTimeType(column.type)) {
      active.push({ path: ['active'], places: [place], conversion: opposite.conversion });
      return [];
    }
    const reading = isTimeType(column.type) ? { conversion: {} } : readColumn(thing, flag, column);
    return [{ place, reading, isPositive }];
  });
  return { conditions, active };
}
