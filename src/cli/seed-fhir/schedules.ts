import { formatSlotId, listSlotStarts } from '../../../adapters/common/weekly-schedules.ts';
import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { Schedule } from '../../../adapters/memory/world-schema.ts';
import type { LocalDateTime } from '../../ports/index.ts';
import { addDays } from '../../toolkit/zone.ts';
import { toConcept } from './datatypes.ts';
import { getServiceCode } from './institution.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';

export const buildSchedules = (context: Context): Seed<'Schedule'>[] =>
  context.world.schedules.map((schedule) => ({
    id: schedule.id,
    resource: {
      resourceType: 'Schedule',
      active: true,
      ...toServiceElements(schedule, context),
      actor: [
        context.ids.refer('Practitioner', schedule.practitionerId),
        context.ids.refer('Location', schedule.locationId),
      ],
    },
  }));

/** The slots of all schedules, of today and as many days after. */
export function buildSlots(days: number, context: Context): Seed<'Slot'>[] {
  const { world, today } = context;
  return Array.from({ length: days + 1 }, (_, ahead) => addDays(today, ahead)).flatMap((day) =>
    world.schedules.flatMap((schedule) =>
      listSlotStarts(schedule, day).flatMap((start) => buildSlot(schedule, start, context) ?? []),
    ),
  );
}

/** Undefined where a change of the clocks skips it. */
export function buildSlot(schedule: Schedule, start: LocalDateTime, context: Context): Seed<'Slot'> | undefined {
  const times = toTimes(schedule, start, context);
  return (
    times && {
      id: formatSlotId(schedule, start),
      resource: {
        resourceType: 'Slot',
        ...toServiceElements(schedule, context),
        schedule: context.ids.refer('Schedule', schedule.id),
        status: 'free',
        ...times,
      },
    }
  );
}

/** Elements `start` and `end` of a slot; undefined where a change of the clocks skips it. */
export function toTimes({ minutes }: Schedule, local: LocalDateTime, { zone }: Pick<Context, 'zone'>) {
  const epoch = zone.toEpoch(local);
  if (epoch === undefined) return undefined;
  return { start: new Date(epoch).toISOString(), end: new Date(epoch + minutes * 60_000).toISOString() };
}

/** Elements `serviceCategory`, the kind of visit, and `serviceType`, the service by code and by reference. */
export function toServiceElements({ serviceId, modality }: Schedule, { world, codes, ids }: Context) {
  const service = world.services.find(({ id }) => id === serviceId)!;
  return {
    serviceCategory: [toConcept(hl7.actCode, modality === 'virtual' ? 'VR' : 'AMB')],
    serviceType: [
      {
        extension: [{ url: hl7.serviceReference, valueReference: ids.refer('HealthcareService', serviceId) }],
        ...toConcept(codes.system('hcs'), getServiceCode(service), service.name),
      },
    ],
  };
}
