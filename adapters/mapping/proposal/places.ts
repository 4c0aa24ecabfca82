import type { Leaf } from '../file/schema.ts';
import { things } from '../file/things.ts';
import type { SystemTable } from '../sources/sql/tables.ts';
import type { Bases, ProposedThing } from './base.ts';
import type { HospitalSystem } from './system.ts';
import { isWholeType, type SeenColumn } from './values.ts';
import { isSame, toMeanings, words } from './words.ts';

/** A table of a thing: its own, or a joined one. */
export interface Member {
  readonly table: SystemTable;
  /** The join condition: `column` of this table equals `target` of the other one. */
  readonly join?: { readonly column: string; readonly with: Member; readonly target: string };
  /** True if it may have several rows for one record. */
  readonly isMany?: true;
}

/** A column of a table. */
export interface ColumnPlace {
  readonly member: Member;
  readonly column: SeenColumn;
}

/** The table of a thing, and the tables with one additional row for each of its rows. */
export function joinParts(
  system: HospitalSystem,
  table: SystemTable,
  { parts, many }: { readonly parts: readonly string[]; readonly many: readonly string[] },
): Member[] {
  const members: Member[] = [{ table }];
  const isNamed = (other: SystemTable, names: readonly string[]) =>
    names.some((name) => isSame(system.meaningsOf(other), toMeanings(name))) &&
    !members.some((each) => each.table === other);
  const isPart = (other: SystemTable) => isNamed(other, parts);
  for (const member of members) {
    for (const { column, table: name, target } of system.referencesOf(member.table)) {
      const other = system.find(name);
      if (other && isPart(other))
        members.push({ table: other, join: { column: target, with: member, target: column } });
    }
    for (const other of system.tables.filter(isPart)) {
      const back = system
        .referencesOf(other)
        .find((each) => each.table === member.table.name && other.uniqueColumns.includes(each.column));
      if (back) members.push({ table: other, join: { column: back.column, with: member, target: back.target } });
    }
  }
  const several = system.tables
    .filter((other) => isNamed(other, many))
    .flatMap((other): Member[] => {
      const back = system
        .referencesOf(other)
        .find((each) => members.some((member) => member.table.name === each.table));
      const member = members.find((each) => each.table.name === back?.table);
      return back && member
        ? [{ table: other, isMany: true, join: { column: back.column, with: member, target: back.target } }]
        : [];
    });
  return [...members, ...several];
}

/** The search for the columns of a field. */
export interface PlaceSearch {
  readonly system: HospitalSystem;
  readonly thing: ProposedThing;
  readonly leaf: Leaf;
  readonly members: readonly Member[];
  readonly bases: Bases;
  /** Tables that fields have joined, without duplicates. */
  readonly joined: Map<string, Member>;
}

/**
 * The columns for a way of `words.yaml`. Several alternatives if the choice is unclear, each with its companion
 * columns.
 */
export async function findPlaces(search: PlaceSearch, way: string): Promise<readonly (readonly ColumnPlace[])[]> {
  if (way.includes(' + ')) {
    const all: ColumnPlace[] = [];
    for (const part of way.split(' + ')) {
      const found = await findPlaces(search, part);
      const [[place] = []] = found;
      if (found.length !== 1 || !place) return [];
      all.push(place);
    }
    return [all];
  }
  const [step = '', ...steps] = way.split(' > ');
  if (steps.length > 0) return follow(search, step, steps);
  if (step.startsWith('@')) return (await findReferences(search, step)).map((place) => [place]);
  const [before, after] = step.split(' .. ');
  if (before !== undefined && after !== undefined) return findAfter(search, before, after);
  // A table with several rows for one record can supply only lists.
  const members = search.members.filter(({ isMany }) => !isMany || search.leaf.path[0] === 'identifier');
  for (const member of members) {
    const found = await findColumns(search, member, step);
    if (found.length > 0) return found.map((column) => [{ member, column }]);
  }
  return [];
}

