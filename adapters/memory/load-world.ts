import type { Day, Instant } from '../../src/ports/index.ts';
import type { Institution } from '../adapter.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { addDays } from '../zone.ts';
import type { StoredAppointment } from './appointment-store.ts';
import { toStoredAppointment } from './booking.ts';
import { toCoverage } from './insurance.ts';
import { toPatient } from './patients.ts';
import { getWeekday } from './schedules.ts';
import { toTicketField } from './tickets.ts';
import { World } from './world.ts';
import { type WorldFile, weekdays } from './world-schema.ts';

/**
 * A hospital that holds a copy of this world, as `readWorld` has checked it. Its relative days and weeks are reckoned
 * from `now`.
 */
export function loadWorld(file: WorldFile, institution: Institution, now: Instant): World {
  const world = new World(file.institution, institution);
  const today = world.today(now);
  addInstitution(world, file);
  addServices(world, file, today);
  for (const patient of file.patients) world.addPatient(toPatient(patient), patient.mainPractitionerId);
  for (const coverage of file.coverages) world.addCoverage(toCoverage(coverage, world.plans.get(coverage.planId)!));
  for (const { patientId, ...member } of file.familyMembers) world.relativesOf.add(patientId, deepFreeze(member));
  addTickets(world, file, today);
  const monday = addDays(today, -getWeekday(today));
  for (const appointment of file.appointments) {
    const booked = placeAppointment(world, appointment, monday);
    if (booked) world.appointments.add(booked);
  }
  return world;
}

function addInstitution(world: World, file: WorldFile): void {
  for (const carrier of file.carriers) {
    const plans = carrier.plans.map((plan) => ({ ...plan, active: plan.active && carrier.active }));
    world.carriers.push(deepFreeze({ ...carrier, plans }));
    for (const plan of plans) world.plans.set(plan.id, deepFreeze({ ...plan, carrier: carrier.name }));
  }
  for (const location of file.locations) world.locations.set(location.id, deepFreeze(location));
  for (const practitioner of file.practitioners) world.practitioners.set(practitioner.id, deepFreeze(practitioner));
  for (const schedule of file.schedules) {
    const kept = deepFreeze(schedule);
    world.schedules.set(kept.id, kept);
    world.schedulesOfService.add(kept.serviceId, kept);
  }
  for (const reason of file.changeReasons) world.changeReasons.set(reason.id, deepFreeze(reason));
  world.directory.push(...deepFreeze(file.directory));
}

function addServices(world: World, file: WorldFile, today: Day): void {
  const spanish = new Intl.Collator('es');
  for (const service of file.services.toSorted((a, b) => spanish.compare(a.name, b.name))) {
    const { sex, plans, created, updated, ...shown } = service;
    world.services.set(service.id, {
      id: service.id,
      shown: deepFreeze({
        ...shown,
        sexId: sex && world.sexIds[sex],
        createdAt: toInstant(world, created, today),
        updatedAt: toInstant(world, updated, today),
        deletedAt: null,
      }),
      sex,
      plans: plans && new Set(plans),
    });
  }
}

function addTickets(world: World, file: WorldFile, today: Day): void {
  const dated = <T extends { created: Ago }>(rows: readonly T[]) =>
    rows
      .map((row) => ({ row, createdAt: toInstant(world, row.created, today) }))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  for (const { created, updated, ...type } of file.ticketTypes) {
    const times = {
      createdAt: toInstant(world, created, today),
      updatedAt: toInstant(world, updated, today),
    };
    world.ticketTypes.set(type.id, deepFreeze({ ...type, ...times }));
  }
  for (const { row, createdAt } of dated(file.tickets)) {
    const { patientId, created, updated, fields, ...ticket } = row;
    const type = world.ticketTypes.get(ticket.ticketTypeId)!;
    const updatedAt = toInstant(world, updated, today);
    const filled = fields.map(({ id, value }) => ({ ...toTicketField(type.fields.find((f) => f.id === id)!), value }));
    world.ticketsOf.add(patientId, deepFreeze({ ...ticket, createdAt, updatedAt, fields: filled }));
  }
  for (const { row } of dated(file.changeRequests)) {
    world.changeRequestsOf.add(row.patientId, deepFreeze({ id: row.id, reasonId: row.reasonId, status: row.status }));
  }
}

type Ago = WorldFile['tickets'][number]['created'];

/** Where the clocks skip the time on that day, the day's beginning will do. */
function toInstant({ zone }: World, { daysAgo, time }: Ago, today: Day): Instant {
  const day = addDays(today, -daysAgo);
  const epoch = zone.toEpoch(`${day}T${time}:00`);
  return epoch === undefined ? zone.toStartOfDay(day) : new Date(epoch).toISOString();
}

/** Undefined where a change of the clocks skips the slot this year. */
function placeAppointment(
  world: World,
  row: WorldFile['appointments'][number],
  monday: Day,
): StoredAppointment | undefined {
  const { scheduleId, week, day, time, ...rest } = row;
  const schedule = world.schedules.get(scheduleId)!;
  const start = `${addDays(monday, week * 7 + weekdays.indexOf(day))}T${time}:00`;
  const begins = world.zone.toEpoch(start);
  if (begins === undefined) return undefined;
  const { minutes, practitionerId } = schedule;
  const interval = { begins, ends: begins + minutes * 60_000 };
  return toStoredAppointment(world, schedule, { ...rest, start, minutes, interval, practitionerIds: [practitionerId] });
}
