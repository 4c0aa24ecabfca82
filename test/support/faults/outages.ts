import { Failure } from '../../../src/ports/index.ts';
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
    named: /takes none of them for an answer/,
  },
  {
    name: 'an error swallowed as an empty page of slots',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: (query, call) => orIfUnavailable(appointments.slots(query, call), { items: [], total: 0 }),
      }),
    }),
    caughtBy: 'ports.appointments.slots.outage',
    named: /takes none of them for an answer/,
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
    named: /fails with timeout at the deadline/,
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
    named: /fails with timeout at the deadline/,
  },
];