/** The columns of a table whose names match. */
async function findColumns(
  { system, leaf, thing }: PlaceSearch,
  { table }: Member,
  text: string,
): Promise<SeenColumn[]> {
  const wanted = toMeanings(text);
  const id = system.findId(table);
  const own = system.meaningsOf(table);
  const hasId = 'id' in things[thing].record.shape;
  // A number that refers to another row is not a text.
  const isText = leaf.kind === 'text' && !/id$/i.test(leaf.path.at(-1) ?? '');
  const references = new Set(system.referencesOf(table).map(({ column }) => column));
  const isCode = leaf.kind === 'word' || leaf.kind === 'flag';
  return (await system.look(table)).filter(({ name }) => {
    if ((name === id && hasId) || (isText && references.has(name))) return false;
    const meanings = system.columnMeanings(table, name);
    // The word "description" or "code" adds nothing to the rest of a name.
    const empty = isCode ? ['id', 'type'] : ['description'];
    const forms = [meanings, meanings.difference(own)];
    const all = [...forms, ...empty.flatMap((word) => forms.map((each) => each.difference(new Set([word]))))];
    return all.some((each) => isSame(each, wanted));
  });
}

/** The maximum distance between columns of one subject, such as a street and its number. */
const NEAR = 3;

async function findAfter(
  search: PlaceSearch,
  before: string,
  after: string,
): Promise<readonly (readonly ColumnPlace[])[]> {
  for (const member of search.members) {
    const [first] = await findColumns(search, member, before);
    const names = member.table.columns.map(({ name }) => name);
    const at = first ? names.indexOf(first.name) : -1;
    const found = (await findColumns(search, member, after)).filter(
      ({ name }) => at >= 0 && names.indexOf(name) > at && names.indexOf(name) <= at + NEAR,
    );
    if (found.length > 0) return found.map((column) => [{ member, column }]);
  }
  return [];
}

/** Columns that refer to the table of another thing. */
async function findReferences({ system, members, bases }: PlaceSearch, step: string): Promise<ColumnPlace[]> {
  const thing = step.slice(1) as ProposedThing;
  const target = bases.get(thing);
  const places: ColumnPlace[] = [];
  for (const member of target ? members : []) {
    const references = system.referencesOf(member.table);
    const columns = references.filter(({ table }) => table === target?.name).map(({ column }) => column);
    const called = toMeanings(words.things[thing]!.tables[0]!);
    const isCalled = ({ name, type }: SeenColumn) => {
      const meanings = system.columnMeanings(member.table, name);
      return (
        !references.some(({ column }) => column === name) &&
        (meanings.has('id') || isWholeType(type)) &&
        isSame(meanings.difference(new Set(['id', 'number'])), called)
      );
    };
    const seen = await system.look(member.table);
    const found = seen.filter((column) => columns.includes(column.name) || isCalled(column));
    places.push(...found.map((column) => ({ member, column })));
  }
  return places;
}

/** Columns of a table to which a column refers. */
async function follow(
  search: PlaceSearch,
  step: string,
  steps: readonly string[],
): Promise<readonly (readonly ColumnPlace[])[]> {
  const { system, bases } = search;
  const thing = step.startsWith('@') ? (step.slice(1) as ProposedThing) : undefined;
  const isMeant = (other: SystemTable) =>
    thing === undefined ? isSame(system.meaningsOf(other), toMeanings(step)) : bases.get(thing) === other;
  const reached = search.members.flatMap((member) =>
    system.referencesOf(member.table).flatMap(({ column, table, target }): Member[] => {
      const other = system.find(table);
      const isOwn = search.members.some((each) => each.table === other);
      if (!other || !isMeant(other) || isOwn) return [];
      const key = `${member.table.name}.${column}`;
      const known = search.joined.get(key) ?? { table: other, join: { column: target, with: member, target: column } };
      search.joined.set(key, known);
      return [known];
    }),
  );
  if (reached.length !== 1) return [];
  // The name of another thing is defined by that thing's own field.
  const rest = thing === undefined ? [steps.join(' > ')] : (words.things[thing]?.fields[steps.join(' > ')] ?? []);
  for (const way of rest) {
    const found = await findPlaces({ ...search, members: reached }, way);
    if (found.length > 0) return found;
  }
  return [];
}
