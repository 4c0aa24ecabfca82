import { type Booking, Failure, type Slot } from '../../../src/ports/index.ts';
import { changeSlots } from '../change-slots.ts';
import { appointmentFaults } from './appointments.ts';
import { type PortFault, replace } from './port-fault.ts';

/** What was booked stays among the free slots. */
const takeNoSlot: PortFault['plant'] = ({ appointments }) => {
  const booked: Slot[] = [];
  return {
    appointments: replace(appointments, {
      book: async (id, booking, call) => {
        const { items } = await appointments.slots({ serviceId: booking.serviceId }, call);
        booked.push(...items.filter((slot) => isMeant(booking, slot)));
        return appointments.book(id, booking, call);
      },
      slots: changeSlots(appointments, (free, query) => [
        ...free.filter((slot) => !booked.some(({ id }) => id === slot.id)),
        ...booked.filter(({ serviceId }) => serviceId === query.serviceId),
      ]),
    }),
  };
};

/** Faults of what is booked. */
export const bookingFaults: readonly PortFault[] = [
  ...appointmentFaults,
  {
    name: 'a longer booking that runs from one place into another at 11:00',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: changeSlots(appointments, (free) =>
          free.map((slot) =>
            slot.practitionerId === 'paz' && slot.locationId === 'central' && slot.start.slice(11) >= '11:00'
              ? { ...slot, locationId: 'norte' }
              : slot,
          ),
        ),
      }),
    }),
    caughtBy: 'appointments.b.create-span-place',
    named: /continue at another location/,
  },
  {
    name: 'the patient’s own booking of the slot taken for a new one',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, booking, call) =>
          appointments.book(id, booking, call).catch(async (error: unknown) => {
            const { items } = await appointments.list(id, { status: 'active', order: 'ascending' }, call);
            const own = items.find(({ start }) => start === booking.start);
            if (!own || !(error instanceof Failure && error.code === 'slot_taken')) throw error;
            return { id: own.id };
          }),
      }),
    }),
    caughtBy: 'appointments.book.taken-by-oneself',
    named: /answers slot_taken for a slot that the patient already has/,
  },
  {
    name: 'a copay that a booking drops',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, { copay: _, ...booking }, call) => appointments.book(id, booking, call),
      }),
    }),
    caughtBy: 'appointments.b.create-keeps',
    named: /copay/,
  },
  {
    name: 'an authorization that is refused, and that a booking takes for unknown',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, { authorization, ...booking }, call) =>
          appointments.book(id, { ...booking, ...(authorization && { authorization }) }, call),
      }),
    }),
    caughtBy: 'appointments.b.create-keeps',
    named:
      /every field of a booking is stored, even without insurance, and a copay and an authorization are stored or answered 501/,
  },
  {
    name: 'an authorization for which a booking has no place',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: async (id, booking, call) => {
          if (booking.authorization) throw new Failure('invalid', 'not known here', { at: 'authorization' });
          return appointments.book(id, booking, call);
        },
      }),
    }),
    caughtBy: 'document.POST /v1/appointments.answers',
    named: /accepts every documented field/,
  },
  {
    name: 'a copay that a list drops',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const page = await appointments.list(id, query, call);
          return { ...page, items: page.items.map(({ copay: _, ...each }) => each) };
        },
      }),
    }),
    caughtBy: 'appointments.b.create-keeps',
    named: /copay/,
  },
  {
    name: 'a payment without its status',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const page = await appointments.list(id, query, call);
          const items = page.items.map((each) =>
            each.payment ? { ...each, payment: { ...each.payment, status: '' } } : each,
          );
          return { ...page, items };
        },
      }),
    }),
    caughtBy: 'appointments.list.payment',
    named: /returns the payment of an appointment/,
  },
  {
    name: 'a booking that does not take the slot',
    plant: takeNoSlot,
    caughtBy: 'appointments.book.takes',
    named: /book takes the slot/,
  },
  {
    name: 'a cancellation that frees what no booking took',
    plant: takeNoSlot,
    caughtBy: 'appointments.cancel.frees',
    named: /offers its slot again/,
  },
  {
    name: 'a booking that no list shows',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const { items } = await appointments.list(id, query, call);
          const rest = items.slice(0, -1);
          return { items: rest, total: rest.length };
        },
      }),
    }),
    caughtBy: 'appointments.book.takes',
    named: /lists the appointment of the patient/,
  },
  {
    name: 'a long booking that takes one slot',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, { minutes: _, ...booking }, call) => appointments.book(id, booking, call),
      }),
    }),
    caughtBy: 'appointments.b.create-span',
    named: /create takes consecutive slots for a longer appointment/,
  },
  {
    name: 'a booking with two practitioners that takes the time of one',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, booking, call) =>
          appointments.book(id, { ...booking, practitionerIds: booking.practitionerIds.slice(0, 1) }, call),
      }),
    }),
    caughtBy: 'appointments.b.create-two',
    named: /every named practitioner/,
  },
  {
    name: 'a taken slot that is refused as one that never was',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: async (id, booking, call) => {
          try {
            return await appointments.book(id, booking, call);
          } catch (error) {
            if (!(error instanceof Failure) || error.code !== 'slot_taken') throw error;
            throw new Failure('invalid', 'there is no such slot', { code: 'slot_unknown', at: 'start' });
          }
        },
      }),
    }),
    caughtBy: 'appointments.book.taken',
    named: /answers slot_taken/,
  },
  {
    name: 'a cancellation that does not free the slot',
    plant: ({ appointments }) => {
      const canceled = new Set<string>();
      return {
        appointments: replace(appointments, {
          cancel: async (id, appointmentId, call) => {
            const { items } = await appointments.list(id, { order: 'ascending' }, call);
            await appointments.cancel(id, appointmentId, call);
            for (const each of items) if (each.id === appointmentId) canceled.add(each.start);
          },
          slots: changeSlots(appointments, (free) => free.filter(({ start }) => !canceled.has(start))),
        }),
      };
    },
    caughtBy: 'appointments.cancel.frees',
    named: /offers its slot again/,
  },
  {
    name: 'a cancellation that removes the appointment',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const page = await appointments.list(id, query, call);
          return { ...page, items: page.items.filter(({ status }) => status === 'active') };
        },
      }),
    }),
    caughtBy: 'appointments.cancel.frees',
    named: /returns the appointment as canceled/,
  },
  {
    name: 'a cancellation of what another patient booked',
    plant: ({ appointments }) => {
      const owners = new Map<string, string>();
      return {
        appointments: replace(appointments, {
          book: async (id, booking, call) => {
            const booked = await appointments.book(id, booking, call);
            owners.set(booked.id, id);
            return booked;
          },
          cancel: (id, appointmentId, call) =>
            appointments.cancel(owners.get(appointmentId) ?? id, appointmentId, call),
        }),
      };
    },
    caughtBy: 'appointments.cancel.other-patient',
    named: /an appointment of another patient/,
  },
  {
    name: 'a cancellation without regard to how late it is',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        cancel: async (id, appointmentId, call) => {
          try {
            await appointments.cancel(id, appointmentId, call);
          } catch (error) {
            if (!(error instanceof Failure) || error.code !== 'not_cancelable') throw error;
          }
        },
      }),
    }),
    caughtBy: 'appointments.cancel.too-late',
    named: /refuses an appointment that is not cancelable/,
  },
  {
    name: 'slots at any location',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ locationId: _, ...query }, call) => appointments.slots(query, call),
      }),
    }),
    caughtBy: 'slots.location',
    named: /at the given location/,
  },
  {
    name: 'slots on any day of the week',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ daysOfWeek: _, ...query }, call) => appointments.slots(query, call),
      }),
    }),
    caughtBy: 'slots.b.weekdays',
    named: /daysOfWeek narrows to the named days/,
  },
  {
    name: 'slots at any hour',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ hourFrom: _, hourTo: __, ...query }, call) => appointments.slots(query, call),
      }),
    }),
    caughtBy: 'filters.appointments.slots',
    named: /days of the week and hours narrow the slots/,
  },
  {
    name: 'days of the week that are ignored where hours are given too',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ daysOfWeek = [], ...query }, call) =>
          appointments.slots(
            { ...query, ...(daysOfWeek.length > 0 && query.hourFrom === undefined && { daysOfWeek }) },
            call,
          ),
      }),
    }),
    caughtBy: 'filters.appointments.slots',
    named: /each alone and several together/,
  },
  {
    name: 'a total of slots that a page counts before it narrows them by hours',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: async (query, call) => {
          const { hourFrom: _, hourTo: __, ...any } = query;
          const { items } = await appointments.slots(query, call);
          return { items, total: (await appointments.slots(any, call)).total };
        },
      }),
    }),
    caughtBy: 'filters.appointments.slots',
    named: /and the total with them/,
  },
  {
    name: 'slots for any plan',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ coverageId: _, ...query }, call) => appointments.slots(query, call),
      }),
    }),
    caughtBy: 'slots.plan',
    named: /whose plan the service does not accept gets no slots/,
  },
  {
    name: 'practitioners that are sorted in the request of the caller',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: async (id, booking, call) => {
          const made = await appointments.book(id, { ...booking, practitionerIds: [...booking.practitionerIds] }, call);
          (booking.practitionerIds as string[]).reverse();
          return made;
        },
      }),
    }),
    caughtBy: 'appointments.b.create-two',
    named: /takes the time of every named practitioner/,
  },
  {
    name: 'an id that is read as far as it is understood',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        cancel: (id, appointmentId, call) =>
          appointments.cancel(id, appointmentId.replace(/[^\p{L}\p{N}_-].*$/u, ''), call),
      }),
    }),
    caughtBy: 'ports.appointments.cancel.ended-ids',
    named: /for an id that begins with an existing one, and changes nothing/,
  },
];

/** Whether the booking is of this slot. */
const isMeant = (booking: Booking, slot: Slot): boolean =>
  slot.start === booking.start && slot.practitionerId === booking.practitionerIds[0];
