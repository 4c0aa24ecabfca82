import { normaliseDocument, tidyDocument } from '../../src/ports/index.ts';
import { overlaps } from '../common/busy-intervals.ts';
import { isOnGrid, parseMinutes, weekdays, worksOn } from '../common/weekly-schedules.ts';
import { type WorldFile, worldFile } from './world-schema.ts';

/** Tells a problem with what is at the path. */
type AddProblem = (path: readonly PropertyKey[], message: string) => void;

const onceValid = { when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };

/** A world whose entries refer to others that exist, and do not contradict each other. */
export const consistentWorld = worldFile.superRefine((world, context) => {
  const add: AddProblem = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
  checkReferences(world, collectIds(world, add), add);
  checkIdentifiers(world, add);
  checkFamilies(world, add);
  checkTickets(world, add);
  checkSchedules(world, add);
  checkAppointments(world, add);
}, onceValid);

type Part = { [K in keyof WorldFile]: WorldFile[K] extends readonly { id: string }[] ? K : never }[keyof WorldFile];
type Target = Part | 'plans';

/** What a field names, in whichever entry it stands. */
const targets: Readonly<Record<string, Target>> = {
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

function listParts({ directory: _, institution: _own, ...parts }: WorldFile) {
  return Object.entries(parts) as [Part, readonly { readonly id: string }[]][];
}

/** Reports references to what is not there; those that are empty name nothing. */
function checkReferences(world: WorldFile, ids: Readonly<Record<Target, ReadonlySet<string>>>, add: AddProblem): void {
  const check = (path: readonly PropertyKey[], target: Target, id: unknown) => {
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

function collectIds(world: WorldFile, add: AddProblem) {
  const ids = listParts(world).map(([part, entries]) => {
    const seen = new Set<string>();
    for (const [index, { id }] of entries.entries()) {
      if (seen.has(id)) add([part, index, 'id'], 'an earlier entry has this id');
      seen.add(id);
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
  return Object.fromEntries<ReadonlySet<string>>([...ids, ['plans', plans]]) as Record<Target, ReadonlySet<string>>;
}

/** Reports identifiers that are not unique, or not normalised and therefore never found. */
function checkIdentifiers(world: WorldFile, add: AddProblem): void {
  const seen = { DNI: new Set<string>(), Passport: new Set<string>(), Other: new Set<string>() };
  for (const [index, { identifier }] of world.patients.entries()) {
    const { type, value } = identifier;
    const path = ['patients', index, 'identifier'];
    const document = normaliseDocument(type, value);
    if (seen[type].has(document)) add(path, 'an earlier patient holds this identifier');
    seen[type].add(document);
    if (type === 'DNI' && !/^(0|[1-9]\d{0,9})$/.test(value)) {
      add([...path, 'value'], 'a DNI has 1 to 10 digits, without dots and leading zeros');
    } else if (value !== tidyDocument(type, value)) {
      add([...path, 'value'], 'must be upper case and without spaces');
    }
  }
}

function checkFamilies(world: WorldFile, add: AddProblem): void {
  const seen = new Set<string>();
  for (const [index, { patientId, relatedPatientId }] of world.familyMembers.entries()) {
    const path = ['familyMembers', index, 'relatedPatientId'];
    const relation = `${patientId} ${relatedPatientId}`;
    if (patientId === relatedPatientId) add(path, 'a patient cannot be their own relative');
    if (seen.has(relation)) add(path, 'an earlier entry already names this relative');
    seen.add(relation);
  }
}

function checkTickets(world: WorldFile, add: AddProblem): void {
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

function checkSchedules(world: WorldFile, add: AddProblem): void {
  for (const [index, { from, to, minutes }] of world.schedules.entries()) {
    if (parseMinutes(from) + minutes > parseMinutes(to)) add(['schedules', index], 'has no room for a single slot');
  }
}

/** Reports appointments outside the slots of their schedule, with a coverage of another patient, or at the same time. */
function checkAppointments(world: WorldFile, add: AddProblem): void {
  const schedules = new Map(world.schedules.map((schedule) => [schedule.id, schedule]));
  const owners = new Map(world.coverages.map(({ id, patientId }) => [id, patientId]));
  const busy = new Map<string, { begins: number; ends: number }[]>();
  for (const [index, { scheduleId, coverageId, patientId, week, day, time, status }] of world.appointments.entries()) {
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
    const key = `${schedule.practitionerId} ${week} ${day}`;
    const others = busy.get(key) ?? [];
    if (others.some((other) => overlaps(other, interval))) {
      add(path, 'the practitioner has another active appointment at this time');
    }
    busy.set(key, [...others, interval]);
  }
}
