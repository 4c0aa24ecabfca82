import { overlaps } from '../common/busy-intervals.ts';
import { isOnGrid, parseMinutes, weekdays, worksOn } from '../common/weekly-schedules.ts';
import { type WorldFile, worldFile } from './world-schema.ts';

/** Tells a problem with what is at the path. */
type AddProblem = (path: readonly PropertyKey[], message: string) => void;

const onceValid = { when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };

/** A world whose entries refer to others that exist, and do not contradict each other. */
export const consistentWorld = worldFile.superRefine((world, context) => {
  const add: AddProblem = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
  const ids = collectIds(world, add);
  const checkAll = <P extends Part>(part: P, references: (item: WorldFile[P][number]) => References) => {
    for (const [index, item] of (world[part] as readonly WorldFile[P][number][]).entries()) {
      for (const [field, id, target] of references(item)) {
        if (id === undefined || ids[target].has(id)) continue;
        add([part, index, ...field.split('/')], `there is nothing with this id in ${target}`);
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
  checkIdentifiers(world, add);
  checkFamilies(world, add);
  checkTickets(world, add);
  checkSchedules(world, add);
  checkAppointments(world, add);
}, onceValid);

type Part = { [K in keyof WorldFile]: WorldFile[K] extends readonly { id: string }[] ? K : never }[keyof WorldFile];
type References = readonly (readonly [field: string, id: string | undefined, part: Part | 'plans'])[];

function collectIds({ directory: _, institution: _own, ...world }: WorldFile, add: AddProblem) {
  const parts = Object.keys(world) as Part[];
  const idsOf = (part: Part): ReadonlySet<string> => {
    const seen = new Set<string>();
    for (const [index, { id }] of world[part].entries()) {
      if (seen.has(id)) add([part, index, 'id'], 'an earlier entry has this id');
      seen.add(id);
    }
    return seen;
  };
  const plans = new Set<string>();
  for (const [index, carrier] of world.carriers.entries()) {
    for (const [place, { id }] of carrier.plans.entries()) {
      if (plans.has(id)) add(['carriers', index, 'plans', place, 'id'], 'an earlier plan has this id');
      plans.add(id);
    }
  }
  const sets = parts.map((part) => [part, idsOf(part)] as const);
  return Object.fromEntries([...sets, ['plans', plans]]) as Record<Part | 'plans', ReadonlySet<string>>;
}

/** Reports identifiers that are not unique, or not normalised and therefore never found. */
function checkIdentifiers(world: WorldFile, add: AddProblem): void {
  const seen = { DNI: new Set<string>(), Passport: new Set<string>(), Other: new Set<string>() };
  for (const [index, { identifier }] of world.patients.entries()) {
    const { type, value } = identifier;
    const path = ['patients', index, 'identifier'];
    if (seen[type].has(value)) add(path, 'an earlier patient holds this identifier');
    seen[type].add(value);
    if (type === 'DNI' && !/^(0|[1-9]\d{0,9})$/.test(value)) {
      add([...path, 'value'], 'a DNI has 1 to 10 digits, without dots and leading zeros');
    } else if (value !== value.replaceAll(' ', '').toUpperCase()) {
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
