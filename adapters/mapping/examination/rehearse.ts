import { randomUUID } from 'node:crypto';
import { getCauseCode } from '../../../src/http-client/failures.ts';
import { Failure } from '../../../src/ports/index.ts';
import { isAhead } from '../../common/bookable.ts';
import { computeMinutes, type pickKept } from '../../common/booking.ts';
import type { MappingFile } from '../file/schema.ts';
import { nameSlots, takesAll } from '../ports/appointments.ts';
import type { EntryName, Hospital } from '../ports/hospital.ts';
import { mustMean } from '../ports/offered.ts';
import { keepOpen, type SystemSlot } from '../ports/slots.ts';
import type { Meaning, Rehearsal } from '../sources/source.ts';
import { createCall, type Entry, formatEntry, type Given, listEntries, run } from './entries.ts';
import { explainFailure } from './explain.ts';
import { mask } from './mask.ts';
import { findBookableDays, readSlots, UnreadAgenda, unproven } from './windows.ts';

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
  const isBooking = name === 'appointments.book';
  const until = isBooking ? unproven : 'until then nothing proves that it succeeds once';
  try {
    const [given, perSlot] = await invent(name, people.patient, hospital);
    if (!given) {
      const why = isBooking ? 'no future slot is free' : 'there are no values for it';
      if (must) return [`is not tested: ${why}; ${until}`];
      note(`${name} is not tested: ${why}`);
      return [];
    }
    const rehearsal = await hospital.rehearse(entry, { ...given, perSlot }, createCall());
    const isOnce = name === 'appointments.cancel' || name === 'relatives.remove';
    if (rehearsal) {
      const hint =
        name === 'coverages.edit' && hospital.uses(name, 'patientId')
          ? ':patientId is missing when a caller edits a coverage: compare :id alone'
          : 'does it compare the right column?';
      const mistakes = listMistakes(rehearsal, { must, isOnce, hint }, (line, ok) => note(`${name} ${line}`, ok));
      if (mistakes.length > 0 || !must) return mistakes;
      const { mistakes: opened, kept } = await openGuard(hospital, entry, { ...given, perSlot }, note);
      if (opened.length > 0) return opened;
      return isBooking ? await bookOthers(hospital, entry, { ...people, kept }, note) : [];
    }
    const untried = 'is not tested, because it cannot be rolled back';
    note(`${name} ${untried}: puente contract tests it at level destructive, on a copy`);
    const overlapping = isBooking ? [...listOverlaps(hospital, await listFree(hospital)).values()].flat().length : 0;
    if (overlapping > 0)
      note(
        `${name}: ${overlapping} pairs of free times of one practitioner overlap: a booking of one must refuse the other`,
      );
    return [];
  } catch (error) {
    if (error instanceof UnreadAgenda) return [`is not tested: ${error.message}`];
    if (!(error instanceof Failure)) throw error;
    if (getCauseCode(error) === 'too_many_rows')
      return ['changes more rows than `changes` allows, which defaults to 1'];
    const why = explainFailure(error, mask) ?? error.message;
    // The institution may have no code for an invented value.
    if (must && error.kind !== 'unsupported') return [`is not tested: ${why}; ${until}`];
    note(`${name} is not tested: ${why}`);
    return [];
  }
}

/**
 * Makes a guarded change twice with the optional values that it uses, because one of them may open the guard. If the
 * system rejects all values together, it tests each one alone.
 * @returns the values that the system accepts.
 */
