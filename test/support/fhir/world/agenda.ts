import type { WithId } from '@medplum/core';
import type { Appointment, CodeableConcept, Resource, Schedule, Slot } from '@medplum/fhirtypes';
import { type Calendar, later } from './calendar.ts';
import { concept, ownCodes, terms, to } from './terms.ts';

interface Block {
  readonly id: string;
  readonly service: string;
  readonly code: string;
  readonly practitioner: string;
  readonly location: string;
  readonly mode: 'AMB' | 'VR';
  /** From 1, Monday. */
  readonly weekdays: readonly number[];
  readonly from: string;
  readonly count: number;
  readonly minutes: number;
}

const everyDay = [1, 2, 3, 4, 5];
const clinic = { service: 'consulta-clinica', code: 'CM_1010', practitioner: 'paz', mode: 'AMB', minutes: 20 } as const;
const virtual = {
  service: 'teleconsulta-clinica',
  code: 'CM_1011',
  practitioner: 'paz',
  mode: 'VR',
  minutes: 20,
} as const;
const heart = {
  service: 'consulta-cardiologia',
  code: 'CA_1040',
  practitioner: 'vidal',
  mode: 'AMB',
  minutes: 20,
} as const;
const children = {
  service: 'consulta-pediatria',
  code: 'PD_1020',
  practitioner: 'ruiz',
  mode: 'AMB',
  minutes: 20,
} as const;
const women = {
  service: 'consulta-ginecologia',
  code: 'GO_1030',
  practitioner: 'sosa',
  mode: 'AMB',
  minutes: 30,
} as const;
const scan = {
  service: 'ecografia-abdominal',
  code: 'IM_2020',
  practitioner: 'duarte',
  mode: 'AMB',
  minutes: 30,
} as const;
const blood = { service: 'laboratorio', code: 'LA_2010', practitioner: 'molina', mode: 'AMB', minutes: 10 } as const;

const pazCentral: Block = {
  id: 'paz-central',
  ...clinic,
  location: 'central',
  weekdays: everyDay,
  from: '09:00',
  count: 9,
};
const pazNorte: Block = { id: 'paz-norte', ...clinic, location: 'norte', weekdays: [2, 4], from: '15:00', count: 9 };
const pazVirtual: Block = { id: 'paz-virtual', ...virtual, location: 'norte', weekdays: [5], from: '15:00', count: 6 };
const vidal: Block = {
  id: 'vidal-central',
  ...heart,
  location: 'central',
  weekdays: everyDay,
  from: '09:00',
  count: 9,
};
const ruiz: Block = {
  id: 'ruiz-central',
  ...children,
  location: 'central',
  weekdays: everyDay,
  from: '14:00',
  count: 12,
};
const sosa: Block = { id: 'sosa-central', ...women, location: 'central', weekdays: [1], from: '14:00', count: 8 };
const duarte: Block = {
  id: 'ecografia-imagenes',
  ...scan,
  location: 'imagenes',
  weekdays: [3],
  from: '08:00',
  count: 8,
};
const molina: Block = {
  id: 'laboratorio-central',
  ...blood,
  location: 'central',
  weekdays: [1],
  from: '07:00',
  count: 6,
};

const blocks = [pazCentral, pazNorte, pazVirtual, vidal, ruiz, sosa, duarte, molina];
const WEEKS = [1, 2, 3];

const categoryOf = ({ mode }: Block): CodeableConcept => concept(terms.actCode, mode);
const typeOf = ({ service, code }: Block): CodeableConcept => ({
  extension: [{ url: terms.serviceTypeReference, valueReference: to(`HealthcareService/${service}`) }],
  coding: [{ system: ownCodes('hcs'), code }],
});

const schedule = (block: Block): WithId<Schedule> => ({
  resourceType: 'Schedule',
  id: block.id,
  active: true,
  serviceCategory: [categoryOf(block)],
  serviceType: [typeOf(block)],
  actor: [to(`Practitioner/${block.practitioner}`), to(`Location/${block.location}`)],
});

function slot(block: Block, start: string, status: Slot['status']): WithId<Slot> {
  return {
    resourceType: 'Slot',
    id: slotName(block, start),
    serviceCategory: [categoryOf(block)],
    serviceType: [typeOf(block)],
    schedule: to(`Schedule/${block.id}`),
    status,
    start,
    end: later(start, block.minutes),
  };
}

/** `paz-central.20261201T0920` */
const slotName = ({ id }: Block, start: string): string => `${id}.${start.slice(0, 16).replaceAll(/[-:]/g, '')}`;

interface Visit {
  readonly patient: string;
  readonly block: Block;
  readonly start: string;
  readonly status: Appointment['status'];
  readonly coverage: string;
  readonly slot?: string;
}

const visit = (id: string, { patient, block, start, status, coverage, slot }: Visit): WithId<Appointment> => ({
  resourceType: 'Appointment',
  id,
  status,
  serviceCategory: [categoryOf(block)],
  serviceType: [typeOf(block)],
  start,
  end: later(start, block.minutes),
  minutesDuration: block.minutes,
  supportingInformation: [to(`Coverage/${coverage}`)],
  ...(slot !== undefined && { slot: [to(`Slot/${slot}`)] }),
  participant: [
    { actor: to(`Patient/${patient}`), required: 'required', status: 'accepted' },
    { actor: to(`Practitioner/${block.practitioner}`), required: 'required', status: 'accepted' },
    { actor: to(`Location/${block.location}`), required: 'required', status: 'accepted' },
    { actor: to(`HealthcareService/${block.service}`), required: 'information-only', status: 'accepted' },
  ],
});

/** The schedules with the slots of the three coming weeks, and what has been booked in the last year and from now on. */
export function agenda(calendar: Calendar): WithId<Resource>[] {
  const taken = slotName(pazCentral, calendar.at(3, 2, '10:00'));
  const slots = WEEKS.flatMap((week) =>
    blocks.flatMap((block) =>
      block.weekdays.flatMap((weekday) =>
        Array.from({ length: block.count }, (_, index) => {
          const start = later(calendar.at(week, weekday, block.from), index * block.minutes);
          return slot(block, start, slotName(block, start) === taken ? 'busy' : 'free');
        }),
      ),
    ),
  );
  const ana = { patient: 'ana', coverage: 'ana-osde' };
  const elena = { patient: 'elena', coverage: 'elena-pami' };
  const visits = [
    visit('turno-ana-1', {
      ...ana,
      block: pazCentral,
      start: calendar.at(3, 2, '10:00'),
      status: 'booked',
      slot: taken,
    }),
    visit('turno-ana-2', { ...ana, block: pazCentral, start: calendar.at(-46, 2, '09:40'), status: 'fulfilled' }),
    visit('turno-ana-3', { ...ana, block: molina, start: calendar.at(-44, 3, '07:30'), status: 'fulfilled' }),
    visit('turno-ana-4', { ...ana, block: pazCentral, start: calendar.at(-19, 4, '11:00'), status: 'cancelled' }),
    visit('turno-ana-5', { ...ana, block: pazNorte, start: calendar.at(-18, 2, '15:40'), status: 'fulfilled' }),
    visit('turno-elena-1', { ...elena, block: pazCentral, start: calendar.at(-44, 3, '09:40'), status: 'fulfilled' }),
    visit('turno-elena-2', { ...elena, block: molina, start: calendar.at(-26, 2, '07:30'), status: 'noshow' }),
  ];
  return [...blocks.map(schedule), ...slots, ...visits];
}
