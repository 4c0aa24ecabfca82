import { overlaps } from '../common/busy-intervals.ts';
import { isOnGrid, parseMinutes, weekdays, worksOn } from '../common/weekly-schedules.ts';
import { Problems } from './problems.ts';
import type { WorldFile } from './world-schema.ts';

/** Finds what the schema cannot see: references to entries that do not exist, and entries that contradict each other. */
export function findProblems(world: WorldFile): Problems {
  const problems = new Problems();
  const ids = collectIds(world, problems);
  const checkAll = <P extends Part>(part: P, references: (item: WorldFile[P][number]) => References) => {
    for (const [index, item] of (world[part] as readonly WorldFile[P][number][]).entries()) {
      for (const [field, id, target] of references(item)) {
        if (id === undefined || ids[target].has(id)) continue;
        problems.add([part, index, ...field.split('/')], `there is nothing with this id in ${target}`);
      }
    }
  };

  checkAll('services', ({ practitionerId, plans }) => [
    ['practitionerId', practitionerId || undefined, 'practitioners'],
    ...(plans ?? []).map((plan, index) => [`plans/${index}`, plan, 'plans'] as const),
  ]);
  checkAll('schedules', ({ serviceId, practitionerId, locationId }) => [
    ['serviceId', serviceId, 'services'],
    ['practitionerId', practitionerId, 'practitioners'],
    ['locationId', locationId, 'locations'],
  ]);
  checkAll('patients', ({ mainPractitionerId }) => [['mainPractitionerId', mainPractitionerId, 'practitioners']]);
  checkAll('coverages', ({ patientId, planId }) => [
    ['patientId', patientId, 'patients'],
    ['planId', planId, 'plans'],
  ]);
  checkAll('familyMembers', ({ patientId, relatedPatientId }) => [
    ['patientId', patientId, 'patients'],
    ['relatedPatientId', relatedPatientId, 'patients'],
  ]);
  checkAll('tickets', ({ patientId, ticketTypeId }) => [
    ['patientId', patientId, 'patients'],
    ['ticketTypeId', ticketTypeId, 'ticketTypes'],
  ]);
  checkAll('appointments', ({ patientId, scheduleId, coverageId }) => [
    ['patientId', patientId, 'patients'],
    ['scheduleId', scheduleId, 'schedules'],
    ['coverageId', coverageId, 'coverages'],
  ]);
  checkAll('changeRequests', ({ patientId, reasonId, practitionerId }) => [
    ['patientId', patientId, 'patients'],
    ['reasonId', reasonId, 'changeReasons'],
    ['practitionerId', practitionerId, 'practitioners'],
  ]);
  checkIdentifiers(world, problems);
  checkFamilies(world, problems);
  checkTickets(world, problems);
  checkSchedules(world, problems);
  checkAppointments(world, problems);
  return problems;
}

type Part = { [K in keyof WorldFile]: WorldFile[K] extends readonly { id: string }[] ? K : never }[keyof WorldFile];
type References = readonly (readonly [field: string, id: string | undefined, part: Part | 'plans'])[];

const parts = [
  'carriers',
  'locations',
  'practitioners',
  'services',
  'schedules',
  'patients',
  'coverages',
  'familyMembers',
  'ticketTypes',
  'tickets',
  'appointments',
  'changeReasons',
  'changeRequests',
] as const;

function collectIds(world: WorldFile, problems: Problems) {
  const idsOf = (part: Part): ReadonlySet<string> => {
    const seen = new Set<string>();
    for (const [index, { id }] of world[part].entries()) {
      if (seen.has(id)) problems.add([part, index, 'id'], 'an earlier entry has this id');
      seen.add(id);
    }
    return seen;
  };
  const plans = new Set<string>();
  for (const [index, carrier] of world.carriers.entries()) {
    for (const [place, { id }] of carrier.plans.entries()) {
      if (plans.has(id)) problems.add(['carriers', index, 'plans', place, 'id'], 'an earlier plan has this id');
      plans.add(id);
    }
  }
  const ids = parts.map((part) => [part, idsOf(part)] as const);
  return Object.fromEntries<ReadonlySet<string>>([...ids, ['plans', plans]]) as Record<
    Part | 'plans',
    ReadonlySet<string>
  >;
}

