import type { WithId } from '@medplum/core';
import type { Appointment, Extension } from '@medplum/fhirtypes';
import { type Block, blocks, formatSlotName, toCategory, toServiceType } from './blocks.ts';
import { addMinutes, type Calendar } from './calendar.ts';
import { ownExtension, to } from './terms.ts';

interface Visit {
  readonly patient: string;
  readonly block: Block;
  readonly start: string;
  readonly status: Appointment['status'];
  /** Absent when the patient pays. */
  readonly coverage?: string;
  readonly slot?: string;
  readonly extension?: Extension[];
}

const buildAppointment = (id: string, { patient, block, start, status, ...visit }: Visit): WithId<Appointment> => ({
  resourceType: 'Appointment',
  id,
  ...(visit.extension && { extension: visit.extension }),
  status,
  serviceCategory: [toCategory(block)],
  serviceType: [toServiceType(block)],
  start,
  end: addMinutes(start, block.minutes),
  minutesDuration: block.minutes,
  ...(visit.coverage !== undefined && { supportingInformation: [to(`Coverage/${visit.coverage}`)] }),
  ...(visit.slot !== undefined && { slot: [to(`Slot/${visit.slot}`)] }),
  participant: [
    { actor: to(`Patient/${patient}`), required: 'required', status: 'accepted' },
    { actor: to(`Practitioner/${block.practitioner}`), required: 'required', status: 'accepted' },
    { actor: to(`Location/${block.location}`), required: 'required', status: 'accepted' },
    { actor: to(`HealthcareService/${block.service}`), required: 'information-only', status: 'accepted' },
  ],
});

const paid = (id: string, pesos: number): Extension => ({
  url: ownExtension('appointment-payment'),
  extension: [
    { url: 'link', valueUrl: `https://pagos.sanatoriodelpuente.example.org/${id}` },
    { url: 'status', valueCode: 'paid' },
    { url: 'copay', valueMoney: { value: pesos, currency: 'ARS' } },
  ],
});

const authorized: Extension = { url: ownExtension('appointment-authorization'), valueBoolean: true };

const ana = { patient: 'ana', coverage: 'ana-osde' };
const elena = { patient: 'elena', coverage: 'elena-pami' };
const { pazCentral, pazNorte, vidal, molina, duarte } = blocks;

/** The only slot that is taken. */
export const buildTakenSlot = (calendar: Calendar): string => formatSlotName(pazCentral, calendar.at(3, 2, '10:00'));

/** What was booked in the last year, and one that is to come. */
export function buildAppointments(calendar: Calendar): WithId<Appointment>[] {
  const past = (week: number, weekday: number, time: string, status: Appointment['status'] = 'fulfilled') => ({
    start: calendar.at(week, weekday, time),
    status,
  });
  const coming = { start: calendar.at(3, 2, '10:00'), status: 'booked', slot: buildTakenSlot(calendar) } as const;
  return [
    buildAppointment('turno-ana-1', { ...ana, block: pazCentral, ...coming }),
    buildAppointment('turno-ana-2', { ...ana, block: pazCentral, ...past(-46, 2, '09:40') }),
    buildAppointment('turno-ana-3', { ...ana, block: molina, ...past(-44, 3, '07:30') }),
    buildAppointment('turno-ana-4', { ...ana, block: pazCentral, ...past(-19, 4, '11:00', 'cancelled') }),
    buildAppointment('turno-ana-5', { ...ana, block: pazNorte, ...past(-18, 2, '15:40') }),
    buildAppointment('turno-elena-1', { ...elena, block: pazCentral, ...past(-44, 3, '09:40') }),
    buildAppointment('turno-elena-2', { ...elena, block: molina, ...past(-26, 2, '07:30', 'noshow') }),
    buildAppointment('turno-elena-3', {
      patient: 'elena',
      block: duarte,
      ...past(-9, 3, '08:30'),
      extension: [authorized],
    }),
    buildAppointment('turno-raul-escudero-1', {
      patient: 'raul-escudero',
      block: vidal,
      ...past(-60, 5, '11:40'),
      extension: [paid('turno-raul-escudero-1', 32000)],
    }),
  ];
}
