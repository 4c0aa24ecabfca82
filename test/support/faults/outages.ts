import { type Appointment, Failure, type Page } from '../../../src/ports/index.ts';
import { throwIfAborted } from '../../../src/toolkit/failures.ts';
import { type PortFault, replace } from './port-fault.ts';

/** What the work comes to, or this where the system fails. */
const orIfUnavailable = <T>(work: Promise<T>, empty: T): Promise<T> =>
  work.catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'unavailable') return empty;
    throw error;
  });

/** Adapters that do not notice that their system fails, or that nobody waits any longer. */
export const outageFaults: readonly PortFault[] = [
  {
    name: 'an error swallowed as an empty list of patients',
    plant: ({ patients }) => ({
      patients: replace(patients, { search: (criteria, call) => orIfUnavailable(patients.search(criteria, call), []) }),
    }),
    caughtBy: 'ports.patients.search.outage',
    named: /even after an earlier success, returns none of them as data/,
  },
  {
    name: 'an error swallowed as an empty page of slots',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: (query, call) => orIfUnavailable(appointments.slots(query, call), { items: [], total: 0 }),
      }),
    }),
    caughtBy: 'ports.appointments.slots.outage',
    named: /even after an earlier success, returns none of them as data/,
  },
  {
    name: 'a signal that is looked at and not passed on',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        get: async (id, call) => {
          throwIfAborted(call);
          return patients.get(id, { ...call, signal: new AbortController().signal });
        },
      }),
    }),
    caughtBy: 'ports.patients.get.silence',
    named: /fails with timeout at any deadline/,
  },
  {
    name: 'a signal that is passed on late, to the second request alone',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: async (id, filter, call) => {
          throwIfAborted(call);
          await tickets.types({ ...call, signal: new AbortController().signal });
          return tickets.list(id, filter, call);
        },
      }),
    }),
    caughtBy: 'ports.tickets.list.silence',
    named: /fails with timeout at any deadline/,
  },
  {
    name: 'a list that is kept, and shown as it was while the system fails',
    plant: ({ appointments }) => {
      const kept = new Map<string, Page<Appointment>>();
      return {
        appointments: replace(appointments, {
          list: async (id, query, call) => {
            const page = await orIfUnavailable(appointments.list(id, query, call), kept.get(id));
            if (!page) throw new Failure('unavailable', 'the system fails');
            kept.set(id, kept.get(id) ?? page);
            return page;
          },
        }),
      };
    },
    caughtBy: 'ports.appointments.book.seen',
    named: /fails, or returns what was written, and never the state before/,
  },
  {
    name: 'a read that is tried again after a pause, whatever the deadline',
    plant: ({ practitioners }) => ({
      practitioners: replace(practitioners, {
        list: (call) =>
          practitioners.list(call).catch(async () => {
            await new Promise((resolve) => setTimeout(resolve, 3_000));
            return practitioners.list(call);
          }),
      }),
    }),
    caughtBy: 'ports.practitioners.list.outage',
    named: /fails by its deadline/,
  },
  {
    name: 'a timer that each call leaves running',
    plant: ({ practitioners }) => ({
      practitioners: replace(practitioners, {
        list: async (call) => {
          setTimeout(() => undefined, 8_000);
          return practitioners.list(call);
        },
      }),
    }),
    caughtBy: 'ports.practitioners.list.kept',
    named: /retains no memory, connection or timer, even after many calls/,
  },
];