/** Reports identifiers that are not unique, or not normalised and therefore never found. */
function checkIdentifiers(world: WorldFile, problems: Problems): void {
  const seen = { DNI: new Set<string>(), Passport: new Set<string>(), Other: new Set<string>() };
  for (const [index, { identifier }] of world.patients.entries()) {
    const { type, value } = identifier;
    const path = ['patients', index, 'identifier'];
    if (seen[type].has(value)) problems.add(path, 'an earlier patient holds this identifier');
    seen[type].add(value);
    if (type === 'DNI' && !/^(0|[1-9]\d{0,9})$/.test(value)) {
      problems.add([...path, 'value'], 'a DNI has 1 to 10 digits, without dots and leading zeros');
    } else if (value !== value.replaceAll(' ', '').toUpperCase()) {
      problems.add([...path, 'value'], 'must be upper case and without spaces');
    }
  }
}

function checkFamilies(world: WorldFile, problems: Problems): void {
  const seen = new Set<string>();
  for (const [index, { patientId, relatedPatientId }] of world.familyMembers.entries()) {
    const path = ['familyMembers', index, 'relatedPatientId'];
    const relation = `${patientId} ${relatedPatientId}`;
    if (patientId === relatedPatientId) problems.add(path, 'a patient cannot be their own relative');
    if (seen.has(relation)) problems.add(path, 'an earlier entry already names this relative');
    seen.add(relation);
  }
}

function checkTickets(world: WorldFile, problems: Problems): void {
  const types = new Map(world.ticketTypes.map((type) => [type.id, new Set(type.fields.map(({ id }) => id))]));
  for (const [index, type] of world.ticketTypes.entries()) {
    if (types.get(type.id)?.size !== type.fields.length) {
      problems.add(['ticketTypes', index, 'fields'], 'two fields have the same id');
    }
  }
  for (const [index, ticket] of world.tickets.entries()) {
    const known = types.get(ticket.ticketTypeId);
    for (const [place, { id }] of ticket.fields.entries()) {
      if (known && !known.has(id)) {
        problems.add(['tickets', index, 'fields', place, 'id'], 'the ticket type has no such field');
      }
    }
  }
}

function checkSchedules(world: WorldFile, problems: Problems): void {
  for (const [index, { from, to, minutes }] of world.schedules.entries()) {
    if (parseMinutes(from) + minutes > parseMinutes(to))
      problems.add(['schedules', index], 'has no room for a single slot');
  }
}

/** Reports appointments outside the slots of their schedule, with a coverage of another patient, or at the same time. */
function checkAppointments(world: WorldFile, problems: Problems): void {
  const schedules = new Map(world.schedules.map((schedule) => [schedule.id, schedule]));
  const owners = new Map(world.coverages.map(({ id, patientId }) => [id, patientId]));
  const busy = new Map<string, { begins: number; ends: number }[]>();
  for (const [index, { scheduleId, coverageId, patientId, week, day, time, status }] of world.appointments.entries()) {
    const path = ['appointments', index];
    const owner = coverageId === undefined ? patientId : owners.get(coverageId);
    if (owner !== undefined && owner !== patientId) {
      problems.add([...path, 'coverageId'], 'this is the coverage of another patient');
    }
    const schedule = schedules.get(scheduleId);
    if (!schedule) continue;
    if (!worksOn(schedule, weekdays.indexOf(day))) {
      problems.add([...path, 'day'], 'the schedule has no slots on this day');
    }
    const begins = parseMinutes(time);
    if (!isOnGrid(schedule, begins)) problems.add([...path, 'time'], 'the schedule has no slot that starts then');
    if (status !== 'active') continue;
    const interval = { begins, ends: begins + schedule.minutes };
    const key = `${schedule.practitionerId} ${week} ${day}`;
    const others = busy.get(key) ?? [];
    if (others.some((other) => overlaps(other, interval))) {
      problems.add(path, 'the practitioner has another active appointment at this time');
    }
    busy.set(key, [...others, interval]);
  }
}
