import { isBookableType } from '../../common/eligibility.ts';
import type { SearchResult } from '../rest/search-result.ts';
import { findCode, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';

/** What a search for slots asks for, so that the appointments that name them come along. */
export const withAppointments = { _revinclude: 'Appointment:slot' } as const;

/** The slots found; one that an active appointment names is busy, one for emergencies and the like unavailable. */
export function listSlots(found: SearchResult<'Slot'>): Resource<'Slot'>[] {
  const active = found.list('Appointment').filter(({ status }) => appointmentStatuses.active.includes(status));
  const named = new Set(active.flatMap(({ slot = [] }) => slot.map((each) => parseReferenceId(each, 'Slot'))));
  return found.matches.map((slot) => {
    if (slot.status !== 'free') return slot;
    if (named.has(slot.id)) return { ...slot, status: 'busy' };
    return isBookableType(findCode(slot.appointmentType, hl7.appointmentType))
      ? slot
      : { ...slot, status: 'busy-unavailable' };
  });
}
