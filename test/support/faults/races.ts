import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createPromisedFailure } from '../../../adapters/common/failures.ts';
import { Failure, type Ticket } from '../../../src/ports/index.ts';
import { type PortFault, replace } from './port-fault.ts';

/** Long enough for every call of the same moment to have looked. */
const pause = () => wait(5);

/** Looks, pauses and writes; where `isFree` saw nothing in the way, a conflict that came up since then is not noticed. */
async function checkThenAct<R>(isFree: () => Promise<boolean>, act: () => Promise<R>, unnoticed: R): Promise<R> {
  const free = await isFree();
  await pause();
  try {
    return await act();
  } catch (error) {
    if (free && error instanceof Failure && error.kind === 'conflict') return unnoticed;
    throw error;
  }
}

/** Adapters that keep in one place for whom they work. Each works as long as callers take turns. */
const mixtures: readonly PortFault[] = [
  {
    name: 'two patients mixed who are read at once',
    plant: ({ patients }) => {
      let current = '';
      return {
        patients: replace(patients, {
          get: async (id, call) => {
            current = id;
            await pause();
            return patients.get(current, call);
          },
        }),
      };
    },
    caughtBy: 'patients.get.own',
    named: /simultaneous reads of several patients each return their own patient/,
  },
  {
    name: 'the tickets of two patients mixed that are listed at once',
    plant: ({ tickets }) => {
      let current = '';
      return {
        tickets: replace(tickets, {
          list: async (id, filter, call) => {
            current = id;
            await pause();
            return tickets.list(current, filter, call);
          },
        }),
      };
    },
    caughtBy: 'tickets.list.own',
    named: /no list of tickets contains one of another patient, with any filter/,
  },
  {
    name: 'searches at once that share the answer of the first',
    plant: ({ patients }) => {
      let inFlight: ReturnType<typeof patients.search> | undefined;
      return {
        patients: replace(patients, {
          search: (criteria, call) => {
            inFlight ??= patients.search(criteria, call).finally(() => {
              inFlight = undefined;
            });
            return inFlight;
          },
        }),
      };
    },
    caughtBy: 'ports.patients.search.at-once',
    named: /requests each get their own response/,
  },
];

/** Adapters that check and then act, without one being bound to the other. Each works as long as callers take turns. */
/** The version is compared before the write, and not by it. */
const versionComparedFirst: PortFault = {
  name: 'a version that is compared before the update, and not by it',
  plant: ({ patients }) => ({
    patients: replace(patients, {
      update: async (id, changes, { ifMatch, ...call }) => {
        const { version = '' } = await patients.get(id, call);
        if (ifMatch && !ifMatch.includes(version)) throw createPromisedFailure('precondition_failed');
        await pause();
        return patients.update(id, changes, call);
      },
    }),
  }),
  caughtBy: 'ports.patients.update.version',
  named: /once even for simultaneous callers/,
};

export const raceFaults: readonly PortFault[] = [
  versionComparedFirst,
  ...mixtures,
  {
    name: 'a race between the check and the booking',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, booking, call) =>
          checkThenAct(
            async () => {
              const { items } = await appointments.slots({ serviceId: booking.serviceId }, call);
              return items.some(({ start }) => start === booking.start);
            },
            () => appointments.book(id, booking, call),
            { id: randomUUID() },
          ),
      }),
    }),
    caughtBy: 'appointments.book.parallel',
    named: /of twenty parallel bookings of one slot, one succeeds/,
  },
  {
    name: 'a race between the check and the booking across both groups',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, booking, call) =>
          checkThenAct(
            async () => (await appointments.list(id, { order: 'ascending' }, call)).total === 0,
            () => appointments.book(id, booking, call),
            { id: randomUUID() },
          ),
      }),
    }),
    caughtBy: 'appointments.b.create-parallel',
    named: /parallel bookings of one slot through both groups one succeeds/,
  },
  {
    name: 'a race between the search and the registration',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: async (person, call) => {
          const [known] = await patients.search({ identifier: person.identifier.value }, call);
          await pause();
          const patient = await patients.register(person, call);
          return known ? patient : { ...patient, id: randomUUID() };
        },
      }),
    }),
    caughtBy: 'patients.register.parallel',
    named: /creates one patient from ten parallel registrations/,
  },
  {
    name: 'a race between reading and writing a patient',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: async (id, changes, call) => {
          const { id: _, active, birthDate, ...read } = await patients.get(id, call);
          await pause();
          await patients.update(id, { ...read, ...changes }, call);
        },
      }),
    }),
    caughtBy: 'patients.update.parallel',
    named: /updates of different fields of one patient at the same moment all succeed/,
  },
  {
    name: 'a race between two requests for a change',
    plant: ({ practitioners }) => ({
      practitioners: replace(practitioners, {
        requestChange: (id, request, call) =>
          checkThenAct(
            () =>
              practitioners.changeRequestOf(id, call).then(
                () => false,
                () => true,
              ),
            () => practitioners.requestChange(id, request, call),
            { id: randomUUID(), reasonId: request.reasonId, status: 'in_progress' },
          ),
      }),
    }),
    caughtBy: 'practitioners.change.parallel',
    named: /simultaneous requests for a change, one is accepted/,
  },
  {
    name: 'a race between two that add one relative',
    plant: ({ 'family-groups': groups }) => ({
      'family-groups': replace(groups, {
        add: (id, member, call) =>
          checkThenAct(
            async () => (await groups.list(id, call)).length === 0,
            () => groups.add(id, member, call),
            { id: randomUUID() },
          ),
      }),
    }),
    caughtBy: 'family-groups.add.parallel',
    named: /a relative who is added several times at once is in the group once/,
  },
  {
    name: 'a race between two coverages of one credential',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        create: (coverage, call) =>
          checkThenAct(
            async () => (await insurance.coverages(coverage.beneficiaryId, call)).length === 0,
            () => insurance.create(coverage, call),
            { id: randomUUID() },
          ),
      }),
    }),
    caughtBy: 'insurance.create.parallel',
    named: /a credential that is sent with several plans at once is one coverage/,
  },
  {
    name: 'a race between looking up an Idempotency-Key and keeping it',
    plant: ({ tickets }) => {
      const filed = new Map<string, Ticket>();
      return {
        tickets: replace(tickets, {
          open: async (id, type, ticket, { idempotencyKey, ...call }) => {
            const earlier = filed.get(idempotencyKey ?? '');
            if (earlier) return earlier;
            await pause();
            const opened = await tickets.open(id, type, ticket, call);
            if (idempotencyKey !== undefined) filed.set(idempotencyKey, opened);
            return opened;
          },
        }),
      };
    },
    caughtBy: 'idempotency.tickets-at-once',
    named: /several times at once under its Idempotency-Key/,
  },
];
