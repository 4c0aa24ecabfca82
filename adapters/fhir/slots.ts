import { type Call, Failure, type Slot, type SlotQuery } from '../../src/ports/index.ts';
import { addDays } from '../zone.ts';
import { Agenda, isSlotOf, offeredService, slotsIn } from './agenda.ts';
import { modalityOf } from './appointment-record.ts';
import type { Backend } from './backend.ts';
import { isActive } from './coverage.ts';
import { idOf } from './elements.ts';
import { applicant, isFor, planCheck } from './eligibility.ts';
import { minutesBetween } from './moments.ts';

/** Free times from published slots; the contract is that of `Appointments.slots`. */
export async function freeSlots(backend: Backend, query: SlotQuery, call: Call): Promise<readonly Slot[]> {
  const { catalogue, zone } = backend;
  const { practitionerId, locationId, modality } = query;
  const [service, found, { patient, coverage }] = await Promise.all([
    offeredService(backend, query.serviceId, call),
    catalogue.schedules.get(call),
    applicant(backend, query, call),
  ]);
  const agenda = new Agenda(found, backend);
  if (practitionerId !== undefined) await agenda.expectPractitioner(practitionerId, 'practitionerId', call);
  if (locationId !== undefined) await agenda.expectLocation(locationId, call);
  if (patient && !isFor(patient, service, backend, call)) return [];
  if (coverage) {
    const pays = await planCheck(coverage, [service], backend, call);
    if (!isActive(coverage, call.now, zone) || !pays(service)) return [];
  }
  const diaries = agenda
    .of(service)
    .filter((diary) => practitionerId === undefined || diary.practitionerId === practitionerId)
    .filter((diary) => locationId === undefined || diary.locationId === locationId);
  const from = laterOf(call.now, query.from && zone.startOf(query.from));
  const end = horizonOf(backend, call);
  const until = earlierOf(end, query.to && zone.startOf(addDays(query.to, 1)));
  if (diaries.length === 0 || from >= until) return [];
  const slots = await slotsIn(backend, diaries, { status: 'free', from, until }, call);
  return slots.flatMap((slot) => {
    const diary = diaries.find(({ schedule }) => schedule.id === idOf(slot.schedule, 'Schedule'));
    const isPast = Date.parse(slot.start) <= Date.parse(call.now);
    if (!diary || isPast || !isSlotOf(slot, service, backend)) return [];
    const kind = modalityOf(slot.serviceCategory) ?? diary.modality;
    if (modality !== undefined && kind !== modality) return [];
    return {
      id: slot.id,
      start: zone.localOf(slot.start),
      minutes: minutesBetween(slot.start, slot.end),
      serviceId: service.id,
      practitionerId: diary.practitionerId,
      locationId: diary.locationId,
      modality: kind,
    };
  });
}

/** The moment from which on nothing can be booked yet. */
export const horizonOf = ({ zone, horizonDays }: Backend, { now }: Call): string =>
  zone.startOf(addDays(zone.dayOf(now), horizonDays + 1));

const laterOf = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);
const earlierOf = (a: string, b: string | undefined): string => (b !== undefined && b < a ? b : a);

/** @throws Failure invalid at `start`: nobody ever offered this time. */
export function slotUnknown(): never {
  throw new Failure('invalid', 'nobody offers this time', { code: 'slot_unknown', at: 'start' });
}

/** @throws Failure conflict: somebody was faster. */
export function slotTaken(): never {
  throw new Failure('conflict', 'the slot is no longer free', { code: 'slot_taken' });
}
