import { type Day, type Instant, type LocalDateTime, weekdays } from '../../src/ports/index.ts';
import { deepFreeze } from '../../src/toolkit/records.ts';
import { addDays, getWeekday, type Zone } from '../../src/toolkit/zone.ts';
import type { Institution } from '../adapter.ts';
import { toTicketField } from '../common/tickets.ts';
import { toStoredAppointment } from './appointments.ts';
import { FIRST_VERSION, toCoverage } from './ports.ts';
import { type StoredAppointment, World } from './world.ts';
import type { WorldFile } from './world-file.ts';
import type { RelativeTime, WorldAppointment } from './world-records.ts';

/**
 * Creates a hospital with a copy of this world, as `readWorld` has checked it. Relative days and weeks count from
 * `now`.
 */
export function loadWorld(file: WorldFile, institution: Institution, now: Instant): World {
  const world = new World(file.institution, institution);
  const today = world.today(now);
  addInstitution(world, file);
  addServices(world, file, today);
  for (const { mainPractitionerId, ...patient } of file.patients) {
    world.addPatient(deepFreeze({ ...patient, version: FIRST_VERSION }), mainPractitionerId);
  }
  for (const coverage of file.coverages) world.addCoverage(toCoverage(coverage, world.plans.get(coverage.planId)!));
  for (const { patientId, ...member } of file.familyMembers) world.relativesOf.add(patientId, deepFreeze(member));
  addTickets(world, file, today);
  const findDay = createDayFinder(today);
  for (const row of file.appointments) {
    const appointment = placeAppointment(world, row, findDay);
    if (appointment) world.appointments.add(appointment);
  }
  return world;
}

function addInstitution(world: World, file: WorldFile): void {
  for (const carrier of file.carriers.toSorted(world.compareNames)) {
    const plans = carrier.plans.map((plan) => ({ ...plan, active: plan.active && carrier.active }));
    world.carriers.push(deepFreeze({ ...carrier, plans }));
    for (const plan of plans) world.plans.set(plan.id, deepFreeze({ ...plan, carrier: carrier.name }));
  }
  for (const location of file.locations) world.locations.set(location.id, deepFreeze(location));
  for (const practitioner of file.practitioners) world.practitioners.set(practitioner.id, deepFreeze(practitioner));
  for (const row of file.schedules) {
    const schedule = deepFreeze(row);
    world.schedules.set(schedule.id, schedule);
    world.schedulesOfService.add(schedule.serviceId, schedule);
  }
  for (const reason of file.changeReasons) world.changeReasons.set(reason.id, deepFreeze(reason));
  for (const entry of deepFreeze(file.directory)) world.directory.push(entry);
}

function addServices(world: World, file: WorldFile, today: Day): void {
  for (const row of file.services.toSorted(world.compareNames)) {
    const { sex, plans, created, updated, ...service } = row;
    world.services.set(service.id, {
      minAge: service.minAge,
      maxAge: service.maxAge,
      careService: deepFreeze({
        ...service,
        sexId: sex && world.sexIds[sex],
        ...toTimestamps(world, row, today),
        deletedAt: null,
      }),
      sex,
      plans: plans && new Set(plans),
    });
  }
}

function addTickets(world: World, file: WorldFile, today: Day): void {
  for (const row of file.ticketTypes) {
    const { created, updated, ...type } = row;
    world.ticketTypes.set(type.id, deepFreeze({ ...type, ...toTimestamps(world, row, today) }));
  }
  for (const row of sortByCreation(world, file.tickets, today)) {
    const { patientId, created, updated, fields, ...ticket } = row;
    const type = world.ticketTypes.get(ticket.ticketTypeId)!;
    const filled = fields.map(({ id, value }) => ({ ...toTicketField(type.fields.find((f) => f.id === id)!), value }));
    world.ticketsOf.add(patientId, deepFreeze({ ...ticket, ...toTimestamps(world, row, today), fields: filled }));
  }
  for (const { patientId, id, reasonId, status } of sortByCreation(world, file.changeRequests, today)) {
    world.changeRequestsOf.add(patientId, deepFreeze({ id, reasonId, status }));
  }
}

interface Dated {
  readonly created: RelativeTime;
  readonly updated: RelativeTime;
}

const toTimestamps = ({ zone }: World, { created, updated }: Dated, today: Day) => ({
  createdAt: toInstant(created, today, zone),
  updatedAt: toInstant(updated, today, zone),
});

/** Oldest first. */
const sortByCreation = <T extends Pick<Dated, 'created'>>({ zone }: World, rows: readonly T[], today: Day): T[] =>
  rows
    .map((row) => ({ row, at: Date.parse(toInstant(row.created, today, zone)) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ row }) => row);

/** Undefined if a clock change skips the slot this year. */
function placeAppointment(world: World, row: WorldAppointment, findDay: FindDay): StoredAppointment | undefined {
  const { scheduleId, week, day, time, ...rest } = row;
  const schedule = world.schedules.get(scheduleId)!;
  const start: LocalDateTime = `${findDay(row)}T${time}:00`;
  const begins = world.zone.toEpoch(start);
  if (begins === undefined) return undefined;
  const { minutes, practitionerId } = schedule;
  const interval = { begins, ends: begins + minutes * 60_000 };
  return toStoredAppointment(world, schedule, { ...rest, start, minutes, interval, practitionerIds: [practitionerId] });
}

/**
 * Converts a time of the world file to a moment, relative to today. If a clock change skips it, it is the beginning of
 * the day.
 */
function toInstant({ daysAgo, time }: RelativeTime, today: Day, zone: Zone): Instant {
  const day = addDays(today, -daysAgo);
  const epoch = zone.toEpoch(`${day}T${time}:00`);
  return epoch === undefined ? zone.toStartOfDay(day) : new Date(epoch).toISOString();
}

type FindDay = (row: Pick<WorldAppointment, 'week' | 'day'>) => Day;

/**
 * Finds the days of the world file, whose weeks count from the current one. A cache helps, because a large world has
 * many appointments on each day.
 */
function createDayFinder(today: Day): FindDay {
  const monday = addDays(today, -getWeekday(today));
  const known = new Map<number, Day>();
  return ({ week, day }) => {
    const after = week * 7 + weekdays.indexOf(day);
    const found = known.get(after) ?? addDays(monday, after);
    known.set(after, found);
    return found;
  };
}
