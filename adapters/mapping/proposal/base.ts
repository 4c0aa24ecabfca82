import type { ThingName } from '../file/things.ts';
import type { SystemTable } from '../sources/sql/tables.ts';
import type { HospitalSystem } from './system.ts';
import { readColumn } from './values.ts';
import { isSame, toMeanings, words } from './words.ts';

/** The things whose names `words.yaml` has. */
export type ProposedThing = Exclude<ThingName, 'taken' | 'relatives' | 'entries'>;

/** The certain table of each thing. */
export type Bases = ReadonlyMap<ProposedThing, SystemTable>;

/** The table of a thing, with the doubt `unless` it is certain, or the reason why there is none. */
type FoundBase = { readonly table: SystemTable; readonly unless?: string } | { readonly why: string };

/** The table whose name matches the thing and that has the required columns. */
export async function findBase(system: HospitalSystem, thing: ProposedThing, bases: Bases): Promise<FoundBase> {
  const { tables, needs, lacks } = words.things[thing]!;
  const patients = bases.get('patients');
  const refersToPatients = (table: SystemTable) =>
    system.referencesOf(table).some((each) => each.table === patients?.name);
  const fits = async (table: SystemTable) =>
    (!needs.includes('patients') || refersToPatients(table)) &&
    (!lacks.includes('patients') || !refersToPatients(table)) &&
    (!needs.includes('free') || (await hasFreeTimes(system, table)));
  for (const name of tables) {
    const named = system.tables.filter((table) => isSame(system.meaningsOf(table), toMeanings(name)));
    const fitting: SystemTable[] = [];
    for (const table of named) if (await fits(table)) fitting.push(table);
    const filled: SystemTable[] = [];
    for (const table of fitting) if ((await system.sample(table)).rows.length > 0) filled.push(table);
    const [table, ...more] = filled.length > 0 ? filled : fitting;
    if (!table) continue;
    if (more.length === 0) return { table };
    return choose(system, thing, [table, ...more], bases);
  }
  const [perhaps] = system.tables.filter((table) =>
    words.things[thing]!.perhaps.some((name) => isSame(system.meaningsOf(table), toMeanings(name))),
  );
  if (perhaps) return { table: perhaps, unless: `no table has such a name; it may be ${perhaps.name}` };
  return suggest(system, thing, bases);
}

/** Chooses among tables of the same name the one with clearly more fields of the thing. */
function choose(system: HospitalSystem, thing: ProposedThing, tables: readonly SystemTable[], bases: Bases): FoundBase {
  const ranked = tables
    .map((table) => ({ table, fields: countFields(system, thing, table, bases) }))
    .toSorted((a, b) => b.fields - a.fields);
  const [first, second] = ranked;
  const isClear = first!.fields >= (second?.fields ?? 0) + 2;
  const names = tables.map(({ name }) => name).join(' or ');
  return { table: first!.table, ...(!isClear && { unless: `it may be ${names}` }) };
}

/** Suggests a table with another name but many of the thing's columns. A person has to confirm it. */
function suggest(system: HospitalSystem, thing: ProposedThing, bases: Bases): FoundBase {
  if (plain.has(thing)) return { why: 'no table was found' };
  const taken = new Set([...bases.values()]);
  const [best] = system.tables
    .filter((table) => !taken.has(table))
    .map((table) => ({ table, fields: countFields(system, thing, table, bases) }))
    .toSorted((a, b) => b.fields - a.fields);
  if (best && best.fields >= 3)
    return { table: best.table, unless: `no table has such a name; ${best.table.name} has such columns` };
  return { why: 'no table was found' };
}

/** Things whose columns, such as days and times, may occur in any table. */
const plain: ReadonlySet<ProposedThing> = new Set(['schedules', 'exceptions', 'slots']);

/** Counts the fields of a thing in a table, by the names and references of its columns. */
function countFields(system: HospitalSystem, thing: ProposedThing, table: SystemTable, bases: Bases): number {
  const own = system.meaningsOf(table);
  const columns = table.columns
    .map(({ name }) => system.columnMeanings(table, name))
    .flatMap((all) => [all, all.difference(own)]);
  const targets = new Set(system.referencesOf(table).map((each) => each.table));
  const has = (way: string): boolean => {
    if (way.startsWith('@')) return targets.has(bases.get(way.slice(1) as ProposedThing)?.name ?? '');
    return way.split(' + ').every((part) => columns.some((meanings) => isSame(meanings, toMeanings(part))));
  };
  return Object.values(words.things[thing]!.fields).filter((ways) => ways.some(has)).length;
}

/** True if a column distinguishes free times from others. */
async function hasFreeTimes(system: HospitalSystem, table: SystemTable): Promise<boolean> {
  const ways = words.things.slots?.fields.free ?? [];
  const own = system.meaningsOf(table);
  return (await system.look(table)).some((column) => {
    const meanings = system
      .columnMeanings(table, column.name)
      .difference(own)
      .difference(new Set(['id']));
    if (!ways.some((way) => isSame(meanings, toMeanings(way)))) return false;
    const { conversion, unless } = readColumn('slots', { path: ['free'], kind: 'flag' }, column);
    return (
      unless === undefined && typeof conversion.codes === 'object' && Object.values(conversion.codes).includes(true)
    );
  });
}
