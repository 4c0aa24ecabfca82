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

/** Receives a line about a finding. `ok` is true if it is right. Null leaves the decision to the operator. */
export type NoteLine = (line: string, ok?: true | null) => void;

const ID = '987654321';
const unknownValues: Given = { id: ID, patientId: ID, identifier: ID, birthDate: '1900-01-02' };

const pick = (given: Given, { names }: Entry): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in names));

/** Sends a question for a record that nobody has, to test whether it uses its criterion. */
export async function askForNobody(hospital: Hospital, entry: Entry, isHttp: boolean): Promise<RehearsalProblem[]> {
  const given = pick(unknownValues, entry);
  const { gives, fails, omitted } = await run(hospital, entry, given);
  const path = [entry.thing, entry.name];
  const count = (Array.isArray(gives) ? gives.length : 0) + omitted.length;
  const asked = Object.keys(given).map((name) => `:${name}`);
  if (count > 0) {
    const what = `answers ${count} records for ${asked.join(', ')} that nobody has: does it compare the right column, or send the right name?`;
    return [{ path, what }];
  }
  if (!isHttp || fails === undefined) return [];
  return [
    {
      path,
      what: `fails with ${fails} for ${asked.join(', ')} that nobody has: map that answer to the meaning nothing`,
    },
  ];
}

/** The context of a tool's call. */
export const createCall = () => ({
  requestId: randomUUID(),
  client: 'mapping',
  now: new Date().toISOString(),
  signal: AbortSignal.timeout(60_000),
  omit: () => undefined,
});

/**
 * Makes each change in a transaction that is rolled back. A change that must succeed only once is made twice, and from
 * two connections in parallel. Changed records exist already. A created record may use up a number of a sequence, like
 * any failed insert.
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
    if (changes.length > 0) note('changes are not tested: name an invented patient by --rehearse');
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
      note(`${name} is not tested: there are no values for it`);
      return [];
    }
    const rehearsal = await hospital.rehearse(entry, { ...given, perSlot }, createCall());
    const isOnce = name === 'appointments.cancel' || name === 'relatives.remove';
    if (rehearsal) {
      const mistakes = listMistakes(rehearsal, { must, isOnce }, (line, ok) => note(`${name} ${line}`, ok));
      if (mistakes.length > 0 || name !== 'appointments.book') return mistakes;
      return await bookOthers(hospital, entry, people, note);
    }
    const untried = 'is not tested, because it cannot be rolled back';
    note(`${name} ${untried}: puente contract tests it at level destructive, on a copy`);
    const overlapping = name === 'appointments.book' ? listOverlaps(await listFree(hospital)).length : 0;
    if (overlapping > 0)
      note(
        `${name}: ${overlapping} pairs of free times of one practitioner overlap: a booking of one must refuse the other`,
      );
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (getCauseCode(error) === 'too_many_rows')
      return ['changes more rows than `changes` allows, which defaults to 1'];
    note(`${name} is not tested: ${explainFailure(error, mask) ?? error.message}`);
    return [];
  }
}

/** The number of times of each kind that are tested. */
const TRIED = 10;
/** The number of conflicting bookings, each of which waits for a lock. */
const FEW = 4;

/** Selects some of them, from the first to the last. */
const pickSome = <T>(all: readonly T[], most = TRIED): T[] => {
  const step = Math.max(1, Math.floor(all.length / most));
  return all.filter((_, i) => i % step === 0).slice(0, most);
};

type Slots = readonly [SystemSlot, ...SystemSlot[]];

/**
 * Tests the booking: it must reject slots that the agenda shows as taken, because a free slot may become taken, and
 * accept free ones.
 */
async function bookOthers(hospital: Hospital, entry: Entry, people: People, note: NoteLine): Promise<string[]> {
  const ahead = await listAhead(hospital);
  const somebody = await findOther(hospital, people);
  if (somebody === undefined) note('appointments.book is tested for one patient: name another one by --patient');
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
      return [
        'books a time that the agenda shows as taken: compare everything that takes a time, including blocked times',
      ];
  const free = ahead.filter(({ isFree }) => isFree);
  const agendas = [...Map.groupBy(free, ({ scheduleId }) => scheduleId).values()];
  for (const slot of pickSome(agendas.flatMap(([first]) => first ?? []))) {
    const meaning = (await attempt([slot]))?.first;
    if (meaning !== undefined) return [`returns ${meaning} for another time that the agenda shows as free`];
  }
  for (const { slots, later, what } of listTwice(hospital, free)) {
    const made = await attempt(slots, later);
    if (made && made.first === undefined && (made.isMadeTwice || made.second === undefined)) return [what];
  }
  return [];
}

/** Another existing patient: a named one, or a relative. */
async function findOther(hospital: Hospital, { patient, others }: People): Promise<string | undefined> {
  const named = others.find((id) => id !== patient);
  if (named !== undefined || !hospital.has('relatives.ofPatient')) return named;
  const relatives = await hospital.find('relatives', 'ofPatient', { patientId: patient }, createCall());
  return relatives.find(({ relatedPatientId }) => relatedPatientId !== patient)?.relatedPatientId;
}

/** Pairs of bookings of which the second must be refused, with the problem if it is not. */
function listTwice(hospital: Hospital, free: readonly SystemSlot[]) {
  const [first] = free;
  const overlapping = pickSome(listOverlaps(free), FEW).map(([one, other]) => ({
    ...{ slots: [one] as const, later: [other] as const },
    what: 'books two overlapping free times of one practitioner: compare all appointments of the practitioner at that time',
  }));
  const long = pickSome(listRuns(hospital, free), 1).map((slots) => ({
    ...{ slots, later: [slots[1]] as const },
    what: 'takes only the first time of a long appointment: write each time by `forEachSlot`',
  }));
  const other = 'reassigns a patient’s time to another patient: compare that it is free';
  return [
    ...(first ? [{ slots: [first] as const, later: [first] as const, what: other }] : []),
    ...overlapping,
    ...long,
  ];
}

/** Two consecutive times of each agenda whose times can be booked together. */
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

/**
 * Overlapping times of one practitioner: for each two agendas, a pair with the same start and a pair with different
 * starts.
 */
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
    if (must) return [`returns ${first.meaning} although nothing prevents it`];
    return [`returns ${first.meaning} for an existing record`];
  }
  if (!must) {
    if (changed === 0) return ['changes no row for an existing record: does it compare the right column?'];
    note(`changed ${changed} ${changed === 1 ? 'row' : 'rows'} and was rolled back`);
    if (isOnce && !('meaning' in second))
      note('succeeds again for a canceled or removed record: compare its state, which also protects attended ones');
    return [];
  }
  if (isMadeTwice) {
    return [`can be made by two connections at once: nothing blocks the second one until the first has committed`];
  }
  if (!('meaning' in second)) {
    return [
      `can be made twice: nothing in it returns ${must} the second time: add a condition, a unique key or NOT EXISTS`,
    ];
  }
  if (second.meaning !== must) return [`returns ${second.meaning} the second time, which should be ${must}`];
  note(`was made twice and rolled back: the second one returns ${must}`, true);
  return [];
}

/** The slots up to the last bookable day, of practitioners and services on the lists. */
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
