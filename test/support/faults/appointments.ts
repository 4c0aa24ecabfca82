import { sandbox } from '../../../src/contract/index.ts';
import { type Appointment, Failure } from '../../../src/ports/index.ts';
import { addMinutes } from '../../../src/toolkit/zone.ts';
import { changeSlots } from '../change-slots.ts';
import { type PortFault, replace } from './port-fault.ts';

/** Faults of where an appointment is, for which insurance and for how long. */
export const appointmentFaults: readonly PortFault[] = [
  {
    name: 'a booking at another place than was asked for',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: async (id, booking, call) => {
          try {
            return await appointments.book(id, booking, call);
          } catch (error) {
            if (!(error instanceof Failure) || error.code !== 'slot_unknown') throw error;
            const { locationId: _, ...elsewhere } = booking;
            return appointments.book(id, elsewhere, call);
          }
        },
      }),
    }),
    caughtBy: 'appointments.b.create-no-such-slot',
    named: /a time or a location for/,
  },
  {
    name: 'appointments that are all shown at one place',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const page = await appointments.list(id, query, call);
          const location = { id: sandbox.locations.first, name: 'Sede Central' };
          return { ...page, items: page.items.map((each) => ({ ...each, location })) };
        },
      }),
    }),
    caughtBy: 'appointments.b.create-least',
    named: /slot at its location/,
  },
  {
    name: 'an appointment over video that is shown as in person',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const page = await appointments.list(id, query, call);
          return { ...page, items: page.items.map((each) => ({ ...each, modality: 'in-person' as const })) };
        },
      }),
    }),
    caughtBy: 'appointments.book.takes',
    named: /in person or over video/,
  },
  {
    name: 'only the first page of what the system has',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const { items } = await appointments.list(id, { ...query, page: { page: 0, limit: 20 } }, call);
          return { items, total: items.length };
        },
      }),
    }),
    caughtBy: 'appointments.list.many',
    named: /contains all of 26 appointments/,
  },
  {
    name: 'another coverage of the patient on an appointment',
    plant: ({ appointments, insurance }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const page = await appointments.list(id, query, call);
          const [first] = await insurance.coverages(id, call);
          const items = page.items.map((each) => ({ ...each, ...(each.coverage && first && { coverage: first }) }));
          return { ...page, items };
        },
      }),
    }),
    caughtBy: 'appointments.book.coverage',
    named: /none of the patient’s others/,
  },
  {
    name: 'a canceled long appointment that frees its first slot alone',
    plant: ({ appointments }) => {
      const canceled: Appointment[] = [];
      return {
        appointments: replace(appointments, {
          cancel: async (id, appointmentId, call) => {
            const { items } = await appointments.list(id, { order: 'ascending' }, call);
            await appointments.cancel(id, appointmentId, call);
            canceled.push(...items.filter((each) => each.id === appointmentId));
          },
          slots: changeSlots(appointments, (free) =>
            free.filter(
              (slot) =>
                !canceled.some(({ start, minutes }) => slot.start > start && slot.start < addMinutes(start, minutes)),
            ),
          ),
        }),
      };
    },
    caughtBy: 'appointments.b.create-span-canceled',
    named: /every slot/,
  },
];
