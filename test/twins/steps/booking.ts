import fc from 'fast-check';
import { toStart } from '../../../src/contract/queries.ts';
import type { SlotB } from '../../../src/contract/resources.ts';
import type { LocalDateTime } from '../../../src/ports/index.ts';
import type { Knowledge } from '../knowledge.ts';
import { viewAppointments, viewFrequent, viewSlots } from '../views.ts';
import { type Booking, type Mutations, mutations, mutationsOfB } from './booking-mutations.ts';
import {
  anyChoice,
  anyInsurance,
  anyPatient,
  type Choice,
  choose,
  chooseInsurance,
  choosePatient,
  type InsuranceChoice,
  seldom,
} from './choices.ts';
import { type Steps, write } from './step.ts';

interface SlotChoice {
  /** To come, ever seen, tried before by somebody, or at the time of an appointment of the patient. */
  readonly among: 'ahead' | 'all' | 'wanted' | 'simultaneous';
  readonly which: number;
}

const anySlot: fc.Arbitrary<SlotChoice> = fc.record({
  among: fc.constantFrom<SlotChoice['among']>('ahead', 'ahead', 'ahead', 'all', 'wanted', 'simultaneous'),
  which: fc.nat(400),
});

function chooseSlot(
  { slots, wanted, appointments }: Knowledge,
  patientId: string,
  { among, which }: SlotChoice,
  now: LocalDateTime,
) {
  const all = [...slots.values()];
  const busy = new Set(
    [...appointments.values()].filter((each) => each.patientId === patientId).map(({ date }) => date),
  );
  const fitting = {
    ahead: all.filter((slot) => toStart(slot) > now),
    all,
    wanted: [...wanted.values()],
    simultaneous: all.filter((slot) => busy.has(toStart(slot))),
  }[among];
  const chosen = fitting.length > 0 ? fitting : all;
  return chosen[which % chosen.length];
}

/** What the appointment, the slot and the times of everybody who was asked for look like afterwards. */
const after = (known: Knowledge, slot: SlotB, patientId: string, practitionerIds: readonly string[] = []) => [
  ...viewAppointments(patientId),
  ...viewSlots(slot),
  ...practitionerIds
    .filter((id) => id !== slot.practitionerId)
    .flatMap((id) => [...known.slots.values()].find((each) => each.practitionerId === id) ?? [])
    .flatMap((other) => viewSlots({ ...other, appointmentDate: slot.appointmentDate })),
  ...viewFrequent(known, patientId),
];

const minutes = fc.constantFrom('20', '30', '40', '60', '45', '10', '180', '1440');

/** Mostly none, seldom two: a request with two faults says little about either. */
const anyMutations = (all: Mutations) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(0) },
        { weight: 6, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.constant(2) },
      ),
      fc.array(fc.record({ mutation: fc.constantFrom(...Object.keys(all)), which: anyChoice }), {
        minLength: 2,
        maxLength: 2,
      }),
    )
    .map(([count, chosen]) => chosen.slice(0, count));

interface BookingChoice {
  readonly who: Choice;
  readonly slot: SlotChoice;
  readonly insurance: InsuranceChoice;
  readonly mutations: readonly { readonly mutation: string; readonly which: Choice }[];
  readonly minutes: string | null;
}

const anyBooking = (all: Mutations): fc.Arbitrary<BookingChoice> =>
  fc.record({
    who: anyPatient,
    slot: anySlot,
    insurance: anyInsurance,
    mutations: anyMutations(all),
    minutes: fc.option(minutes, { freq: 2 }),
  });

function build(choice: BookingChoice, known: Knowledge, all: Mutations, now: LocalDateTime) {
  const patientId = choosePatient(known, choice.who);
  const slot = chooseSlot(known, patientId, choice.slot, now);
  if (!slot) return undefined;
  known.wanted.set(slot.appointmentId, slot);
  const coverageId = chooseInsurance(known, patientId, choice.insurance);
  const plain: Booking = {
    patientId,
    practitionersIds: [slot.practitionerId],
    hcsId: slot.hcsId,
    appointmentDate: slot.appointmentDate,
    appointmentStart: slot.appointmentStart,
    ...(coverageId !== undefined && { patientCoverageId: coverageId }),
  };
  const body = choice.mutations.reduce(
    (before, { mutation, which }) => all[mutation]?.(before, known, slot, which) ?? before,
    plain,
  );
  return { patientId, slot, body };
}

export const bookingSteps: readonly Steps[] = [
  write('book (A)', 8, anyBooking(mutations), (choice, known, { localTime }) => {
    const built = build(choice, known, mutations, localTime);
    if (!built) return undefined;
    const { patientId, slot, body } = built;
    const { practitionersIds, hcsId, appointmentDate, appointmentStart, patientCoverageId } = body;
    return {
      request: {
        route: 'POST /patients/{id}/appointments',
        params: { id: patientId },
        body: {
          health_care_service_id: hcsId,
          practitioner_id: practitionersIds[0],
          date: `${appointmentDate}T${appointmentStart}:00`,
          ...(patientCoverageId !== undefined && { health_insurance_id: patientCoverageId }),
        },
      },
      views: () => after(known, slot, patientId),
    };
  }),
  write('book (B)', 10, anyBooking(mutationsOfB), (choice, known, { localTime }) => {
    const built = build(choice, known, mutationsOfB, localTime);
    if (!built) return undefined;
    const { patientId, slot, body } = built;
    const duration = choice.minutes === null ? {} : { minutesDuration: choice.minutes };
    return {
      request: { route: 'POST /v1/appointments', body: { ...body, ...duration } },
      views: () => after(known, slot, patientId, body.practitionersIds),
    };
  }),
  write(
    'cancel',
    8,
    fc.record({
      among: fc.constantFrom<'new' | 'active' | 'all'>('new', 'new', 'active', 'all'),
      which: anyChoice,
      who: seldom(anyPatient),
    }),
    ({ among, which, who }, known) => {
      const all = [...known.appointments.values()];
      const active = all.filter(({ status }) => status === 'active');
      const fitting = { all, active, new: active.slice(-4) }[among];
      const id = choose(
        fitting.map((each) => each.id),
        which,
      );
      const appointment = known.appointments.get(id);
      const patientId = who === null ? (appointment?.patientId ?? choosePatient(known, 0)) : choosePatient(known, who);
      const slot = [...known.slots.values()].find(
        (each) => toStart(each) === appointment?.date && appointment.services.includes(each.hcsId),
      );
      return {
        request: {
          route: 'PUT /patients/{id}/appointments/{appointment_id}',
          params: { id: patientId, appointment_id: id },
          body: { status: 'canceled' },
        },
        views: () => [
          ...viewAppointments(patientId),
          ...viewFrequent(known, patientId),
          ...(slot ? viewSlots(slot) : []),
        ],
      };
    },
  ),
];
