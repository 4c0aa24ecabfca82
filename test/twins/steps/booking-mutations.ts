import { toStart } from '../../../src/contract/queries.ts';
import type { SlotB } from '../../../src/contract/resources.ts';
import { addDays } from '../../../src/toolkit/zone.ts';
import type { Knowledge } from '../knowledge.ts';
import { type Choice, choose } from './choices.ts';

/** A booking in the words of Group B, of which A says less. */
export interface Booking {
  readonly patientId: string;
  readonly practitionersIds: readonly string[];
  readonly hcsId: string;
  readonly appointmentDate: string;
  readonly appointmentStart: string;
  readonly minutesDuration?: string;
  readonly patientCoverageId?: string;
  readonly copay?: number;
  readonly authorization?: boolean;
  readonly appointmentId?: string;
  readonly locationId?: string;
}

type Mutation = (booking: Booking, known: Knowledge, slot: SlotB, which: Choice) => Booking;
export type Mutations = Readonly<Record<string, Mutation>>;

/** What makes a booking of a free slot wrong, or nearly. */
export const mutations: Mutations = {
  anotherService: (body, { directory }, _, which) => ({ ...body, hcsId: choose(directory.services, which) }),
  anotherPractitioner: (body, { directory }, _, which) => ({
    ...body,
    practitionersIds: [choose(directory.practitioners, which)],
  }),
  offTheGrid: (body, _, { appointmentStart: start }) => ({ ...body, appointmentStart: `${start.slice(0, 4)}7` }),
  inTheMiddle: (body, _, { appointmentStart: start }) => ({ ...body, appointmentStart: `${start.slice(0, 3)}10` }),
  lastMonth: (body, _, { appointmentDate: day }) => ({ ...body, appointmentDate: addDays(day, -28) }),
  beyondTheHorizon: (body, _, { appointmentDate: day }) => ({ ...body, appointmentDate: addDays(day, 7) }),
  atNight: (body, _, { appointmentDate: day }) => ({
    ...body,
    appointmentDate: addDays(day, (7 - new Date(`${day}T00:00:00Z`).getUTCDay()) % 7),
    appointmentStart: '00:20',
  }),
};

/** What Group B can say besides. */
export const mutationsOfB: Mutations = {
  ...mutations,
  anotherPlace: (body, { directory }, _, which) => ({ ...body, locationId: choose(directory.locations, which) }),
  itsPlace: (body, _, { locationId }) => ({ ...body, locationId }),
  itsOffer: (body, _, { appointmentId }) => ({ ...body, appointmentId }),
  anotherOffer: (body, { slots }, _, which) => ({ ...body, appointmentId: choose([...slots.keys()], which) }),
  withSomebodyElse: (body, { directory }, { practitionerId }, which) => ({
    ...body,
    practitionersIds: [...new Set([practitionerId, choose(directory.practitioners, which)])],
  }),
  withSomebodyFree: (body, { slots }, slot) => {
    const others = [...slots.values()].filter((each) => toStart(each) === toStart(slot));
    return { ...body, practitionersIds: [...new Set([slot, ...others].map(({ practitionerId }) => practitionerId))] };
  },
  paid: (body) => ({ ...body, copay: 1500.5, authorization: true }),
  unpaid: (body) => ({ ...body, copay: 0, authorization: false }),
};
