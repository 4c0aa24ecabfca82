import type { WithId } from '@medplum/core';
import type { Schedule, Slot } from '@medplum/fhirtypes';
import { type Block, blocks, categoryOf, slotName, typeOf } from './blocks.ts';
import { type Calendar, later } from './calendar.ts';
import { to } from './terms.ts';

const WEEKS = [1, 2, 3];

const schedule = (block: Block): WithId<Schedule> => ({
  resourceType: 'Schedule',
  id: block.id,
  active: true,
  serviceCategory: [categoryOf(block)],
  serviceType: [typeOf(block)],
  actor: [to(`Practitioner/${block.practitioner}`), to(`Location/${block.location}`)],
});

function slot(block: Block, start: string, status: Slot['status']): WithId<Slot> {
  return {
    resourceType: 'Slot',
    id: slotName(block, start),
    serviceCategory: [categoryOf(block)],
    serviceType: [typeOf(block)],
    schedule: to(`Schedule/${block.id}`),
    status,
    start,
    end: later(start, block.minutes),
  };
}

/** The schedules with the slots of the three coming weeks; the slots of those names are taken. */
export function agenda(calendar: Calendar, taken: readonly string[]): (WithId<Schedule> | WithId<Slot>)[] {
  const all: readonly Block[] = Object.values(blocks);
  const slots = WEEKS.flatMap((week) =>
    all.flatMap((block) =>
      block.weekdays.flatMap((weekday) =>
        Array.from({ length: block.count }, (_, index) => {
          const start = later(calendar.at(week, weekday, block.from), index * block.minutes);
          return slot(block, start, taken.includes(slotName(block, start)) ? 'busy' : 'free');
        }),
      ),
    ),
  );
  return [...all.map(schedule), ...slots];
}
