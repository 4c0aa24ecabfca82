import { type Call, Failure } from '../../../src/ports/index.ts';
import { createPromisedFailure } from '../../common/promised-failures.ts';
import type { FhirContext } from '../context.ts';
import { findInPatientCompartment } from '../patients/compartment.ts';
import type { Entry } from '../rest/entry.ts';
import type { SearchResult } from '../rest/search-result.ts';
import { keepDecimals } from '../rest/transport.ts';
import { parseReferenceId, type Reference } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';
import { confirmWrite } from '../writes/confirm-write.ts';
import { retryOnConflict } from '../writes/retry-on-conflict.ts';
import { isCancelableNow, toAppointmentStatus, toStatusFor } from './read.ts';

const byPatient = { coding: [{ system: hl7.cancellationReason, code: 'pat' }] };

/**
 * Cancels an appointment and frees its future slots, unless others have them too, in one transaction; the contract is that of `Appointments.cancel`.
 * After a conflict it tries once more, since what it then reads tells whether it is canceled already.
 */
export async function cancelAppointment(
  context: FhirContext,
  patientId: string,
  id: string,
  call: Call,
): Promise<void> {
  const { client, transactions } = context;
  const read = async (call: Call) => {
    const query = { _include: 'Appointment:slot' };
    const own = await findInPatientCompartment(client, 'Appointment', patientId, id, call, query);
    const status = own && toStatusFor(own.ids, own.resource);
    if (!own || !status) throw new Failure('not_found', 'the patient has no such appointment');
    return { ...own, isCanceled: status === 'canceled' };
  };
  const exact = keepDecimals(call);
  const attempt = async (earlier: number) => {
    const { resource: appointment, found, ids, isCanceled } = await read(exact);
    if (isCanceled) return true;
    if (!isCancelableNow(ids, appointment, context, call)) throw createPromisedFailure('not_cancelable');
    const slots = await findSlotsToFree(context, appointment, found, earlier, exact);
    const canceled: Entry = { update: appointment, changes: { status: 'cancelled', cancelationReason: byPatient } };
    const freed = slots.map((slot): Entry => ({ update: slot, changes: { status: 'free' } }));
    await transactions.send([canceled, ...freed], call);
    return true;
  };
  const find = async (lastLook: Call) => (await read(lastLook)).isCanceled || undefined;
  await confirmWrite(() => retryOnConflict(attempt, call, 1), find, call);
}

/** Booked, or held for an appointment that waits. */
const isTaken = (slot: Resource<'Slot'> | undefined): boolean =>
  slot !== undefined && ['busy', 'busy-tentative'].includes(slot.status);

/** The future slots of the appointment that no other active appointment names. */
async function findSlotsToFree(
  { client }: FhirContext,
  { id, slot = [] }: Resource<'Appointment'>,
  found: SearchResult<'Appointment'>,
  earlier: number,
  call: Call,
) {
  // What came along may be as old as what is read by id: it was not busy before it was booked, or has another version now.
  const isCurrent = (each: Reference) => earlier === 0 && isTaken(found.resolve(each, 'Slot'));
  const unsure = slot.filter((each) => !isCurrent(each)).flatMap((each) => parseReferenceId(each, 'Slot') ?? []);
  found.add(await client.readMany('Slot', unsure, call, { lenient: true }));
  const own = slot
    .flatMap((each) => found.resolve(each, 'Slot') ?? [])
    .filter((each) => isTaken(each) && Date.parse(each.start) > Date.parse(call.now));
  if (own.length === 0) return own;
  const query = { slot: own.map((each) => `Slot/${each.id}`).join(','), status: appointmentStatuses.active.join(',') };
  const { matches } = await client.search('Appointment', query, call);
  const others = matches.filter((each) => each.id !== id && toAppointmentStatus(each) === 'active');
  const kept = new Set(others.flatMap((other) => (other.slot ?? []).map((each) => parseReferenceId(each, 'Slot'))));
  return own.filter((each) => !kept.has(each.id));
}
