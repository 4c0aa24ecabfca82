import { normalizeDocument, weekdays } from '../../src/ports/index.ts';
import { parseMinutes } from '../../src/toolkit/zone.ts';
import { isOnGrid, overlaps, worksOn } from '../common/schedules.ts';
import { listWeeks, type WeeklyAppointment, type WrittenWorld } from './world-records.ts';

/** Reports a problem of the value at the path. */
type AddProblem = (path: readonly PropertyKey[], message: string) => void;

/** Reports entries that contradict each other, and references without a target. */
export function checkWorld(world: WrittenWorld, add: AddProblem): void {
  checkReferences(world, collectIds(world, add), add);
  checkIdentifiers(world, add);
  checkFamilies(world, add);
  checkTickets(world, add);
  checkSchedules(world, add);
  checkAppointments(world, add);
}

type Part = {
  [K in keyof WrittenWorld]: WrittenWorld[K] extends readonly { id: string }[] ? K : never;
}[keyof WrittenWorld];
type ReferenceTarget = Part | 'plans';

/** The target of a reference, by the name of its field in any entry. */
const targets: Readonly<Record<string, ReferenceTarget>> = {
  coverageId: 'coverages',
  locationId: 'locations',
  mainPractitionerId: 'practitioners',
  patientId: 'patients',
  planId: 'plans',
  practitionerId: 'practitioners',
  reasonId: 'changeReasons',
  relatedPatientId: 'patients',
  scheduleId: 'schedules',
  serviceId: 'services',
  ticketTypeId: 'ticketTypes',
};

function listParts({ directory: _, institution: _own, ...parts }: WrittenWorld) {
  return Object.entries(parts) as [Part, readonly { readonly id: string }[]][];
}

/** Reports references without a target. An empty reference has no target and is valid. */
function checkReferences(
  world: WrittenWorld,
  ids: Readonly<Record<ReferenceTarget, ReadonlySet<string>>>,
  add: AddProblem,
): void {
  const check = (path: readonly PropertyKey[], target: ReferenceTarget, id: unknown) => {
    if (id && !ids[target].has(String(id))) add(path, `there is nothing with this id in ${target}`);
  };
  for (const [part, entries] of listParts(world)) {
    for (const [index, entry] of entries.entries()) {
      for (const [field, id] of Object.entries(entry)) {
        const target = targets[field];
        if (target) check([part, index, field], target, id);
      }
    }
  }
  for (const [index, { plans }] of world.services.entries()) {
    for (const [place, plan] of (plans ?? []).entries()) check(['services', index, 'plans', place], 'plans', plan);
  }
}

function collectIds(world: WrittenWorld, add: AddProblem) {
  const ids = listParts(world).map(([part, entries]) => {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const own = 'weeks' in entry ? listWeeks(entry as WeeklyAppointment) : [entry];
      if (own.some(({ id }) => seen.has(id))) add([part, index, 'id'], 'an earlier entry has this id');
      for (const { id } of own) seen.add(id);
    }
    return [part, seen] as const;
  });
  const plans = new Set<string>();
  for (const [index, carrier] of world.carriers.entries()) {
    for (const [place, { id }] of carrier.plans.entries()) {
      if (plans.has(id)) add(['carriers', index, 'plans', place, 'id'], 'an earlier plan has this id');
      plans.add(id);
    }
  }
  return Object.fromEntries<ReadonlySet<string>>([...ids, ['plans', plans]]) as Record<
    ReferenceTarget,
    ReadonlySet<string>
  >;
}

/** Reports identifiers that are not unique, or not normalized and therefore never found. */
function checkIdentifiers(world: WrittenWorld, add: AddProblem): void {
  const seen = { DNI: new Set<string>(), Passport: new Set<string>(), Other: new Set<string>() };
  for (const [index, { identifier }] of world.patients.entries()) {
    const { type, value } = identifier;
    if (value === '') continue;
    const path = ['patients', index, 'identifier'];
    const document = normalizeDocument(type, value);
    if (seen[type].has(document)) add(path, 'an earlier patient holds this identifier');
    seen[type].add(document);
    if (type === 'DNI' && !/^(0|[1-9]\d{0,9})$/.test(value)) {
      add([...path, 'value'], 'a DNI has 1 to 10 digits, without dots and leading zeros');
    } else if (value !== document) {
      add([...path, 'value'], 'must be upper case and without spaces');
    }
  }
}

function checkFamilies(world: WrittenWorld, add: AddProblem): void {
  const seen = new Set<string>();
  for (const [index, { patientId, relatedPatientId }] of world.familyMembers.entries()) {
    const path = ['familyMembers', index, 'relatedPatientId'];
    const relation = `${patientId} ${relatedPatientId}`;
    if (patientId === relatedPatientId) add(path, 'a patient cannot be their own relative');
    if (seen.has(relation)) add(path, 'an earlier entry already names this relative');
    seen.add(relation);
  }
}

function checkTickets(world: WrittenWorld, add: AddProblem): void {
  const types = new Map(world.ticketTypes.map((type) => [type.id, new Set(type.fields.map(({ id }) => id))]));
  for (const [index, type] of world.ticketTypes.entries()) {
    if (types.get(type.id)?.size !== type.fields.length) {
      add(['ticketTypes', index, 'fields'], 'two fields have the same id');
    }
  }
  for (const [index, ticket] of world.tickets.entries()) {
    const known = types.get(ticket.ticketTypeId);
    for (const [place, { id }] of ticket.fields.entries()) {
      if (known && !known.has(id)) {
        add(['tickets', index, 'fields', place, 'id'], 'the ticket type has no such field');
      }
    }
  }
}

function checkSchedules(world: WrittenWorld, add: AddProblem): void {
  for (const [index, { from, to, minutes }] of world.schedules.entries()) {
    if (parseMinutes(from) + minutes > parseMinutes(to)) add(['schedules', index], 'has no room for a single slot');
  }
}

/** Reports appointments outside the slots of their schedule, with a coverage of another patient, or at the same time. */
function checkAppointments(world: WrittenWorld, add: AddProblem): void {
  const schedules = new Map(world.schedules.map((schedule) => [schedule.id, schedule]));
  const owners = new Map(world.coverages.map(({ id, patientId }) => [id, patientId]));
  const busy = new Map<string, { begins: number; ends: number }[]>();
  for (const [index, row] of world.appointments.entries()) {
    const { scheduleId, coverageId, patientId, day, time, status } = row;
    const path = ['appointments', index];
    const owner = coverageId === undefined ? patientId : owners.get(coverageId);
    if (owner !== undefined && owner !== patientId) {
      add([...path, 'coverageId'], 'this is the coverage of another patient');
    }
    const schedule = schedules.get(scheduleId);
    if (!schedule) continue;
    if (!worksOn(schedule, weekdays.indexOf(day))) {
      add([...path, 'day'], 'the schedule has no slots on this day');
    }
    const begins = parseMinutes(time);
    if (!isOnGrid(schedule, begins)) add([...path, 'time'], 'the schedule has no slot that starts then');
    if (status !== 'active') continue;
    const interval = { begins, ends: begins + schedule.minutes };
    const keys = listWeeks(row).map(({ week }) => `${schedule.practitionerId} ${week} ${day}`);
    if (keys.some((key) => busy.get(key)?.some((other) => overlaps(other, interval)))) {
      add(path, 'the practitioner has another active appointment at this time');
    }
    for (const key of keys) busy.set(key, [...(busy.get(key) ?? []), interval]);
  }
}
