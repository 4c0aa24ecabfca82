import { randomUUID } from 'node:crypto';
import { getCauseCode } from '../../../src/http-client/failures.ts';
import { Failure } from '../../../src/ports/index.ts';
import { computeLastDay, isAhead } from '../../common/bookable.ts';
import { computeMinutes } from '../../common/booking.ts';
import type { MappingFile } from '../file/schema.ts';
import { nameSlots, takesAll } from '../ports/appointments.ts';
import type { EntryName, Hospital } from '../ports/hospital.ts';
import { mustMean } from '../ports/offered.ts';
import { keepOpen, listSlots, type SystemSlot } from '../ports/slots.ts';
import type { Meaning, Rehearsal } from '../sources/source.ts';
import { type Entry, formatEntry, type Given, listEntries, run } from './entries.ts';
import { explainFailure } from './explain.ts';
import { mask } from './mask.ts';

/** A problem at a key of the file. */
export interface RehearsalProblem {
  readonly path: readonly string[];
  readonly what: string;
}

/** Takes a line of what was found, with whether it is right; null is for the operator to judge. */
export type NoteLine = (line: string, ok?: true | null) => void;

const ID = '987654321';
const unknownValues: Given = { id: ID, patientId: ID, identifier: ID, birthDate: '1900-01-02' };

const pick = (given: Given, { names }: Entry): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in names));

/** Asks a question for what nobody has, which shows whether it is asked for at all. */
export async function askForNobody(hospital: Hospital, entry: Entry, isHttp: boolean): Promise<RehearsalProblem[]> {
  const given = pick(unknownValues, entry);
  const { gives, fails, omitted } = await run(hospital, entry, given);
  const path = [entry.thing, entry.name];
  const count = (Array.isArray(gives) ? gives.length : 0) + omitted.length;
  const asked = Object.keys(given).map((name) => `:${name}`);
  if (count > 0) {
    const what = `answers ${count} records for ${asked.join(', ')} that nobody has: is it compared with the right column, or sent under the right name?`;
    return [{ path, what }];
  }
  if (!isHttp || fails === undefined) return [];
  return [
    { path, what: `fails with ${fails} for ${asked.join(', ')} that nobody has: give that answer the meaning nothing` },
  ];
}

/** A call of a tool. */
export const createCall = () => ({
  requestId: randomUUID(),
  client: 'mapping',
  now: new Date().toISOString(),
  signal: AbortSignal.timeout(60_000),
  omit: () => undefined,
});

/**
 * Makes each change in a transaction that is undone. A change that must succeed only once is made twice, and from two
 * connections in parallel. Changed records exist already. A created one may use up a number of a sequence, as any
 * failed insert does.
 * @param people the ids of an existing invented patient, and of other patients.
 */
export async function rehearseChanges(
  file: MappingFile,
  hospital: Hospital,
  { patient, others }: { readonly patient: string | undefined; readonly others: readonly string[] },
  note: NoteLine,
): Promise<RehearsalProblem[]> {
  const changes = listEntries(file).filter(({ isChange }) => isChange);
  if (patient === undefined) {
    if (changes.length > 0) note('changes are not tried: name an invented patient by --rehearse');
    return [];
  }
  const found: RehearsalProblem[] = [];
  for (const entry of changes) {
    const path = [entry.thing, entry.name];
    const mistakes = await rehearseChange(hospital, entry, { patient, others }, note);
    found.push(...mistakes.map((what) => ({ path, what })));
  }
  return found;
}

/** The patient who books, and other patients. */
interface People {
  readonly patient: string;
  readonly others: readonly string[];
}

async function rehearseChange(hospital: Hospital, entry: Entry, people: People, note: NoteLine): Promise<string[]> {
  const name = formatEntry(entry) as EntryName;
  const [, must] = Object.values(mustMean).find(([each]) => each === name) ?? [];
  if (must && !hospital.canMean(name, must)) return [];
  try {
    const [given, perSlot] = await invent(name, people.patient, hospital);
    if (!given) {
      note(`${name} is not tried: there are no values for it`);
      return [];
    }
    const rehearsal = await hospital.rehearse(entry, { ...given, perSlot }, createCall());
    const isOnce = name === 'appointments.cancel' || name === 'relatives.remove';
    if (rehearsal) {
      const mistakes = listMistakes(rehearsal, { must, isOnce }, (line, ok) => note(`${name} ${line}`, ok));
      if (mistakes.length > 0 || name !== 'appointments.book') return mistakes;
      return await bookOthers(hospital, entry, people, note);
    }
    const untried = 'is not tried, because it cannot be undone';
    note(`${name} ${untried}: puente contract tries it at level destructive, on a copy`);
    const overlapping = name === 'appointments.book' ? listOverlaps(await listFree(hospital)).length : 0;
    if (overlapping > 0)
      note(
        `${name}: ${overlapping} pairs of free times of one practitioner overlap; a booking of one must refuse the other`,
      );
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (getCauseCode(error) === 'too_many_rows')
      return ['changes more rows than `changes` allows, 1 where it is left out'];
    note(`${name} is not tried: ${explainFailure(error, mask) ?? error.message}`);
    return [];
  }
}

