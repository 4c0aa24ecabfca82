import type { Day, Eligibility, Instant, Page, Slot, SlotQuery } from '../../src/ports/index.ts';
import type { Interval } from '../common/busy-intervals.ts';
import { checkApplicant, isEligible } from '../common/eligibility.ts';
import { requireFound } from '../common/require-found.ts';
import { formatStamp, type SlotTime, visitSlots } from '../common/weekly-schedules.ts';
import type { OfferedService, World } from './world.ts';
import type { Schedule } from './world-schema.ts';

/**
 * The slots that can be booked now, in order of start; of those that are not on the page it only counts how many there are.
 * @throws Failure invalid as `Appointments.slots` promises.
 */
export function findFreeSlots(world: World, query: SlotQuery, now: Instant): Page<Slot> {
  const { serviceId, practitionerId, locationId, page } = query;
  const service = requireFound(findActiveService(world, serviceId), 'service', 'serviceId');
  const { practitioners, locations } = world;
  if (practitionerId !== undefined) requireFound(practitioners.get(practitionerId), 'practitioner', 'practitionerId');
  if (locationId !== undefined) requireFound(locations.get(locationId), 'location', 'locationId');
  const items: Slot[] = [];
  let total = 0;
  if (!isEligible(service, findApplicant(world, query), world.today(now))) return { items, total };
  const schedules = world.schedulesOfService.get(serviceId).filter((schedule) => matchesQuery(schedule, query));
  const present = Date.parse(now);
  const [first, end] = page ? [page.page * page.limit, (page.page + 1) * page.limit] : [0, Number.POSITIVE_INFINITY];
  for (const day of listDays(world, query, now)) {
    if (total >= end) {
      total += countFreeSlots(world, schedules, day, present);
      continue;
    }
    const free = listSlots(world, schedules, day).filter(({ begins, isFree }) => isFree && begins > present);
    const before = total;
    total += free.length;
    if (total <= first) continue;
    free.sort((a, b) => a.begins - b.begins);
    for (const slot of free.slice(Math.max(0, first - before), end - before)) items.push(toSlot(slot));
  }
  return { items, total };
}

/** The patient and the coverage with these ids. @throws Failure invalid as `CareServices.available` promises. */
export function findApplicant({ patients, coverages }: World, who: Eligibility) {
  const { patientId, coverageId } = who;
  const patient = patientId === undefined ? undefined : patients.find(patientId);
  const coverage = coverageId === undefined ? undefined : coverages.get(coverageId);
  checkApplicant(who, { patient, coverage });
  return { patient, coverage };
}

/** Undefined when there is no such service, or it is no longer offered. */
export function findActiveService({ services }: World, id: string): OfferedService | undefined {
  const service = services.get(id);
  return service?.careService.active ? service : undefined;
}

/** A slot of a schedule; its interval is in milliseconds since 1970 (UTC). */
export interface ScheduledSlot extends Interval {
  readonly schedule: Schedule;
  readonly day: Day;
  /** The day as it stands in the id. */
  readonly stamp: string;
  readonly time: SlotTime;
  readonly isFree: boolean;
}

/** All slots of the schedules on that day, taken or not. */
export function listSlots(world: World, schedules: readonly Schedule[], day: Day): readonly ScheduledSlot[] {
  const stamp = formatStamp(day);
  const slots: ScheduledSlot[] = [];
  visitSlots(world.zone, schedules, day, (schedule, time, interval) => {
    slots.push({ schedule, day, stamp, time, ...interval, isFree: isFree(world, schedule, interval) });
  });
  return slots;
}

/** How many slots of the schedules are free on that day and begin after `present`. */
function countFreeSlots(world: World, schedules: readonly Schedule[], day: Day, present: number): number {
  let count = 0;
  visitSlots(world.zone, schedules, day, (schedule, _time, interval) => {
    if (interval.begins > present && isFree(world, schedule, interval)) count += 1;
  });
  return count;
}

const isFree = ({ appointments }: World, { practitionerId }: Schedule, interval: Interval): boolean =>
  appointments.isPractitionerFree(practitionerId, interval);

const matchesQuery = (schedule: Schedule, { practitionerId, locationId, modality }: SlotQuery): boolean =>
  (practitionerId === undefined || schedule.practitionerId === practitionerId) &&
  (locationId === undefined || schedule.locationId === locationId) &&
  (modality === undefined || schedule.modality === modality);

function listDays(world: World, { from, to }: SlotQuery, now: Instant): readonly Day[] {
  const days = world.bookableDays(now);
  if (from === undefined && to === undefined) return days;
  return days.filter((day) => (from === undefined || day >= from) && (to === undefined || day <= to));
}

/** What callers see of it. */
export const toSlot = ({ schedule, day, stamp, time }: ScheduledSlot): Slot => ({
  id: `${schedule.id}.${stamp}${time.stamp}`,
  start: day + time.time,
  minutes: schedule.minutes,
  serviceId: schedule.serviceId,
  practitionerId: schedule.practitionerId,
  locationId: schedule.locationId,
  modality: schedule.modality,
});
