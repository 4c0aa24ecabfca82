import type { Example, IdOf, Scenario } from '../known/known.ts';
import { scenes } from '../scenes.ts';

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

export const ofAppointments: readonly Scenario[] = [
  {
    what: 'a second practitioner who publishes no time cannot be booked',
    example: (id) => [book(id, { practitionersIds: [id('Practitioner', 'paz'), id('Practitioner', 'quinteros')] })],
  },
  {
    what: 'a second practitioner whose slots are shorter than those of the first is busy as long as the appointment lasts',
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
    what: 'of two ids that nothing has the first is named',
    example: (id) => [
      book(id, { locationId: 'no-such-id', patientCoverageId: 'no-such-id' }),
      book(id, { hcsId: 'no-such-id', practitionersIds: ['no-such-id'] }),
    ],
  },
  {
    what: 'an offer of another service at a time that nobody offers is named, also beyond the horizon',
    example: (id) => {
      const hcsId = id('HealthcareService', 'consulta-traumatologia');
      const appointmentId = id('Slot', 'paz-central.20261123T0900');
      return [book(id, { hcsId, appointmentId }), book(id, { appointmentDate: '2026-12-23', appointmentId })];
    },
  },
  {
    what: 'the first and the last day of the calendar bound lists and bookings as any other does',
    example: (id) => {
      const patientId = id('Patient', 'ana');
      const hcsId = id('HealthcareService', 'consulta-clinica');
      const appointmentId = id('Slot', 'paz-central.20261123T0900');
      return ['0001-01-01', '9999-12-31'].flatMap((day): Example[] => [
        { route: 'GET /patients/{id}/ticket/', params: { id: patientId }, query: { start_date: day } },
        { route: 'GET /patients/{id}/ticket/', params: { id: patientId }, query: { end_date: day } },
        { route: 'GET /v1/appointments', query: { patientId, dateFrom: day } },
        { route: 'POST /v1/available-slots', body: { hcsId, dateConfig: { dateFrom: day } } },
        { route: 'POST /v1/available-slots', body: { hcsId, dateConfig: { dateTo: day } } },
        book(id, { appointmentDate: day, appointmentStart: '23:59', appointmentId }),
        book(id, { appointmentDate: day, minutesDuration: '1440', appointmentId }),
      ]);
    },
  },
  {
    what: 'a booking with a fault at a time that the clocks skip tells the fault',
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
    what: 'a booking that is sent again under its Idempotency-Key is told again, also when it would no longer be taken',
    example: (id) => {
      const request = { ...book(id), key: 'k1' };
      return [request, { ...request, days: 6 }];
    },
  },
  {
    what: 'a booking with a fault under the Idempotency-Key of another is told that the key was used',
    example: (id) => [
      { ...book(id), key: 'k1' },
      { ...book(id, { practitionersIds: ['no-such-id'] }), key: 'k1' },
    ],
  },
];
