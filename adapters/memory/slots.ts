import { type Day, Failure, type Instant, type Slot, type SlotQuery } from '../../src/ports/index.ts';
import { addDays } from '../zone.ts';
import { findApplicant, isEligible } from './eligibility.ts';
import { compareText } from './lists.ts';
import { formatSlotId, listSlotStarts } from './schedules.ts';
import type { OfferedService, World } from './world.ts';
import type { Schedule } from './world-schema.ts';

/**
 * The slots that can be booked now, in order of start.
 * @throws Failure invalid as `Appointments.slots` promises.
 */
export function findFreeSlots(world: World, query: SlotQuery, now: Instant): Slot[] {
  const service = requireActiveService(world, query.serviceId);
  checkExists(world.practitioners, query.practitionerId, 'practitioner', 'practitionerId');
  checkExists(world.locations, query.locationId, 'location', 'locationId');
  const applicant = findApplicant(world, query);
  if (!isEligible(service, applicant, world.today(now))) return [];
  const schedules = world.schedulesOfService.get(query.serviceId).filter((schedule) => matchesQuery(schedule, query));
  return listDays(world, query, now).flatMap((day) =>
    schedules
      .flatMap((schedule) => listSlotStarts(schedule, day).map((start) => ({ schedule, start })))
      .filter(({ schedule, start }) => isFree(world, schedule, start, Date.parse(now)))
      .sort((a, b) => compareText(a.start, b.start))
      .map(({ schedule, start }) => toSlot(schedule, start)),
  );
}

/** @throws Failure invalid at `serviceId` when there is no such service, or it is no longer offered. */
export function requireActiveService({ services }: World, id: string): OfferedService {
  const service = services.get(id);
  if (!service?.careService.active) throw new Failure('invalid', 'there is no such service', { at: 'serviceId' });
  return service;
}

/** @throws Failure invalid at `at` when an id is given that the map does not have. */
export function checkExists(map: ReadonlyMap<string, unknown>, id: string | undefined, what: string, at: string): void {
  if (id !== undefined && !map.has(id)) throw new Failure('invalid', `there is no such ${what}`, { at });
}

const matchesQuery = (schedule: Schedule, { practitionerId, locationId, modality }: SlotQuery): boolean =>
  (practitionerId === undefined || schedule.practitionerId === practitionerId) &&
  (locationId === undefined || schedule.locationId === locationId) &&
  (modality === undefined || schedule.modality === modality);

function listDays(world: World, { from, to }: SlotQuery, now: Instant): Day[] {
  const today = world.today(now);
  const horizon = world.lastDay(now);
  const first = from !== undefined && from > today ? from : today;
  const last = to !== undefined && to < horizon ? to : horizon;
  const days: Day[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Whether the slot exists that day, is in the future, and its practitioner has no other appointment then. */
function isFree(world: World, schedule: Schedule, start: string, now: number): boolean {
  const begins = world.zone.toEpoch(start);
  if (begins === undefined || begins <= now) return false;
  return world.appointments.arePractitionersFree([schedule.practitionerId], {
    begins,
    ends: begins + schedule.minutes * 60_000,
  });
}

const toSlot = (schedule: Schedule, start: string): Slot => ({
  id: formatSlotId(schedule, start),
  start,
  minutes: schedule.minutes,
  serviceId: schedule.serviceId,
  practitionerId: schedule.practitionerId,
  locationId: schedule.locationId,
  modality: schedule.modality,
});
