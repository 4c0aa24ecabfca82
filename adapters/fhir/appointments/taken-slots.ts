import type { SearchResult } from '../rest/search-result.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses } from '../schema/terminology.ts';

/** What a search for slots asks for, so that the appointments that name them come along. */
export const withAppointments = { _revinclude: 'Appointment:slot' } as const;

/** The slots of such a search; one that an active appointment names is busy, though whoever booked it elsewhere left it free. */
export function listSlots(found: SearchResult<'Slot'>): Resource<'Slot'>[] {
  const active = found.list('Appointment').filter(({ status }) => appointmentStatuses.active.includes(status));
  const named = new Set(active.flatMap(({ slot = [] }) => slot.map((each) => parseReferenceId(each, 'Slot'))));
  return found.matches.map((slot) =>
    slot.status === 'free' && named.has(slot.id) ? { ...slot, status: 'busy' } : slot,
  );
}
