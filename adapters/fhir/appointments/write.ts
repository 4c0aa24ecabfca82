import type { AppointmentParticipant } from '@medplum/fhirtypes';
import type { Booking, Call } from '../../../src/ports/index.ts';
import { computeMinutes, type OfferedSlot } from '../../common/contiguous-slots.ts';
import { getServiceCode } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import type { Entry } from '../rest/entry.ts';
import { toReference } from '../schema/datatypes.ts';
import type { Draft, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { toKeyIdentifiers, type WriteKey } from '../writes/idempotency.ts';
import { toModality } from './read.ts';
import type { BookableSchedule } from './schedules.ts';

/** A slot with its schedule. */
export interface ScheduledSlot extends OfferedSlot {
  readonly schedule: BookableSchedule;
  readonly slot: Resource<'Slot'>;
}

/** Slots in a row, all free, of one schedule. */
export type SlotRun = readonly [ScheduledSlot, ...ScheduledSlot[]];

/** A booking that was validated, with what it takes. */
export interface FoundBooking {
  readonly patientId: string;
  readonly booking: Booking;
  readonly service: Resource<'HealthcareService'>;
  /** One for each practitioner; the first is in a schedule of the service. */
  readonly runs: readonly [SlotRun, ...SlotRun[]];
  /** By which the appointment is found again after a lost answer. */
  readonly key: WriteKey;
}

/** The transaction that creates the appointment and makes its slots busy. */
export function toBookingEntries(found: FoundBooking, context: FhirContext, call: Call): Entry[] {
  const slots = new Map(found.runs.flat().map(({ slot }) => [slot.id, slot]));
  const create = toFhirAppointment(found, [...slots.keys()], context, call);
  return [{ create }, ...[...slots.values()].map((slot): Entry => ({ update: slot, changes: { status: 'busy' } }))];
}

function toFhirAppointment(
  { patientId, booking, service, runs: [run], key }: FoundBooking,
  slotIds: readonly string[],
  { codes, settings }: FhirContext,
  call: Call,
): Draft<'Appointment'> {
  const { practitionerIds, coverageId, copay, authorization } = booking;
  const [{ slot, schedule, begins }] = run;
  const modality = toModality(slot.serviceCategory) ?? schedule.modality;
  const system = codes.system('hcs');
  const code = getServiceCode(service, system);
  const money = copay !== undefined && { value: copay, currency: settings.currency };
  const extension = [
    ...(money
      ? [{ url: codes.extension('appointment-payment'), extension: [{ url: 'copay', valueMoney: money }] }]
      : []),
    ...(authorization === undefined
      ? []
      : [{ url: codes.extension('appointment-authorization'), valueBoolean: authorization }]),
  ];
  const minutes = booking.minutes ?? computeMinutes(run);
  return {
    resourceType: 'Appointment',
    ...(extension.length > 0 && { extension }),
    identifier: toKeyIdentifiers(key, codes.sid('booking')),
    status: 'booked',
    serviceCategory: [{ coding: [{ system: hl7.actCode, code: modality === 'virtual' ? 'VR' : 'AMB' }] }],
    serviceType: [
      {
        extension: [{ url: hl7.serviceReference, valueReference: toReference('HealthcareService', service.id) }],
        ...(code !== undefined && { coding: [{ system, code }] }),
      },
    ],
    start: new Date(begins).toISOString(),
    end: new Date(begins + minutes * 60_000).toISOString(),
    minutesDuration: minutes,
    created: call.now,
    slot: slotIds.map((id) => toReference('Slot', id)),
    ...(coverageId !== undefined && { supportingInformation: [toReference('Coverage', coverageId)] }),
    participant: [
      toParticipant('Patient', patientId),
      ...practitionerIds.map((id) => toParticipant('Practitioner', id)),
      ...(schedule.locationId ? [toParticipant('Location', schedule.locationId)] : []),
      { ...toParticipant('HealthcareService', service.id), required: 'information-only' },
    ],
  };
}

const toParticipant = (type: string, id: string): AppointmentParticipant => ({
  actor: toReference(type, id),
  required: 'required',
  status: 'accepted',
});
