import type { Call } from '../../../src/ports/index.ts';
import { getField, getFields } from '../../../src/toolkit/records.ts';
import { isAhead } from '../../common/bookable.ts';
import { findQuestion } from '../file/questions.ts';
import { listPaths, type MappingFile } from '../file/schema.ts';
import { type ThingName, things } from '../file/things.ts';
import { listAppointments } from '../ports/appointment-records.ts';
import type { Hospital } from '../ports/hospital.ts';
import type { SystemSlot } from '../ports/slots.ts';
import type { SourceExchange } from '../sources/source.ts';
import { dropNested } from '../sources/sql/driver.ts';
import { compareAnswers } from './answers.ts';
import { createCall, type Entry } from './entries.ts';
import { listFields } from './mask.ts';
import type { NoteLine, RehearsalProblem } from './rehearse.ts';
import { type Days, findBookableDays, readDays, readSlots, toWindow } from './windows.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** The rows of a database's answers. Empty for HTTP. */
function listRows(exchanges: readonly SourceExchange[]): Rows {
  return exchanges.flatMap(({ status, answer }) => {
    if (status !== undefined) return [];
    const rows: unknown = JSON.parse(answer);
    return Array.isArray(rows) ? rows.map(getFields) : [];
  });
}

/**
 * Compares the rows of one answer of a database. It notes rows with the same id and different values in a field with a
 * single value. It also counts each code that makes a slot free.
 */
export function compareRows(
  file: MappingFile,
  { thing }: Entry,
  exchanges: readonly SourceExchange[],
  note: NoteLine,
): RehearsalProblem[] {
  const rows = listRows(exchanges);
  if (thing === 'slots') noteFreeCodes(file, rows, note);
  if (Object.hasOwn(things[thing], 'sharesIds')) return [];
  const fields = listFields(file, thing);
  const id = fields.find(({ leaf }) => leaf.path.join('.') === 'id');
  const columns = id ? listPaths(id.conversion) : [];
  if (columns.length === 0) return [];
  const byId = [...Map.groupBy(rows, (row) => JSON.stringify(columns.map((column) => row[column]))).values()];
  const shared = byId.filter((same) => same.length > 1);
  return fields.flatMap(({ leaf, conversion }): RehearsalProblem[] => {
    if (leaf.isInList) return [];
    const read = listPaths(conversion);
    const count = shared.filter(([first = {}, ...others]) =>
      others.some((other) => read.some((column) => other[column] !== first[column])),
    ).length;
    if (count === 0) return [];
    const what = `differs between rows with one id, for ${count} ids: does the statement join a table with several rows?`;
    return [{ path: [thing, 'fields', ...leaf.path], what }];
  });
}

/** If there are two codes for free slots, one may be for blocked times. */
function noteFreeCodes(file: MappingFile, rows: Rows, note: NoteLine): void {
  const found = listFields(file, 'slots').find(({ leaf }) => leaf.path.join('.') === 'free');
  const [column, ...more] = found ? listPaths(found.conversion) : [];
  if (!found || column === undefined || more.length > 0) return;
  const { codes } = found.conversion;
  const table = getFields(typeof codes === 'string' ? file.codes[codes] : codes);
  const free = Object.entries(table).filter(([, word]) => String(word) === 'true');
  if (free.length < 2) return;
  const counts = free.map(([code]) => `${code} (${rows.filter((row) => String(row[column]) === code).length})`);
  note(`slots.fields.free: several codes mean free, ${counts.join(', ')}: is one of them blocked?`);
}

/** Matches common column names for deleted records. */
const gone =
  /^(?:(?:fl|flg|flag|ind|is|st)_?)?(?:baja|borrad|elimin|anul|exclu[ií]d|apagad|delet|remov|void|inactiv|dado_de_baja|fec_baja|fecha_baja)/i;

/** Notes columns for deleted records that a thing returns but neither a field nor `where` uses. */
export function noteGone(file: MappingFile, thing: ThingName, columns: readonly string[], note: NoteLine): void {
  const section = getFields(file[thing]);
  const read = JSON.stringify([section.fields, section.where, dropNested(String(section.select))]);
  const all = Object.keys(things[thing].questions).map((question) => findQuestion(file, thing, question));
  const written = read + JSON.stringify(all.filter((each) => typeof each === 'string'));
  for (const column of columns.filter((each) => gone.test(each) && !new RegExp(`\\b${each}\\b`).test(written)))
    note(`${thing}: no field uses ${column}: if it marks deleted records, add it to where`);
}

/** Fields of different kinds of things that read the same column. Small numbers match several lists. */
export function noteShared(file: MappingFile, note: NoteLine): void {
  for (const thing of ['schedules', 'slots', 'appointments'] as const) {
    const links = listFields(file, thing).flatMap(({ leaf, conversion }) => {
      const name = leaf.path.join('.');
      return /^(service|practitioner|location)(Id$|s?\.id$)/.test(name)
        ? listPaths(conversion).map((column) => ({ name, column }))
        : [];
    });
    for (const [column, [one, other]] of Map.groupBy(links, (each) => each.column))
      if (one && other)
        note(`${thing}.fields: ${one.name} and ${other.name} both read ${column}: is it the id of both?`);
  }
}

