import type { CodeableConcept } from '@medplum/fhirtypes';
import { concept, ownCodes, terms, to } from './terms.ts';

/** A weekly stretch of slots of one service. */
export interface Block {
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

/** The schedules of the institution, by who gives them. */
export const blocks = {
  pazCentral: {
    id: 'paz-central',
    ...clinic,
    location: 'central',
    weekdays: everyDay,
    from: '09:00',
    count: 9,
  },
  pazNorte: { id: 'paz-norte', ...clinic, location: 'norte', weekdays: [2, 4], from: '15:00', count: 9 },
  pazVirtual: { id: 'paz-virtual', ...virtual, location: 'norte', weekdays: [5], from: '15:00', count: 6 },
  vidal: {
    id: 'vidal-central',
    ...heart,
    location: 'central',
    weekdays: everyDay,
    from: '09:00',
    count: 9,
  },
  ruiz: {
    id: 'ruiz-central',
    ...children,
    location: 'central',
    weekdays: everyDay,
    from: '14:00',
    count: 12,
  },
  sosa: { id: 'sosa-central', ...women, location: 'central', weekdays: [1], from: '14:00', count: 8 },
  duarte: {
    id: 'ecografia-imagenes',
    ...scan,
    location: 'imagenes',
    weekdays: [3],
    from: '08:00',
    count: 8,
  },
  molina: {
    id: 'laboratorio-central',
    ...blood,
    location: 'central',
    weekdays: [1],
    from: '07:00',
    count: 6,
  },
} satisfies Record<string, Block>;

export const toCategory = ({ mode }: Block): CodeableConcept => concept(terms.actCode, mode);
export const toServiceType = ({ service, code }: Block): CodeableConcept => ({
  extension: [{ url: terms.serviceTypeReference, valueReference: to(`HealthcareService/${service}`) }],
  coding: [{ system: ownCodes('hcs'), code }],
});

/** `paz-central.20261201T0920` */
export const formatSlotName = ({ id }: Block, start: string): string =>
  `${id}.${start.slice(0, 16).replaceAll(/[-:]/g, '')}`;