async function openGuard(
  hospital: Hospital,
  entry: Entry,
  given: Given,
  note: NoteLine,
): Promise<{ readonly mistakes: string[]; readonly kept: Given }> {
  const name = formatEntry(entry) as EntryName;
  const invented = Object.entries(await inventOptional(name, String(given.patientId), hospital));
  const used = invented.filter(([each, value]) => value !== undefined && hospital.uses(name, each));
  const mistakes: string[] = [];
  const attempt = async (values: Given): Promise<string | undefined> => {
    const made = await rehearseOrExplain(hospital, entry, { ...given, ...values });
    if (typeof made !== 'object') return made;
    if ('meaning' in made.first) return `it returns ${made.first.meaning}`;
    if (made.isMadeTwice || !('meaning' in made.second))
      mistakes.push(`can be made twice with ${formatNames(values)}: no optional value may open its guard`);
    return undefined;
  };
  const whole: Given = Object.fromEntries(used);
  if (used.length === 0 || (await attempt(whole)) === undefined) return { mistakes, kept: whole };
  let kept: Given = {};
  for (const [each, value] of used) {
    const one = { [each]: value };
    const why = await attempt(one);
    if (why === undefined) kept = { ...kept, ...one };
    else if (value === ID && each === 'coverageId')
      mistakes.push(`is not tested with :coverageId: rehearse a patient with an active coverage; ${unproven}`);
    else note(`${name} is not tested with :${each}: ${why}`);
  }
  return { mistakes, kept };
}

const formatNames = (values: Given): string =>
  Object.keys(values)
    .map((each) => `:${each}`)
    .join(', ');

/** Returns a text if the change fails: the reason. */
async function rehearseOrExplain(hospital: Hospital, entry: Entry, given: Given) {
  try {
    return await hospital.rehearse(entry, given, createCall());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return explainFailure(error, mask) ?? error.message;
  }
}

/** Values of the optional fields of a guarded change. */
async function inventOptional(name: EntryName, patientId: string, hospital: Hospital): Promise<Given> {
  switch (name) {
    case 'appointments.book':
      return {
        coverageId: await findCoverage(hospital, patientId),
        ...{ copay: 1, authorization: true, idempotencyKey: randomUUID().replaceAll('-', '') },
      } satisfies Record<keyof ReturnType<typeof pickKept> | 'idempotencyKey', unknown>;
    case 'patients.create':
      return {
        ...{ phone: '1', email: 'check@puente.invalid', medicalRecordId: ID },
        ...{ street: 'Check', number: '1', floor: '1', apartment: '1', city: 'Check' },
        ...{ state: 'Check', country: 'AR', zipCode: '1' },
      };
    default:
      return {};
  }
}

/** An active coverage of the patient, or an unknown id. Undefined if the system has no coverages. */
async function findCoverage(hospital: Hospital, patientId: string): Promise<string | undefined> {
  if (!hospital.has('coverages.ofPatient')) return undefined;
  const coverages = await hospital.find('coverages', 'ofPatient', { patientId }, createCall());
  return coverages.find(({ active }) => active)?.id ?? ID;
}

