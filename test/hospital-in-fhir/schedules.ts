import type { WithId } from '@medplum/core';
import type { Schedule, Slot } from '@medplum/fhirtypes';
import { type Block, blocks, formatSlotName, toCategory, toServiceType } from './blocks.ts';
import { addMinutes, type Calendar } from './calendar.ts';
import { to } from './terms.ts';

const WEEKS = [1, 2, 3];

const buildSchedule = (block: Block): WithId<Schedule> => ({
  resourceType: 'Schedule',
  id: block.id,
  active: true,
  serviceCategory: [toCategory(block)],
  serviceType: [toServiceType(block)],
  actor: [to(`Practitioner/${block.practitioner}`), to(`Location/${block.location}`)],
});

function buildSlot(block: Block, start: string, status: Slot['status']): WithId<Slot> {
  return {
    resourceType: 'Slot',
    id: formatSlotName(block, start),
    serviceCategory: [toCategory(block)],
    serviceType: [toServiceType(block)],
    schedule: to(`Schedule/${block.id}`),
    status,
    start,
    end: addMinutes(start, block.minutes),
  };
}

/** The schedules with the slots of the three coming weeks; the slots of those names are taken. */
export function buildSchedules(calendar: Calendar, taken: readonly string[]): (WithId<Schedule> | WithId<Slot>)[] {
  const all: readonly Block[] = Object.values(blocks);
  const slots = WEEKS.flatMap((week) =>
    all.flatMap((block) =>
      block.weekdays.flatMap((weekday) =>
        Array.from({ length: block.count }, (_, index) => {
          const start = addMinutes(calendar.at(week, weekday, block.from), index * block.minutes);
          return buildSlot(block, start, taken.includes(formatSlotName(block, start)) ? 'busy' : 'free');
        }),
      ),
    ),
  );
  return [...all.map(buildSchedule), ...slots];
}
