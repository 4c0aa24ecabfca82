import { setImmediate } from 'node:timers/promises';
import { Failure, type Slot } from '../../../src/ports/index.ts';
import { changeSlots } from '../../support/change-slots.ts';
import type { openSandbox } from '../../support/sandbox.ts';

export type Ports = ReturnType<typeof openSandbox>;

/** The port with some methods replaced. */
const replace = <P extends object>(port: P, methods: Partial<P>): P =>
  new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });

const isSame = (slot: Slot, start: string, practitioner: string | undefined) =>
  slot.start === start && slot.practitionerId === practitioner;

/** Faults that an adapter may have, each with the promise that it breaks. */
export const faults: readonly (readonly [what: string, promise: string, plant: (ports: Ports) => Ports])[] = [
  [
    'a booking that does not take the slot',
    'taken',
    (ports) => {
      const { appointments } = ports;
      const seen = new Map<string, Slot>();
      const slots = changeSlots(appointments, (free, query) => {
        for (const slot of free) seen.set(slot.id, slot);
        return [...seen.values()]
          .filter(
            (slot) =>
              slot.serviceId === query.serviceId &&
              slot.practitionerId === (query.practitionerId ?? slot.practitionerId) &&
              slot.locationId === (query.locationId ?? slot.locationId) &&
              slot.start.slice(0, 10) >= (query.from ?? '') &&
              slot.start.slice(0, 10) <= (query.to ?? '9999'),
          )
          .toSorted((a, b) => (a.start < b.start ? -1 : 1));
      });
      return { ...ports, appointments: replace(appointments, { slots }) };
    },
  ],
  [
    'a cancellation that does not free the slot',
    'freed',
    (ports) => {
      const { appointments } = ports;
      const gone: [string, string | undefined][] = [];
      const book: typeof appointments.book = async (patientId, booking, call) => {
        const made = await appointments.book(patientId, booking, call);
        gone.push([booking.start, booking.practitionerIds[0]]);
        return made;
      };
      const slots = changeSlots(appointments, (free) =>
        free.filter((slot) => !gone.some(([start, who]) => isSame(slot, start, who))),
      );
      return { ...ports, appointments: replace(appointments, { book, slots }) };
    },
  ],
  [
    'a list that leaks another patient’s data',
    'own',
    (ports) => {
      const { tickets } = ports;
      const all = new Set<string>();
      const open: typeof tickets.open = (patientId, type, ticket, call) => {
        all.add(patientId);
        return tickets.open(patientId, type, ticket, call);
      };
      const list: typeof tickets.list = async (patientId, query, call) => {
        const own = await Promise.all([...new Set([...all, patientId])].map((id) => tickets.list(id, query, call)));
        return own.flat().toSorted((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
      };
      return { ...ports, tickets: replace(tickets, { open, list }) };
    },
  ],
  [
    'a ticket that is lost when several are filed at once',
    'own',
    (ports) => {
      const { tickets } = ports;
      let filing: ReturnType<typeof tickets.open> | undefined;
      const open: typeof tickets.open = async (...given) => {
        if (filing) return filing;
        filing = setImmediate().then(() => tickets.open(...given));
        return filing.finally(() => {
          filing = undefined;
        });
      };
      return { ...ports, tickets: replace(tickets, { open }) };
    },
  ],
  [
    'a race between check and booking',
    'winner',
    (ports) => {
      const { appointments } = ports;
      const book: typeof appointments.book = async (patientId, booking, call) => {
        const { serviceId, start, practitionerIds } = booking;
        const { items: free } = await appointments.slots({ serviceId }, call);
        if (!free.some((slot) => isSame(slot, start, practitionerIds[0]))) {
          throw new Failure('conflict', 'the slot is taken', { code: 'slot_taken' });
        }
        await setImmediate();
        return appointments.book(patientId, booking, call).catch(() => ({ id: 'the-second-of-two' }));
      };
      return { ...ports, appointments: replace(appointments, { book }) };
    },
  ],
  [
    'a relative who was removed and is still there',
    'own',
    (ports) => {
      const groups = ports['family-groups'];
      const remove: typeof groups.remove = async (patientId, memberId, call) => {
        const members = await groups.list(patientId, call);
        if (!members.some(({ id }) => id === memberId)) throw new Failure('not_found', 'there is no such member');
      };
      return { ...ports, 'family-groups': replace(groups, { remove }) };
    },
  ],
  [
    'ids that are compared without case',
    'exact',
    (ports) => {
      const { patients } = ports;
      const known = new Map<string, string>();
      const register: typeof patients.register = async (...given) => {
        const patient = await patients.register(...given);
        known.set(patient.id.toLowerCase(), patient.id);
        return patient;
      };
      const get: typeof patients.get = (id, call) => patients.get(known.get(id.toLowerCase()) ?? id, call);
      return { ...ports, patients: replace(patients, { register, get }) };
    },
  ],
  [
    'pages that are counted from 1',
    'pages',
    (ports) => {
      const { appointments } = ports;
      const list: typeof appointments.list = (patientId, { page, ...query }, call) =>
        appointments.list(
          patientId,
          { ...query, ...(page && { page: { ...page, page: Math.max(0, page.page - 1) } }) },
          call,
        );
      return { ...ports, appointments: replace(appointments, { list }) };
    },
  ],
];