/** The number of times of each kind that are tested. */
const TRIED = 10;
/** The number of conflicting bookings, each of which waits for a lock. */
const FEW = 6;

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
async function bookOthers(
  hospital: Hospital,
  entry: Entry,
  { kept, ...people }: People & { readonly kept: Given },
  note: NoteLine,
): Promise<string[]> {
  const ahead = await listAhead(hospital);
  const somebody = await findOther(hospital, people);
  if (somebody === undefined) note('appointments.book is tested for one patient: name another one by --patient');
  const theirs =
    'coverageId' in kept && somebody !== undefined ? { coverageId: await findCoverage(hospital, somebody) } : {};
  const name = (slots: Slots, given: Given) => {
    const { values, perSlot } = nameSlots(slots, computeMinutes(slots));
    return { ...values, ...given, perSlot };
  };
  const attempt = async (slots: Slots, more: Given = {}, later = slots) => {
    const other = 'coverageId' in more ? { ...more, ...theirs } : more;
    const second = name(later, { ...other, patientId: somebody ?? people.patient });
    const first = name(slots, { ...more, patientId: people.patient });
    const rehearsal = await hospital.rehearse(entry, first, createCall(), second);
    const find = (result: object) => ('meaning' in result ? String(result.meaning) : undefined);
    return rehearsal && { ...rehearsal, first: find(rehearsal.first), second: find(rehearsal.second) };
  };
  const ways = Object.keys(kept).length > 0 ? [{}, kept] : [{}];
  for (const slot of pickSome(ahead.filter(({ isFree }) => !isFree)))
    for (const way of ways)
      if ((await attempt([slot], way))?.first === undefined)
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
    for (const way of ways) {
      const made = await attempt(slots, way, later);
      if (made && made.first === undefined && (made.isMadeTwice || made.second === undefined)) return [what];
    }
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
  const toTwice =
    (what: string) =>
    ([one, other]: readonly [SystemSlot, SystemSlot]) => ({
      ...{ slots: [one] as const, later: [other] as const },
      what,
    });
  const overlapping = pickPairs(listOverlaps(hospital, free)).map(
    toTwice(
      'books two overlapping free times of one practitioner: compare all appointments of the practitioner at that time',
    ),
  );
  const offers = pickSome(listOffers(free), 1).map(
    toTwice('books one slot twice, for two of its services: compare the slot alone'),
  );
  const long = pickSome(listRuns(hospital, free), 1).map((slots) => ({
    ...{ slots, later: [slots[1]] as const },
    what: 'takes only the first time of a long appointment: write each time by `forEachSlot`',
  }));
  const other = 'reassigns a patient’s time to another patient: compare that it is free';
  return [
    ...(first ? [{ slots: [first] as const, later: [first] as const, what: other }] : []),
    ...offers,
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

type SlotPair = readonly [SystemSlot, SystemSlot];

/** Two offers of one slot for different services. */
const listOffers = (slots: readonly SystemSlot[]): readonly SlotPair[] =>
  [...Map.groupBy(slots, ({ number }) => number).values()].flatMap(([one, ...others]) => {
    const other = others.find(({ slot }) => slot.serviceId !== one?.slot.serviceId);
    return one && other ? [[one, other] as const] : [];
  });

/**
 * Two slots of one practitioner that overlap, once for each two numbers: for each two agendas the pairs that begin
 * together, and those that do not.
 */
function listOverlaps({ file }: Hospital, slots: readonly SystemSlot[]): ReadonlyMap<string, readonly SlotPair[]> {
  const pairs = new Map<string, SlotPair>();
  for (const own of Map.groupBy(slots, ({ slot }) => slot.practitionerId).values()) {
    for (const [i, one] of own.entries()) {
      for (const other of own.slice(i + 1)) {
        if (other.begins >= one.ends) break;
        const key = [one.number, other.number].toSorted().join(' ');
        if (one.number !== other.number && !pairs.has(key)) pairs.set(key, [one, other]);
      }
    }
  }
  const hasSchedules = file.schedules !== undefined || file.slots?.fields.scheduleId !== undefined;
  const nameAgenda = ({ scheduleId, slot }: SystemSlot) =>
    hasSchedules ? scheduleId : `${slot.practitionerId} ${slot.locationId} ${slot.serviceId}`;
  return Map.groupBy(pairs.values(), ([one, other]) =>
    [nameAgenda(one), nameAgenda(other), one.begins === other.begins].join(' '),
  );
}

/** Some pairs of each sort, or of some sorts one, over the whole window. */
function pickPairs(sorts: ReadonlyMap<string, readonly SlotPair[]>): readonly SlotPair[] {
  const each = Math.floor(FEW / sorts.size);
  if (each > 1) return [...sorts.values()].flatMap((pairs) => pickSome(pairs, each));
  const some = pickSome([...sorts.values()], FEW);
  return some.map((pairs, i) => pairs[Math.floor((i * pairs.length) / some.length)]!);
}

function listMistakes(
  { first, second, changed, isMadeTwice }: Rehearsal,
  { must, isOnce, hint }: { readonly must: Meaning | undefined; readonly isOnce: boolean; readonly hint: string },
  note: NoteLine,
): string[] {
  if ('meaning' in first) {
    if (must) return [`returns ${first.meaning} although nothing prevents it`];
    return [`returns ${first.meaning} for an existing record`];
  }
  if (!must) {
    if (changed === 0) return [`changes no row for an existing record: ${hint}`];
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
  const call = createCall();
  const [slots, practitioners, locations] = await Promise.all([
    readSlots(hospital, findBookableDays(hospital)),
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