/** The list of the institution that a field refers to. */
interface Link {
  readonly path: readonly string[];
  readonly list: 'practitioners' | 'locations' | 'services' | 'carriers' | 'plans';
  readonly ids: readonly string[];
}

/**
 * Compares the things of a hospital. It notes ids without a record, overlapping slots of one agenda, slots whose length
 * differs from the step between them, and the number of free slots.
 * @param patient the patient whose coverages and appointments are read too.
 * @param note receives counts, and no value of a record.
 */
export async function compareThings(hospital: Hospital, note: NoteLine, patient?: string): Promise<RehearsalProblem[]> {
  const days = findBookableDays(hospital);
  const hasSlots = hospital.has('slots.between') || hospital.has('schedules.all');
  const slots = hasSlots ? await readSlots(hospital, days) : [];
  // A large agenda takes longer than one call may.
  const call = createCall();
  const lists = await readLists(hospital, call);
  const links = [...linkSlots(slots), ...(await linkRecords(hospital, call, patient))];
  return [
    ...(await compareAnswers(hospital, { days, patient }, call, note)),
    ...links.flatMap((link) => findUnlistedIds(link, lists, note)),
    ...compareTimes(hospital, slots, note),
    ...(patient === undefined ? [] : await compareAppointments(hospital, { patient, slots }, createCall(), note)),
    ...(await compareTaken(hospital, { days, slots }, note)),
  ];
}

async function readLists(hospital: Hospital, call: Call) {
  const names = ['practitioners', 'locations', 'services', 'carriers', 'plans'] as const;
  const found = await Promise.all(
    names.map(async (name) => {
      const list = hospital.has(`${name}.all`) ? await hospital.find(name, 'all', {}, call) : undefined;
      return [name, list && new Set(list.map(({ id }) => id))] as const;
    }),
  );
  return new Map(found);
}

function linkSlots(slots: readonly SystemSlot[]): readonly Link[] {
  const thing = slots.some(({ countTaken }) => countTaken) ? 'schedules' : 'slots';
  const link = (field: 'practitionerId' | 'locationId' | 'serviceId', list: Link['list']): Link => ({
    path: [thing, 'fields', field],
    list,
    ids: slots.map(({ slot }) => slot[field]),
  });
  return [link('practitionerId', 'practitioners'), link('locationId', 'locations'), link('serviceId', 'services')];
}

async function linkRecords(hospital: Hospital, call: Call, patientId?: string): Promise<readonly Link[]> {
  const find = async <T extends 'services' | 'plans'>(thing: T) =>
    hospital.has(`${thing}.all`) ? hospital.find(thing, 'all', {}, call) : [];
  const [services, plans] = await Promise.all([find('services'), find('plans')]);
  const links: Link[] = [
    {
      path: ['services', 'fields', 'plans', 'id'],
      list: 'plans',
      ids: services.flatMap((each) => each.plans.map(({ id }) => id)),
    },
    { path: ['plans', 'fields', 'carrierId'], list: 'carriers', ids: plans.map(({ carrierId }) => carrierId) },
  ];
  if (patientId === undefined) return links;
  const coverages = hospital.has('coverages.ofPatient')
    ? await hospital.find('coverages', 'ofPatient', { patientId }, call)
    : [];
  const appointments = hospital.has('appointments.ofPatient')
    ? await hospital.find('appointments', 'ofPatient', { patientId }, call)
    : [];
  return [
    ...links,
    { path: ['coverages', 'fields', 'planId'], list: 'plans', ids: coverages.flatMap(({ planId }) => planId || []) },
    {
      path: ['appointments', 'fields', 'practitioners', 'id'],
      list: 'practitioners',
      ids: appointments.flatMap((each) => each.practitioners.map(({ id }) => id)),
    },
    {
      path: ['appointments', 'fields', 'location', 'id'],
      list: 'locations',
      ids: appointments.map(({ location }) => location.id),
    },
    {
      path: ['appointments', 'fields', 'services', 'id'],
      list: 'services',
      ids: appointments.flatMap((each) => each.services.map(({ id }) => id)),
    },
  ];
}

/** Some may be retired. If no list has the id, the field reads another column or another format. */
function findUnlistedIds(
  { path, list, ids }: Link,
  lists: Awaited<ReturnType<typeof readLists>>,
  note: NoteLine,
): RehearsalProblem[] {
  const known = lists.get(list);
  const all = new Set(ids);
  if (!known || known.size === 0 || all.size === 0) return [];
  const unlisted = [...all].filter((id) => !known.has(id));
  if (unlisted.length === 0) return [];
  if (unlisted.length === all.size)
    return [{ path, what: `has no id that ${list}.all returns: is it the same column, in the same format?` }];
  note(
    `${path.join('.')}: ${unlisted.length} of ${all.size} ids are not in ${list}.all, so nothing with these ids is offered`,
  );
  return [];
}

