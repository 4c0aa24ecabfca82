import { Failure } from '../../../src/ports/index.ts';
import { changeSlots } from '../change-slots.ts';
import { type PortFault, replace } from './port-fault.ts';

/** Another id than the one that was asked for. */
const likeIds: readonly PortFault[] = [
  {
    name: 'ids that a collation compares without accents',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        get: (id, call) => patients.get(id.normalize('NFD').replaceAll(/\p{Mn}/gu, ''), call),
      }),
    }),
    caughtBy: 'ports.patients.get.odd-ids',
    named: /existing/,
  },
  {
    name: 'ids that are read without the zeros in front of them',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        cancel: (id, appointmentId, call) => appointments.cancel(id, appointmentId.replace(/^0/, ''), call),
      }),
    }),
    caughtBy: 'ports.appointments.cancel.ended-ids',
    named: /existing/,
  },
  {
    name: 'ids that are looked up by LIKE',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        coverages: (id, call) => insurance.coverages(id === 'an_' ? 'ana' : id, call),
      }),
    }),
    caughtBy: 'ports.insurance.coverages.odd-ids',
    named: /existing/,
  },
];

/** Reads and writes that disagree with each other. */
export const agreementFaults: readonly PortFault[] = [
  ...likeIds,
  {
    name: 'a tooltip that one ticket type lacks and the list of types has',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        type: async (id, call) => {
          const type = await tickets.type(id, call);
          return { ...type, fields: type.fields.map((field) => ({ ...field, tooltip: '' })) };
        },
      }),
    }),
    caughtBy: 'ports.tickets.type.agrees.tickets.types',
    named: /as types lists it/,
  },
  {
    name: 'practitioners of appointments with another form of their names',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (...given) => {
          const { items, total } = await appointments.list(...given);
          const practitioners = ({ id, name }: { id: string; name: string }) => ({
            id,
            name: name.replace(/^\w+\. /, ''),
          });
          return {
            items: items.map((each) => ({ ...each, practitioners: each.practitioners.map(practitioners) })),
            total,
          };
        },
      }),
    }),
    caughtBy: 'ports.appointments.list.agrees.practitioners.list',
    named: /name practitioners as the list/,
  },
  {
    name: 'a version that an update does not look at',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: (id, changes, { ifMatch: _, ...call }) => patients.update(id, changes, call),
      }),
    }),
    caughtBy: 'ports.patients.update.version',
    named: /takes only the version that the patient has/,
  },
  {
    name: 'a booking that takes the slot after its own too',
    plant: ({ appointments }) => {
      const after = new Set<string>();
      return {
        appointments: replace(appointments, {
          book: async (id, booking, call) => {
            const made = await appointments.book(id, booking, call);
            const end = new Date(Date.parse(`${booking.start}Z`) + 20 * 60_000).toISOString().slice(0, 19);
            after.add(`${booking.practitionerIds[0]} ${end}`);
            return made;
          },
          slots: changeSlots(appointments, (free) =>
            free.filter(({ practitionerId, start }) => !after.has(`${practitionerId} ${start}`)),
          ),
        }),
      };
    },
    caughtBy: 'appointments.cancel.alone',
    named: /takes the time of its own slot alone/,
  },
  {
    name: 'an appointment of three slots that takes two',
    plant: ({ appointments }) => {
      const known = new Map<string, number>();
      return {
        appointments: replace(appointments, {
          book: async (id, { minutes, ...booking }, call) => {
            const most = minutes === undefined ? undefined : Math.min(minutes, 40);
            const made = await appointments.book(
              id,
              { ...booking, ...(most !== undefined && { minutes: most }) },
              call,
            );
            if (minutes !== undefined) known.set(made.id, minutes);
            return made;
          },
          list: async (...given) => {
            const { items, total } = await appointments.list(...given);
            return { items: items.map((each) => ({ ...each, minutes: known.get(each.id) ?? each.minutes })), total };
          },
        }),
      };
    },
    caughtBy: 'appointments.b.create-span',
    named: /consecutive slots/,
  },
  {
    name: 'a booking after the horizon',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: (id, booking, call) =>
          appointments.book(id, booking, { ...call, now: [call.now, new Date().toISOString()].toSorted().at(-1)! }),
      }),
    }),
    caughtBy: 'ports.midnight.horizon-book',
    named: /after the horizon is refused/,
  },
  {
    name: 'a name for patients who are registered without one',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: (person, call) => patients.register({ name: 'S/N', ...person }, call),
      }),
    }),
    caughtBy: 'patients.register.least',
    named: /shows no placeholder for a name/,
  },
  {
    name: 'a passport of digits that is taken for a DNI',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: (person, call) => {
          const { value } = person.identifier;
          return patients.register(
            /^\d+$/.test(value) ? { ...person, identifier: { type: 'DNI', value } } : person,
            call,
          );
        },
      }),
    }),
    caughtBy: 'patients.register.same-number',
    named: /distinguishes a DNI and a passport/,
  },
  {
    name: 'an index of birth dates that an update does not change',
    plant: ({ patients }) => {
      const born = new Map<string, string>();
      return {
        patients: replace(patients, {
          register: async (person, call) => {
            const patient = await patients.register(person, call);
            born.set(patient.id, person.birthDate);
            return patient;
          },
          search: async (criteria, call) =>
            (await patients.search(criteria, call)).filter(
              ({ id, birthDate }) => !criteria.birthDate || (born.get(id) ?? birthDate) === criteria.birthDate,
            ),
        }),
      };
    },
    caughtBy: 'patients.update.found-by-birth',
    named: /by the new birth date/,
  },
  {
    name: 'frequent services of the same number by name, whenever they were booked',
    plant: ({ 'care-services': services }) => ({
      'care-services': replace(services, {
        frequent: async (who, call) => {
          const found = await services.frequent(who, call);
          return found.length === 2 ? found.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : found;
        },
      }),
    }),
    caughtBy: 'care-services.frequent.latest',
    named: /with the later booking comes first/,
  },
  {
    name: 'a booking known again under its key without its authorization',
    plant: ({ appointments }) => {
      const known = new Map<string, { content: string; made: { id: string } }>();
      return {
        appointments: replace(appointments, {
          book: async (id, booking, call) => {
            const { authorization: _, ...rest } = booking;
            const content = JSON.stringify([id, rest]);
            const earlier = known.get(`${call.client} ${call.idempotencyKey}`);
            if (call.idempotencyKey !== undefined && earlier?.content === content) return earlier.made;
            const made = await appointments.book(id, booking, call);
            known.set(`${call.client} ${call.idempotencyKey}`, { content, made });
            return made;
          },
        }),
      };
    },
    caughtBy: 'idempotency.appointments.book',
    named: /refused for another content/,
  },
  {
    name: 'a relative who is added again under another key, and told as new',
    plant: ({ 'family-groups': groups }) => ({
      'family-groups': replace(groups, {
        add: async (id, member, call) => {
          try {
            return await groups.add(id, member, call);
          } catch (error) {
            const isKnown = error instanceof Failure && error.code === 'relation_exists';
            const known = (await groups.list(id, call)).find(
              (each) => each.relatedPatientId === member.relatedPatientId,
            );
            if (isKnown && known && call.idempotencyKey !== undefined) return { id: known.id };
            throw error;
          }
        },
      }),
    }),
    caughtBy: 'idempotency.family-groups.add',
    named: /happens once under its Idempotency-Key/,
  },
  {
    name: 'a ticket that is told with another time under its key',
    plant: ({ tickets }) => {
      let time = Date.now();
      return {
        tickets: replace(tickets, {
          open: async (...given) => {
            time += 1_000;
            return { ...(await tickets.open(...given)), updatedAt: new Date(time).toISOString() };
          },
        }),
      };
    },
    caughtBy: 'idempotency.tickets.open',
    named: /happens once under its Idempotency-Key/,
  },
];
