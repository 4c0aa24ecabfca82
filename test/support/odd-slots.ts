import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import { startFhirGateway } from './fhir-gateway.ts';
import type { RunningGateway } from './gateway.ts';
import type { LiveServer } from './live-gateway.ts';
import { writeResources } from './write-resources.ts';

/** When the clocks of Chile next go back from midnight to 23:00. */
function findClocksBack(): Temporal.ZonedDateTime {
  let at = Temporal.Now.zonedDateTimeISO('America/Santiago').add({ days: 2 });
  do at = at.getTimeZoneTransition('next')!;
  while (at.hour !== 23);
  return at;
}

/** What can be booked of the slots that a server publishes at odd moments. */
export interface OddSlots {
  readonly gateway: RunningGateway;
  readonly namespace: string;
  readonly patientId: string;
  readonly practitionerId: string;
  readonly serviceId: string;
  /** The local times that are offered; the last three follow each other on one morning. */
  readonly times: readonly string[];
  /** When the patient has appointments. */
  listBooked(): Promise<string[]>;
}

/** Publishes slots in the hour that comes twice, and at seconds and fractions of them, on any server. */
export async function publishOddSlots(server: LiveServer): Promise<OddSlots> {
  const namespace = `https://hia.example.org/odd/${randomUUID()}`;
  const type = [{ coding: [{ system: `${namespace}/CodeSystem/hcs`, code: 'NIGHT' }] }];
  const [place = '', practitionerId = '', serviceId = '', patientId = ''] = await writeResources(server, [
    { resourceType: 'Location', status: 'active', name: 'Guardia' },
    { resourceType: 'Practitioner', active: true, name: [{ family: 'Guardia' }] },
    { resourceType: 'HealthcareService', active: true, name: 'Guardia', type },
    { resourceType: 'Patient', active: true, name: [{ family: 'Guardia' }] },
  ]);
  const actor = [{ reference: `Practitioner/${practitionerId}` }, { reference: `Location/${place}` }];
  const [schedule] = await writeResources(server, [{ resourceType: 'Schedule', serviceType: type, actor }]);
  const back = findClocksBack();
  const ten = back.add({ days: 2 }).with({ hour: 10, minute: 0 });
  const begins = [
    // 23:20 to 00:00, the same once more from 23:00 on, and midnight.
    ...[-40, -20, 0, 20, 40, 60].map((minutes) => back.add({ minutes })),
    ten.add({ seconds: 30 }),
    ten.add({ minutes: 20, milliseconds: 500 }),
    ten.add({ minutes: 40, seconds: 59, milliseconds: 999 }),
  ];
  await writeResources(
    server,
    begins.map((start) => ({
      resourceType: 'Slot',
      schedule: { reference: `Schedule/${schedule}` },
      status: 'free',
      start: start.toInstant().toString(),
      end: start.add({ minutes: 20 }).toInstant().toString(),
    })),
  );
  const gateway = await startFhirGateway(
    { url: server.baseUrl, fileOrigin: server.baseUrl },
    {
      PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify(server.auth ?? { kind: 'none' }),
      PUENTE_ADAPTER_SETTINGS_NAMESPACE: namespace,
      PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: '20000',
      PUENTE_ADAPTER_SETTINGS_LIMITS_PAGES: '200',
      PUENTE_INSTITUTION_TIME_ZONE: back.timeZoneId,
      PUENTE_INSTITUTION_BOOKING_HORIZON_DAYS: '400',
    },
  );
  const [night, morning, day] = [0, 1, 2].map((days) => back.toPlainDate().add({ days }).toString());
  return {
    gateway,
    namespace,
    patientId,
    practitionerId,
    serviceId,
    times: [
      ...[`${night}T23:20:00`, `${night}T23:40:00`, `${morning}T00:00:00`],
      ...['10:00:00', '10:20:00', '10:40:00'].map((time) => `${day}T${time}`),
    ],
    listBooked: async () => {
      const { text } = await gateway.ask('GET', `/patients/${patientId}/appointments`);
      return (JSON.parse(text) as { appointments: { date: string }[] }).appointments.map(({ date }) => date);
    },
  };
}

/** Books all that Group A offers, by its date. */
export async function bookOffersOfGroupA({
  gateway,
  patientId,
  serviceId,
  times,
  listBooked,
}: OddSlots): Promise<void> {
  const { text } = await gateway.ask('GET', `/available-appointments/search?health_care_service_id=${serviceId}`);
  const { appointments } = JSON.parse(text) as { appointments: { date: string; practitioner_id: string }[] };
  expect(appointments.map(({ date }) => date)).toEqual(times);
  for (const { date, practitioner_id } of appointments) {
    const booking = { health_care_service_id: serviceId, practitioner_id, date };
    const { status } = await gateway.ask('POST', `/patients/${patientId}/appointments`, booking);
    expect({ date, status }).toEqual({ date, status: 201 });
  }
  expect(await listBooked()).toEqual(times);
}

/** Books all that Group B offers, by the id of the offer. */
export async function bookOffersOfGroupB({
  gateway,
  patientId,
  serviceId,
  times,
  listBooked,
}: OddSlots): Promise<void> {
  const { text } = await gateway.ask('POST', '/v1/available-slots', { hcsId: serviceId });
  const { data } = JSON.parse(text) as { data: Readonly<Record<string, string>>[] };
  expect(data.map((offer) => `${offer.appointmentDate}T${offer.appointmentStart}:00`)).toEqual(times);
  for (const { appointmentId, practitionerId, appointmentDate, appointmentStart, minutesDuration } of data) {
    const time = { appointmentDate, appointmentStart, minutesDuration };
    const booking = { patientId, practitionersIds: [practitionerId], hcsId: serviceId, appointmentId, ...time };
    const { status } = await gateway.ask('POST', '/v1/appointments', booking);
    expect({ ...time, status }).toEqual({ ...time, status: 201 });
  }
  expect(await listBooked()).toEqual(times);
}
