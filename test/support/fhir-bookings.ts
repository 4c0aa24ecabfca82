import type { Booking, Slot } from '../../src/ports/index.ts';
import type { FhirPorts } from './fhir-adapter.ts';
import { callNow } from './fhir-calls.ts';

/** The first slot that is offered for the service. @throws Error when there is none. */
export async function findSlot({ appointments }: Pick<FhirPorts, 'appointments'>, serviceId: string): Promise<Slot> {
  const {
    items: [slot],
  } = await appointments.slots({ serviceId }, callNow());
  if (!slot) throw new Error('no slot is offered');
  return slot;
}

/** The booking of a slot as a caller asks for it. */
export const toBooking = ({ serviceId, practitionerId, start }: Slot): Booking => ({
  serviceId,
  practitionerIds: [practitionerId],
  start,
});