/** As many times of each sort are tried. */
const TRIED = 10;
/** Bookings that meet another one wait for its lock. */
const FEW = 4;

/** Some of them, from the first to the last. */
const pickSome = <T>(all: readonly T[], most = TRIED): T[] => {
  const step = Math.max(1, Math.floor(all.length / most));
  return all.filter((_, i) => i % step === 0).slice(0, most);
};

type Slots = readonly [SystemSlot, ...SystemSlot[]];

/**
 * Tests the booking: it must reject slots that the agenda shows as taken, because they may become taken in between, and
 * accept free ones.
 */
async function bookOthers(hospital: Hospital, entry: Entry, people: People, note: NoteLine): Promise<string[]> {
  const ahead = await listAhead(hospital);
  const somebody = await findOther(hospital, people);
  if (somebody === undefined) note('appointments.book is tried for one patient: name another one by --patient');
  const name = (slots: Slots, patientId: string) => {
    const { values, perSlot } = nameSlots(slots, computeMinutes(slots));
    return { ...values, patientId, perSlot };
  };
  const attempt = async (slots: Slots, later = slots) => {
    const second = name(later, somebody ?? people.patient);
    const rehearsal = await hospital.rehearse(entry, name(slots, people.patient), createCall(), second);
    const find = (result: object) => ('meaning' in result ? String(result.meaning) : undefined);
    return rehearsal && { ...rehearsal, first: find(rehearsal.first), second: find(rehearsal.second) };
  };
  for (const slot of pickSome(ahead.filter(({ isFree }) => !isFree)))
    if ((await attempt([slot]))?.first === undefined)
      return ['books a time that the agenda shows as taken: compare everything that takes a time, also blocked times'];
  const free = ahead.filter(({ isFree }) => isFree);
  const agendas = [...Map.groupBy(free, ({ scheduleId }) => scheduleId).values()];
  for (const slot of pickSome(agendas.flatMap(([first]) => first ?? []))) {
    const meaning = (await attempt([slot]))?.first;
    if (meaning !== undefined) return [`means ${meaning} for another time that the agenda shows as free`];
  }
  for (const { slots, later, what } of listTwice(hospital, free)) {
    const made = await attempt(slots, later);
    if (made && made.first === undefined && (made.isMadeTwice || made.second === undefined)) return [what];
  }
  return [];
}

/** Somebody who is there: named, or a relative. */
async function findOther(hospital: Hospital, { patient, others }: People): Promise<string | undefined> {
  const named = others.find((id) => id !== patient);
  if (named !== undefined || !hospital.has('relatives.ofPatient')) return named;
  const relatives = await hospital.find('relatives', 'ofPatient', { patientId: patient }, createCall());
  return relatives.find(({ relatedPatientId }) => relatedPatientId !== patient)?.relatedPatientId;
}

/** Bookings of which the second one must be refused, and what is wrong when it is not. */
function listTwice(hospital: Hospital, free: readonly SystemSlot[]) {
  const [first] = free;
  const overlapping = pickSome(listOverlaps(free), FEW).map(([one, other]) => ({
    ...{ slots: [one] as const, later: [other] as const },
    what: 'books two free times of one practitioner that overlap; compare in it all that the practitioner has at that time',
  }));
  const long = pickSome(listRuns(hospital, free), 1).map((slots) => ({
    ...{ slots, later: [slots[1]] as const },
    what: 'takes the first time of a long appointment alone; write each time by `forEachSlot`',
  }));
  const other = 'gives a time that one patient has to another one; compare in it that nobody has it';
  return [
    ...(first ? [{ slots: [first] as const, later: [first] as const, what: other }] : []),
    ...overlapping,
    ...long,
  ];
}

/** Two times in a row of each agenda whose times can be booked together. */
function listRuns(hospital: Hospital, slots: readonly SystemSlot[]) {
  const { schedules, slots: read } = hospital.file;
  if (!schedules && !read?.fields.scheduleId) return [];
  const agendas = Map.groupBy(slots, ({ scheduleId, slot: { practitionerId, locationId, serviceId } }) =>
    JSON.stringify([scheduleId, practitionerId, locationId, serviceId]),
  );
  return [...agendas.values()].flatMap((agenda) => {
    const one = agenda.find(({ ends }, i) => agenda[i + 1]?.begins === ends);
    const next = agenda.find(({ begins }) => begins === one?.ends);
    return one && next && takesAll(hospital, [one, next]) ? [[one, next] as const] : [];
  });
}

