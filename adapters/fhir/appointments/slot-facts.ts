import type { Call, Instant } from '../../../src/ports/index.ts';
import { getField, getFields } from '../../../src/toolkit/records.ts';
import { addDays } from '../../../src/toolkit/zone.ts';
import { computeLastDay, type SlotFacts } from '../../common/bookable.ts';
import type { FhirContext } from '../context.ts';
import type { SearchResult } from '../rest/search-result.ts';
import { findCode, parseReferenceId } from '../schema/datatypes.ts';
import type { FhirSlot } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';

/** The search parameter that includes the appointments of slots. */
export const withAppointments = { _revinclude: 'Appointment:slot' } as const;

/**
 * The slots of the result. A slot with an active appointment becomes busy, whatever its own status is. An appointment
 * that cannot be read takes its slots too, unless it states that it is not active.
 */
export function listSlots(found: SearchResult<'Slot'>): FhirSlot[] {
  const unreadable = found.unreadable.filter(({ type }) => type === 'Appointment').map(({ content }) => content);
  const named = new Set([...found.list('Appointment'), ...unreadable].flatMap(listTaken));
  return found.matches.map((slot) =>
    slot.status === 'free' && named.has(slot.id) ? { ...slot, status: 'busy' as const } : slot,
  );
}

function listTaken(appointment: unknown): readonly (string | undefined)[] {
  const { status, slot } = getFields(appointment);
  const isActive = typeof status !== 'string' || appointmentStatuses.active.includes(status);
  const references = isActive && Array.isArray(slot) ? slot.map((each) => getField(each, 'reference')) : [];
  return references.map((each) =>
    typeof each === 'string' ? parseReferenceId({ reference: each }, 'Slot') : undefined,
  );
}

/**
 * Reads the facts about a slot of `listSlots`; `common/bookable.ts` has the rules.
 * @param serviceCodes the codes of the services; a booking needs one of them. Absent: every service.
 */
export const readSlotFacts = (slot: FhirSlot, context: FhirContext, serviceCodes?: readonly string[]): SlotFacts => ({
  begins: Date.parse(slot.start),
  ends: Date.parse(slot.end),
  isMistake: slot.status === 'entered-in-error',
  isRepeatedTime: context.zone.isRepeated(slot.start),
  isForService: serviceCodes && isForOneOf(serviceCodes, slot, context),
  isTaken: slot.status !== 'free',
  isOverbooked: slot.overbooked,
  appointmentType: findCode(slot.appointmentType, hl7.appointmentType),
});

/** A slot without a service is for every service of its schedule. */
function isForOneOf(serviceCodes: readonly string[], { serviceType = [] }: FhirSlot, { codes }: FhirContext): boolean {
  const named = serviceType.flatMap((type) => findCode(type, codes.system('hcs')) ?? []);
  return named.length === 0 || named.some((code) => serviceCodes.includes(code));
}

/** The first instant beyond the booking horizon: the start of a day. */
export const computeBookingHorizon = ({ zone, horizonDays }: FhirContext, call: Call): Instant =>
  zone.toStartOfDay(addDays(computeLastDay(zone, horizonDays, call), 1));