const MINUTE = 60_000;

/** Slots of one agenda do not overlap, and most begin at the end of the previous one. */
function compareTimes(hospital: Hospital, slots: readonly SystemSlot[], note: NoteLine): RehearsalProblem[] {
  if (slots.length === 0) return [];
  const free = slots.filter(({ isFree }) => isFree);
  note(`of ${slots.length} slots ${free.length} are free and ${slots.length - free.length} taken`);
  const { slots: read } = hospital.file;
  if (hospital.has('schedules.all') || !read) return [];
  const hasSchedules = getField(read.fields, 'scheduleId') !== undefined;
  const agendas = Map.groupBy(free, ({ scheduleId, slot }) =>
    hasSchedules ? scheduleId : `${slot.practitionerId} ${slot.locationId} ${slot.serviceId}`,
  );
  const pairs = [...agendas.values()].flatMap((agenda) =>
    agenda.slice(1).map((slot, i) => [agenda[i]!, slot] as const),
  );
  const overlapping = pairs.filter(([one, next]) => next.begins < one.ends).length;
  const path = ['slots', 'fields', 'minutes'];
  if (overlapping > 0)
    return [
      {
        path,
        what: `has ${overlapping} free slots that overlap with the next one of their agenda: is a slot longer than the step between them?`,
      },
    ];
  const step = findUsual(pairs.map(([one, next]) => next.begins - one.begins));
  const length = findUsual(free.map(({ begins, ends }) => ends - begins));
  if (step > length)
    note(
      `slots.fields.minutes: most slots take ${length / MINUTE} minutes, and the next one begins after ${step / MINUTE}: is that their length?`,
    );
  return [];
}

/** The most frequent value, or 0 without values. */
function findUsual(values: readonly number[]): number {
  const counts = [...Map.groupBy(values, (value) => value)].toSorted(([, a], [, b]) => b.length - a.length);
  return counts[0]?.[0] ?? 0;
}

/** A future appointment takes a time: no free slot begins with it, and one ends with it. */
async function compareAppointments(
  hospital: Hospital,
  { patient, slots }: { readonly patient: string; readonly slots: readonly SystemSlot[] },
  call: Call,
  note: NoteLine,
): Promise<RehearsalProblem[]> {
  if (!hospital.has('appointments.ofPatient')) return [];
  const last = slots.at(-1)?.begins ?? 0;
  const all = await listAppointments(hospital, { patientId: patient }, call);
  const ahead = all.filter(
    ({ status, begins }) => status === 'active' && isAhead(begins, Date.parse(call.now)) && begins <= last,
  );
  const own = ahead.map(({ begins, minutes, practitioners }) => {
    const isOwn = ({ slot }: SystemSlot) => practitioners.some(({ id }) => id === slot.practitionerId);
    const theirs = slots.filter(isOwn);
    const at = theirs.filter((slot) => slot.begins === begins);
    return {
      at,
      isFree: at.some(({ isFree }) => isFree),
      ends: theirs.some(({ ends }) => ends === begins + minutes * MINUTE),
    };
  });
  const free = own.filter(({ isFree }) => isFree).length;
  if (free > 0) {
    const what = `of ${own.length} future appointments of this patient, ${free} begin with a free slot of their practitioner`;
    if (free === own.length)
      return [
        { path: [hospital.has('schedules.all') ? 'taken' : 'slots'], what: `${what}: a booked time must not be free` },
      ];
    note(what);
  }
  const off = own.filter(({ at, ends }) => at.length > 0 && !ends).length;
  if (off > 0)
    note(
      `appointments.fields.minutes: ${off} of ${own.length} future appointments end with no slot: is that their length?`,
    );
  return [];
}

/** Most taken times of practitioners with schedules begin with one of their slots. */
async function compareTaken(
  hospital: Hospital,
  { days, slots }: { readonly days: Days; readonly slots: readonly SystemSlot[] },
  note: NoteLine,
): Promise<RehearsalProblem[]> {
  if (!hospital.has('schedules.all') || !hospital.has('taken.between')) return [];
  const taken = await readDays(hospital, 'taken', days, ({ from, to }, call) =>
    hospital.find('taken', 'between', toWindow(`${from}T00:00:00`, `${to}T23:59:59`), call),
  );
  const begins = new Set(slots.map(({ slot }) => `${slot.practitionerId} ${slot.start}`));
  const known = new Set(slots.map(({ slot }) => slot.practitionerId));
  const met = taken.flatMap(({ practitionerId = [], start, free }) => {
    const id = practitionerId.find((each) => known.has(each));
    return !free && id !== undefined && start.slice(0, 10) >= days.from ? [`${id} ${start}`] : [];
  });
  const off = met.filter((each) => !begins.has(each)).length;
  if (off * 2 > met.length)
    note(
      `schedules: of ${met.length} taken times, ${off} begin with no slot of their practitioner: do weekday, from and minutes read the right columns?`,
    );
  return [];
}