/** Two times of one practitioner that overlap: for each two agendas a pair that begins together, and one that does not. */
function listOverlaps(slots: readonly SystemSlot[]): (readonly [SystemSlot, SystemSlot])[] {
  const pairs: (readonly [SystemSlot, SystemSlot])[] = [];
  for (const own of Map.groupBy(slots, ({ slot }) => slot.practitionerId).values()) {
    for (const [i, one] of own.entries()) {
      for (const other of own.slice(i + 1)) {
        if (other.begins >= one.ends) break;
        pairs.push([one, other]);
      }
    }
  }
  const sorts = Map.groupBy(pairs, ([one, other]) =>
    [one.scheduleId, other.scheduleId, one.begins === other.begins].join(' '),
  );
  return [...sorts.values()].map(([first]) => first!);
}

function listMistakes(
  { first, second, changed, isMadeTwice }: Rehearsal,
  { must, isOnce }: { readonly must: Meaning | undefined; readonly isOnce: boolean },
  note: NoteLine,
): string[] {
  if ('meaning' in first) {
    if (must) return [`means ${first.meaning} although nothing prevents it`];
    return [`means ${first.meaning} for an existing record`];
  }
  if (!must) {
    if (changed === 0) return ['changes no row for an existing record: is it compared with the right column?'];
    note(`changed ${changed} ${changed === 1 ? 'row' : 'rows'} and was undone`);
    if (isOnce && !('meaning' in second))
      note('is repeated for a canceled or removed record: compare its state, which also protects attended ones');
    return [];
  }
  if (isMadeTwice) {
    return [`can be made by two connections at once: nothing blocks the second one before the first has committed`];
  }
  if (!('meaning' in second)) {
    return [
      `can be made twice: nothing in it means ${must} the second time; add a condition, a unique key or NOT EXISTS`,
    ];
  }
  if (second.meaning !== must) return [`means ${second.meaning} the second time, which should be ${must}`];
  note(`was made twice and undone: the second one means ${must}`, true);
  return [];
}

/** The slots that are ahead, to the last day on which somebody may book, of who and what is on the lists. */
async function listAhead(hospital: Hospital) {
  const { zone, bookingHorizonDays } = hospital;
  const call = createCall();
  const days = { from: zone.toLocalDay(call.now), to: computeLastDay(zone, bookingHorizonDays, call) };
  const [slots, practitioners, locations] = await Promise.all([
    listSlots(hospital, days, call),
    hospital.find('practitioners', 'all', {}, call),
    hospital.find('locations', 'all', {}, call),
  ]);
  return keepOpen(slots, practitioners, locations).filter(({ begins }) => isAhead(begins, Date.parse(call.now)));
}

const listFree = async (hospital: Hospital) => (await listAhead(hospital)).filter(({ isFree }) => isFree);

/** The values for a change, and for each of its slots: an existing record to change, or the values of a new one. */
async function invent(name: EntryName, patientId: string, hospital: Hospital): Promise<[Given | undefined, object[]]> {
  const { now } = createCall();
  switch (name) {
    case 'patients.create':
      return [
        {
          ...{ identifier: ID, identifierType: 'DNI', birthDate: '1900-01-02' },
          ...{ gender: 'Female', name: 'Puente', lastName: 'Check' },
        },
        [],
      ];
    case 'patients.update':
      return [{ id: patientId }, []];
    case 'coverages.create': {
      const [plan] = await hospital.find('plans', 'all', {}, createCall());
      return [plan && { patientId, planId: plan.id, credentialNumber: 'puente-check' }, []];
    }
    case 'coverages.edit': {
      const [coverage] = await hospital.find('coverages', 'ofPatient', { patientId }, createCall());
      return [coverage && { id: coverage.id }, []];
    }
    case 'relatives.add':
      return [
        { patientId, relatedPatientId: patientId, relationshipCode: 1, relationshipDescription: '', active: true },
        [],
      ];
    case 'relatives.remove': {
      const [relative] = await hospital.find('relatives', 'ofPatient', { patientId }, createCall());
      return [relative && { patientId, id: relative.id }, []];
    }
    case 'appointments.cancel': {
      const all = await hospital.find('appointments', 'ofPatient', { patientId }, createCall());
      const active = all.find(({ status, start }) => status === 'active' && start > hospital.zone.toLocalTime(now));
      return [active && { patientId, appointmentId: active.id }, []];
    }
    default: {
      const [free] = await listFree(hospital);
      if (!free) return [undefined, []];
      const { values, perSlot } = nameSlots([free]);
      return [{ ...values, patientId }, perSlot];
    }
  }
}
