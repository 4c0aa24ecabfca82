import type { Day, Instant } from '../../src/ports/index.ts';
import type { Institution } from '../adapter.ts';
import { addDays } from '../zone.ts';
import type { Booked } from './agenda.ts';
import { toBooked } from './booking.ts';
import { frozen } from './frozen.ts';
import { toCoverage } from './insurance.ts';
import { toPatient } from './patients.ts';
import { weekdayOf } from './schedules.ts';
import { toTicketField } from './tickets.ts';
import { World } from './world.ts';
import { type WorldFile, weekdays } from './world-schema.ts';

/**
 * A hospital that holds a copy of this world, as `readWorld` has checked it. Its relative days and weeks are reckoned
 * from `now`.
 */
export function furnishedWorld(file: WorldFile, institution: Institution, now: Instant): World {
  const world = new World(file.institution, institution);
  const today = world.today(now);
  addHouse(world, file);
  addServices(world, file, today);
  for (const patient of file.patients) world.addPatient(toPatient(patient), patient.mainPractitionerId);
  for (const coverage of file.coverages) world.addCoverage(toCoverage(coverage, world.plans.get(coverage.planId)!));
  for (const { patientId, ...member } of file.familyMembers) world.relativesOf.add(patientId, frozen(member));
  addPapers(world, file, today);
  const monday = addDays(today, -weekdayOf(today));
  for (const appointment of file.appointments) {
    const booked = bookedIn(world, appointment, monday);
    if (booked) world.agenda.add(booked);
  }
  return world;
}

function addHouse(world: World, file: WorldFile): void {
  for (const carrier of file.carriers) {
    const plans = carrier.plans.map((plan) => ({ ...plan, active: plan.active && carrier.active }));
    world.carriers.push(frozen({ ...carrier, plans }));
    for (const plan of plans) world.plans.set(plan.id, frozen({ ...plan, carrier: carrier.name }));
  }
  for (const location of file.locations) world.locations.set(location.id, frozen(location));
  for (const practitioner of file.practitioners) world.practitioners.set(practitioner.id, frozen(practitioner));
  for (const schedule of file.schedules) {
    const kept = frozen(schedule);
    world.schedules.set(kept.id, kept);
    world.schedulesOfService.add(kept.serviceId, kept);
  }
  for (const reason of file.changeReasons) world.changeReasons.set(reason.id, frozen(reason));
  world.directory.push(...frozen(file.directory));
}

function addServices(world: World, file: WorldFile, today: Day): void {
  const spanish = new Intl.Collator('es');
  for (const service of file.services.toSorted((a, b) => spanish.compare(a.name, b.name))) {
    const { sex, plans, created, updated, ...shown } = service;
    world.services.set(service.id, {
      id: service.id,
      shown: frozen({
        ...shown,
        sexId: sex && world.sexIds[sex],
        createdAt: momentOf(world, created, today),
        updatedAt: momentOf(world, updated, today),
        deletedAt: null,
      }),
      sex,
      plans: plans && new Set(plans),
    });
  }
}

function addPapers(world: World, file: WorldFile, today: Day): void {
  const dated = <T extends { created: Ago }>(rows: readonly T[]) =>
    rows
      .map((row) => ({ row, createdAt: momentOf(world, row.created, today) }))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  for (const { created, updated, ...type } of file.ticketTypes) {
    const times = {
      createdAt: momentOf(world, created, today),
      updatedAt: momentOf(world, updated, today),
    };
    world.ticketTypes.set(type.id, frozen({ ...type, ...times }));
  }
  for (const { row, createdAt } of dated(file.tickets)) {
    const { patientId, created, updated, fields, ...ticket } = row;
    const type = world.ticketTypes.get(ticket.ticketTypeId)!;
    const updatedAt = momentOf(world, updated, today);
    const filled = fields.map(({ id, value }) => ({ ...toTicketField(type.fields.find((f) => f.id === id)!), value }));
    world.ticketsOf.add(patientId, frozen({ ...ticket, createdAt, updatedAt, fields: filled }));
  }
  for (const { row } of dated(file.changeRequests)) {
    world.changeRequestsOf.add(row.patientId, frozen({ id: row.id, reasonId: row.reasonId, status: row.status }));
  }
}

type Ago = WorldFile['tickets'][number]['created'];

/** Where the clocks skip the time on that day, the day's beginning will do. */
function momentOf({ zone }: World, { daysAgo, time }: Ago, today: Day): Instant {
  const day = addDays(today, -daysAgo);
  const epoch = zone.epochOf(`${day}T${time}:00`);
  return epoch === undefined ? zone.startOf(day) : new Date(epoch).toISOString();
}

/** Undefined where a change of the clocks skips the slot this year. */
function bookedIn(world: World, row: WorldFile['appointments'][number], monday: Day): Booked | undefined {
  const { scheduleId, week, day, time, ...rest } = row;
  const schedule = world.schedules.get(scheduleId)!;
  const start = `${addDays(monday, week * 7 + weekdays.indexOf(day))}T${time}:00`;
  const begins = world.zone.epochOf(start);
  if (begins === undefined) return undefined;
  const { minutes, practitionerId } = schedule;
  const stretch = { begins, ends: begins + minutes * 60_000 };
  return toBooked(world, schedule, { ...rest, start, minutes, stretch, practitionerIds: [practitionerId] });
}
