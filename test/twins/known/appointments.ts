import type { KeyedRequest } from '../side.ts';
import type { Exchange } from '../twin.ts';
import { areAll, type Example, type IdOf, type KnownDisagreement } from './known.ts';

const isBooking = ({ route }: KeyedRequest): boolean =>
  route === 'POST /patients/{id}/appointments' || route === 'POST /v1/appointments';

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

/** Whether something was sent before under the same key. */
const isSentAgain = ({ key }: KeyedRequest, before: readonly Exchange[]): boolean =>
  key !== undefined && before.some(({ request }) => request.key === key);

export const ofAppointments: readonly KnownDisagreement[] = [
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
