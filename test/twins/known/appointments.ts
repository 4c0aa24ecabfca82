import type { SlotB } from '../../../src/contract/queries.ts';
import type { Outcome } from '../outcome.ts';
import { scenes } from '../scenes.ts';
import type { KeyedRequest } from '../side.ts';
import type { Booking } from '../steps/booking-mutations.ts';
import type { Exchange } from '../twin.ts';
import { areAll, type Example, type IdOf, isOneOf, type KnownDisagreement } from './known.ts';

export const isBooking = ({ route }: KeyedRequest): boolean =>
  route === 'POST /patients/{id}/appointments' || route === 'POST /v1/appointments';

export const isSlotSearch = ({ route }: KeyedRequest): boolean =>
  route === 'GET /available-appointments/search' || route === 'POST /v1/available-slots';

/** A booking that both take. */
export const book = (id: IdOf, other: Readonly<Record<string, unknown>> = {}): Example => ({
  route: 'POST /v1/appointments',
  body: {
    patientId: id('Patient', 'ana'),
    practitionersIds: [id('Practitioner', 'paz')],
    hcsId: id('HealthcareService', 'consulta-clinica'),
    appointmentDate: '2026-11-23',
    appointmentStart: '09:00',
    ...other,
  },
});

const namesAnId =
  /^422 validation (body|query) \/(hcsId|health_care_service_id|practitioner_id|practitionersIds?|practitionerId|location_id|locationId|patient_id|patientId|health_insurance_id|patientCoverageId)$/;

const countPractitioners = ({ body }: KeyedRequest): number => (body as Partial<Booking>).practitionersIds?.length ?? 1;

/** Slots that one answer has and the other has not, as `{practitioner} {local time}`. */
function listSurplus(answer: readonly Outcome[], other: readonly Outcome[]): string[] {
  const listSlots = (outcomes: readonly Outcome[]) =>
    outcomes.flatMap(({ body }) => {
      const { appointments = [], data = [] } = (body ?? {}) as FoundSlots;
      return [
        ...appointments.map((slot) => `${slot.practitioner_id} ${slot.date}`),
        ...data.map((slot) => `${slot.practitionerId} ${slot.appointmentDate}T${slot.appointmentStart}:00`),
      ];
    });
  const known = listSlots(other);
  return listSlots(answer).filter((slot) => !known.includes(slot));
}

interface FoundSlots {
  readonly appointments?: readonly { readonly practitioner_id: string; readonly date: string }[];
  readonly data?: readonly Pick<SlotB, 'practitionerId' | 'appointmentDate' | 'appointmentStart'>[];
}

/** Whether somebody else than the first practitioner of a booking that was made is asked for at that slot. */
const isOfSecondPractitioner = (slot: string, { request, memory }: Exchange): boolean => {
  const { practitionersIds: [, ...others] = [], appointmentDate } = (request.body ?? {}) as Partial<Booking>;
  return isOneOf(memory, '201') && others.some((id) => slot.startsWith(`${id} ${appointmentDate}`));
};

/** Whether something was sent before under the same key. */
const isSentAgain = ({ key }: KeyedRequest, before: readonly Exchange[]): boolean =>
  key !== undefined && before.some(({ request }) => request.key === key);

export const ofAppointments: readonly KnownDisagreement[] = [
  {
    what: 'a second practitioner who publishes no time',
    ruling:
      'memory is wrong: record 0033, free time is what is published; memory books people at any hour of the day and night',
    explains: ({ request, memory, fhir }) =>
      isBooking(request) &&
      countPractitioners(request) > 1 &&
      areAll(memory, /^(201|409 .*)$/) &&
      areAll(fhir, '422 slot_unknown body /appointmentStart'),
    example: (id) => [book(id, { practitionersIds: [id('Practitioner', 'paz'), id('Practitioner', 'quinteros')] })],
  },
  {
    what: 'a second practitioner whose slots are shorter than those of the first',
    ruling: 'fhir is wrong: the second is busy as long as the appointment lasts, and not for one slot of his own',
    explains: ({ request, memory, fhir, before }) => {
      const surplus = listSurplus(fhir, memory);
      return (
        isSlotSearch(request) &&
        surplus.length > 0 &&
        listSurplus(memory, fhir).length === 0 &&
        surplus.every((slot) => before.some((earlier) => isOfSecondPractitioner(slot, earlier)))
      );
    },
    example: (id) => [
      book(id, {
        hcsId: id('HealthcareService', 'consulta-ginecologia'),
        practitionersIds: [id('Practitioner', 'sosa'), id('Practitioner', 'paz')],
        appointmentDate: '2026-11-24',
      }),
      {
        route: 'GET /available-appointments/search',
        query: { health_care_service_id: id('HealthcareService', 'consulta-clinica') },
      },
    ],
  },
  {
    what: 'two ids that nothing has, of which each adapter names another',
    ruling:
      'fhir is wrong: decision 16 and the ports name them in the order service, practitioner, place, patient, coverage',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      (isBooking(request) || isSlotSearch(request)) && areAll(memory, namesAnId) && areAll(fhir, namesAnId),
    example: (id) => [book(id, { locationId: 'no-such-id', patientCoverageId: 'no-such-id' })],
  },
  {
    what: 'an offer of another service at a time that nobody offers',
    ruling: 'fhir is wrong: decision 27, the offer must agree with the rest, and the fault is said to be there',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      isBooking(request) &&
      areAll(memory, '422 validation body /appointmentId') &&
      areAll(fhir, '422 slot_unknown body /appointmentStart'),
    example: (id) => [
      book(id, {
        hcsId: id('HealthcareService', 'consulta-traumatologia'),
        appointmentId: id('Slot', 'paz-central.20261123T0900'),
      }),
    ],
  },
  {
    what: 'a booking with a fault at a time that the clocks skip',
    ruling: 'fhir is wrong: decision 16 names the faults in their order, and the time comes last',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      isBooking(request) && areAll(memory, /^4\d\d /) && areAll(fhir, /^422 nonexistent_local_time /),
    scene: scenes[1],
    example: (id) => [
      book(id, {
        appointmentDate: '2026-09-06',
        appointmentStart: '00:20',
        patientCoverageId: id('Coverage', 'ana-swiss'),
      }),
    ],
  },
  {
    what: 'a booking that is sent again under its Idempotency-Key when it would no longer be taken',
    ruling: 'fhir is wrong: what was done once is told again, says Call, and not judged anew',
    explains: ({ request, memory, fhir, before }) =>
      isBooking(request) && isSentAgain(request, before) && areAll(memory, '201') && areAll(fhir, /^422 validation /),
    example: (id) => {
      const request = { ...book(id), key: 'k1' };
      return [request, { ...request, days: 6 }];
    },
  },
  {
    what: 'a booking with a fault under the Idempotency-Key of another',
    ruling: 'fhir is wrong: decision 47, whatever else is wrong with it',
    harmless: true,
    explains: ({ request, memory, fhir, before }) =>
      isBooking(request) &&
      isSentAgain(request, before) &&
      areAll(memory, /^422 idempotency_key_reused /) &&
      areAll(fhir, /^422 (validation|slot_unknown|nonexistent_local_time) |^409 slot_taken/),
    example: (id) => [
      { ...book(id), key: 'k1' },
      { ...book(id, { practitionersIds: ['no-such-id'] }), key: 'k1' },
    ],
  },
];
