import type { z } from 'zod';
import { createPorts } from '../../../adapters/memory/index.ts';
import { loadWorld } from '../../../adapters/memory/load-world.ts';
import { parseWorld } from '../../../adapters/memory/world-file.ts';
import type { worldFile } from '../../../adapters/memory/world-records.ts';
import type { Call } from '../../../src/ports/index.ts';

export type WorldData = z.input<typeof worldFile>;
type Parts = { [K in keyof WorldData]-?: NonNullable<WorldData[K]> };

/** A Wednesday, 09:00 in Buenos Aires and in Santiago alike. */
export const now = '2026-10-14T12:00:00.000Z';

/** A hospital that is just big enough: one doctor who works at two places, a colleague, a child and two adults. */
export const makeSmallWorld = (): Parts => ({
  institution: { id: 'clinica', name: 'Clínica', cancelUntilHours: 24 },
  carriers: [
    { id: 'osde', name: 'OSDE', owners: ['socia'], plans: [{ id: 'osde-210', name: '210' }] },
    { id: 'pami', name: 'PAMI', plans: [{ id: 'pami-general', name: 'General' }] },
    { id: 'vieja', name: 'Vieja', active: false, plans: [{ id: 'vieja-a', name: 'A' }] },
  ],
  locations: [
    { id: 'central', name: 'Central', address: {} },
    { id: 'norte', name: 'Norte', address: {} },
  ],
  practitioners: [
    { id: 'paz', name: 'Dra. Paz', specialty: 'Clínica' },
    { id: 'sosa', name: 'Dra. Sosa', specialty: 'Ginecología' },
  ],
  services: [
    { id: 'clinica', name: 'Consulta', type: 'CONSULTA', minAge: 16, plans: ['osde-210'] },
    { id: 'gineco', name: 'Ginecología', type: 'CONSULTA', sex: 'Female' },
    { id: 'cerrado', name: 'Cerrado', type: 'PRACTICA', active: false },
  ],
  schedules: [
    makeSchedule('paz-central', 'clinica', 'paz', 'central', '09:00', '12:00', 20),
    makeSchedule('paz-norte', 'clinica', 'paz', 'norte', '11:30', '14:00', 30),
    makeSchedule('sosa-central', 'gineco', 'sosa', 'central', '09:00', '12:00', 20),
  ],
  patients: [
    makePatient('ana', 'Female', '1985-11-30', '31465466'),
    makePatient('bruno', 'Male', '1983-05-04', '29876543'),
    makePatient('camila', 'Female', '2017-03-15', '56112233'),
  ],
  coverages: [
    { id: 'ana-osde', patientId: 'ana', planId: 'osde-210', credentialNumber: '1' },
    { id: 'ana-vieja', patientId: 'ana', planId: 'osde-210', credentialNumber: '2', active: false },
    { id: 'ana-pami', patientId: 'ana', planId: 'pami-general', credentialNumber: '3' },
    { id: 'bruno-osde', patientId: 'bruno', planId: 'osde-210', credentialNumber: '4' },
  ],
  familyMembers: [
    {
      id: 'ana-bruno',
      patientId: 'ana',
      relatedPatientId: 'bruno',
      relationshipCode: 3,
      relationshipDescription: 'cónyuge',
    },
  ],
  ticketTypes: [{ id: 'receta', title: 'Receta', fields: [{ id: 'medicamento', type: 'string' }] }],
  tickets: [
    { id: 'ticket', patientId: 'ana', ticketTypeId: 'receta', created: { daysAgo: 3 }, updated: { daysAgo: 2 } },
  ],
  appointments: [{ id: 'turno', patientId: 'ana', scheduleId: 'paz-central', week: 1, day: 'MONDAY', time: '10:00' }],
  changeReasons: [{ id: 'mudanza', label: 'Me mudé' }],
  changeRequests: [
    { id: 'cambio', patientId: 'ana', reasonId: 'mudanza', status: 'completed', created: { daysAgo: 9 } },
  ],
  directory: [],
});

function makeSchedule(
  id: string,
  serviceId: string,
  practitionerId: string,
  locationId: string,
  from: string,
  to: string,
  minutes: number,
): Parts['schedules'][number] {
  return { id, serviceId, practitionerId, locationId, days: ['MONDAY', 'WEDNESDAY'], from, to, minutes };
}

function makePatient(id: string, gender: 'Female' | 'Male', birthDate: string, dni: string): Parts['patients'][number] {
  return { id, name: id, lastName: 'Ferreyra', gender, birthDate, identifier: { type: 'DNI', value: dni } };
}

/** Every port of a hospital that lives in this data. */
export const openHospital = (
  data: WorldData = makeSmallWorld(),
  timeZone = 'America/Argentina/Buenos_Aires',
  at = now,
) => createPorts(loadWorld(parseWorld(data), { timeZone, locale: 'es-AR', bookingHorizonDays: 60 }, at));

export const makeCall = (moment = now, signal: AbortSignal = new AbortController().signal): Call => ({
  requestId: 'request',
  client: 'test',
  now: moment,
  signal,
  omit: () => undefined,
});
