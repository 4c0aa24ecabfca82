import { sandbox } from '../../../src/contract/index.ts';
import { changeSlots } from '../change-slots.ts';
import { type PortFault, replace } from './port-fault.ts';

const { patients: people, appointments: named, slots } = sandbox;

/** Faults of patients whose records are closed. */
const closedFaults: readonly PortFault[] = [
  {
    name: 'a closed patient who can be booked for',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: async (id, booking, call) =>
          id === people.closed ? { id: 'booked' } : appointments.book(id, booking, call),
      }),
    }),
    caughtBy: 'appointments.book.closed',
    named: /with a closed record/,
  },
  {
    name: 'a closed patient as Group B books',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: async (id, booking, call) =>
          id === people.closed ? { id: 'booked' } : appointments.book(id, booking, call),
      }),
    }),
    caughtBy: 'appointments.b.create-closed',
    named: /with a closed record/,
  },
  {
    name: 'a coverage of a closed patient',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        create: async (coverage, call) =>
          coverage.beneficiaryId === people.closed
            ? insurance.create({ ...coverage, beneficiaryId: people.bare }, call)
            : insurance.create(coverage, call),
      }),
    }),
    caughtBy: 'insurance.create.closed',
    named: /with a closed record/,
  },
  {
    name: 'another main practitioner for a closed patient',
    plant: ({ practitioners }) => ({
      practitioners: replace(practitioners, {
        requestChange: (id, request, call) =>
          practitioners.requestChange(id === people.closed ? people.bare : id, request, call),
      }),
    }),
    caughtBy: 'practitioners.change.closed',
    named: /with a closed record/,
  },
  {
    name: 'a closed patient who is registered anew',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: async (person, call) => {
          const { identifier } = await patients.get(people.closed, call);
          const isClosed = person.identifier.value === identifier?.value;
          return patients.register(
            isClosed ? { ...person, identifier: { ...person.identifier, value: '95000001' } } : person,
            call,
          );
        },
      }),
    }),
    caughtBy: 'patients.register.closed',
    named: /register returns an existing patient with a closed record unchanged, like any other patient/,
  },
];

/** Faults of records that the system has, and the API must not show or change. */
export const unseenFaults: readonly PortFault[] = [
  ...closedFaults,
  {
    name: 'a deleted patient who is shown',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        get: async (id, call) =>
          id === people.removed ? { ...(await patients.get(people.bare, call)), id } : patients.get(id, call),
      }),
    }),
    caughtBy: 'document.GET /patients/{id}.removed',
    named: /marks as deleted/,
  },
  {
    name: 'a deleted patient who becomes a relative',
    plant: ({ 'family-groups': groups }) => ({
      'family-groups': replace(groups, {
        add: async (id, member, call) =>
          member.relatedPatientId === people.removed ? { id: 'new' } : groups.add(id, member, call),
      }),
    }),
    caughtBy: 'document.POST /patients/{id}/family_group.removed-in-fields',
    named: /marks as deleted like an unknown one/,
  },
  {
    name: 'appointments of a deleted patient in Group B',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) =>
          id === people.removed ? { items: [], total: 0 } : appointments.list(id, query, call),
      }),
    }),
    caughtBy: 'document.GET /v1/appointments.removed-in-fields',
    named: /marks as deleted like an unknown one/,
  },
  {
    name: 'coverages of a deleted patient',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        coverages: (id, call) => insurance.coverages(id === people.removed ? people.bare : id, call),
      }),
    }),
    caughtBy: 'document.GET /patients/{id}/health_insurances.removed',
    named: /marks as deleted/,
  },
  {
    name: 'a deleted appointment in the list',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const page = await appointments.list(id, query, call);
          return { ...page, items: page.items.map((each) => ({ ...each, id: named.removed })) };
        },
      }),
    }),
    caughtBy: 'appointments.list.removed',
    named: /leaves out/,
  },
  {
    name: 'a deleted appointment that can be canceled',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        cancel: async (id, appointmentId, call) =>
          appointmentId === named.removed ? undefined : appointments.cancel(id, appointmentId, call),
      }),
    }),
    caughtBy: 'appointments.cancel.removed',
    named: /answers 404/,
  },
  {
    name: 'an attended appointment that can be canceled',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        cancel: async (id, appointmentId, call) =>
          appointmentId === named.attended ? undefined : appointments.cancel(id, appointmentId, call),
      }),
    }),
    caughtBy: 'appointments.cancel.attended',
    named: /the patient attended/,
  },
  {
    name: 'a blocked time that is offered',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: changeSlots(appointments, (free) =>
          free.map((slot) => ({ ...slot, start: `${slot.start.slice(0, 10)}${slots.blocked.start}` })),
        ),
      }),
    }),
    caughtBy: 'slots.blocked',
    named: /blocks is not offered/,
  },
  {
    name: 'a blocked time that can be booked',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, booking, call) => {
          const isBlocked = booking.start.endsWith(slots.blocked.start);
          const start = isBlocked ? `${booking.start.slice(0, 10)}T11:40:00` : booking.start;
          return appointments.book(id, { ...booking, start }, call);
        },
      }),
    }),
    caughtBy: 'appointments.book.blocked',
    named: /refuses a time/,
  },
];
