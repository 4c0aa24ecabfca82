import { sandbox } from '../../../src/contract/index.ts';
import { Failure, type Patient } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/toolkit/records.ts';
import { type PortFault, type Ports, replace } from './port-fault.ts';

/** What is found under the id, or under the same letters in lower case. */
async function findInAnyCase<R>(id: string, find: (id: string) => Promise<R>): Promise<R> {
  try {
    return await find(id);
  } catch {
    return find(id.toLowerCase());
  }
}

const idsWithoutCase: readonly PortFault[] = [
  {
    name: 'ids of patients that are compared without case',
    plant: ({ patients }) => ({
      patients: replace(patients, { get: (id, call) => findInAnyCase(id, (each) => patients.get(each, call)) }),
    }),
    caughtBy: 'document.GET /patients/{id}.letter-case',
    named: /distinguishes ids in its path by the case of their letters/,
  },
  {
    name: 'ids of appointments that are compared without case',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        cancel: (id, appointmentId, call) =>
          findInAnyCase(appointmentId, (each) => appointments.cancel(id, each, call)),
      }),
    }),
    caughtBy: 'document.PUT /patients/{id}/appointments/{appointment_id}.letter-case',
    named: /distinguishes ids in its path by the case of their letters/,
  },
];

/** A lapsed coverage that is created again keeps its plan. */
const lapsedPlan: PortFault = {
  name: 'a lapsed coverage that is created again under its former plan',
  plant: ({ insurance }) => ({
    insurance: replace(insurance, {
      create: async (coverage, call) => {
        const before = await insurance.coverages(coverage.beneficiaryId, call);
        const created = await insurance.create(coverage, call);
        const lapsed = before.find(({ id }) => id === created.id);
        if (lapsed) await insurance.edit(created.id, { planId: lapsed.planId }, call);
        return created;
      },
    }),
  }),
  caughtBy: 'insurance.create.lapsed',
  named: /active again, with the given plan/,
};

const withoutEmail = (patient: Patient): Patient => ({ ...patient, email: '' });

const droppedEmails: readonly PortFault[] = (
  [
    [
      'a registration does not keep',
      ({ patients }) => ({ register: ({ email: _, ...person }, call) => patients.register(person, call) }),
    ],
    ['get does not show', ({ patients }) => ({ get: async (id, call) => withoutEmail(await patients.get(id, call)) })],
    [
      'a search does not show',
      ({ patients }) => ({
        search: async (criteria, call) => (await patients.search(criteria, call)).map(withoutEmail),
      }),
    ],
  ] satisfies [string, (ports: Ports) => Partial<Ports['patients']>][]
).map(([what, change]) => ({
  name: `an e-mail address that ${what}`,
  plant: (ports) => ({ patients: replace(ports.patients, change(ports)) }),
  caughtBy: 'patients.register.read-back',
  named: /stores every field, for get and search to return/,
}));

/** Ids that stand in a URL as they are given. */
const idsInUrls: readonly PortFault[] = [
  {
    name: 'an id that is not encoded in a path',
    plant: ({ patients }) => ({
      patients: replace(patients, { get: (id, call) => patients.get(id.split(';')[0] ?? '', call) }),
    }),
    caughtBy: 'ports.patients.get.odd-ids',
    named: /begin with an existing one/,
  },
  {
    name: 'an id that is not encoded in a query',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: (query, call) => {
          const serviceId = new URLSearchParams(`service=${query.serviceId}`).get('service') ?? '';
          return appointments.slots({ ...query, serviceId }, call);
        },
      }),
    }),
    caughtBy: 'ports.appointments.slots.odd-ids',
    named: /begin with an existing one/,
  },
];

const encodeMarkup = (text = ''): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Tickets that are not kept as they were filed. */
const ticketFaults: readonly PortFault[] = [
  {
    name: 'files that go through UTF-8',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: async (id, filter, call) =>
          (await tickets.list(id, filter, call)).map((ticket) => ({
            ...ticket,
            fields: ticket.fields.map((field) =>
              field.dataType === 'file'
                ? { ...field, value: Buffer.from(Buffer.from(field.value, 'base64').toString()).toString('base64') }
                : field,
            ),
          })),
      }),
    }),
    caughtBy: 'tickets.open.typed',
    named: /every byte of the file/,
  },
  {
    name: 'observations cut at 255 characters',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        open: (id, type, ticket, call) =>
          tickets.open(id, type, { ...ticket, observations: ticket.observations.slice(0, 255) }, call),
      }),
    }),
    caughtBy: 'tickets.open.read-back',
    named: /observations of any length/,
  },
  {
    name: 'another time told of a ticket than shown',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        open: async (...given) => ({
          ...(await tickets.open(...given)),
          createdAt: new Date(Date.now() - 3_600_000).toISOString(),
        }),
      }),
    }),
    caughtBy: 'ports.tickets.open.told',
    named: /of list, with its time/,
  },
];

/** Texts of some writes that are not kept as they were given. */
const textFaults: readonly PortFault[] = [
  {
    name: 'characters beyond the basic plane dropped from the names of an update',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: (id, changes, call) =>
          patients.update(
            id,
            omitUndefined({ ...changes, lastName: changes.lastName?.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '') }),
            call,
          ),
      }),
    }),
    caughtBy: 'texts.patients.update',
    named: /keeps every text as it was given, in whatever characters/,
  },
  {
    name: 'a city cut at 30 characters',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: ({ address, ...person }, call) =>
          patients.register(
            address?.city
              ? { ...person, address: { ...address, city: address.city.slice(0, 30) } }
              : omitUndefined({ ...person, address }),
            call,
          ),
      }),
    }),
    caughtBy: 'texts.patients.register',
    named: /however long/,
  },
  {
    name: 'a credential number in the form of a number that is edited as one',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        edit: (id, changes, call) =>
          insurance.edit(
            id,
            omitUndefined({ ...changes, credentialNumber: changes.credentialNumber?.replace(/e\d$/, '') }),
            call,
          ),
      }),
    }),
    caughtBy: 'texts.insurance.edit',
    named: /keeps every text as it was given/,
  },
  {
    name: 'an update of a birth date that drops the record number',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: (id, changes, call) =>
          patients.update(id, changes.birthDate ? { medicalRecordId: '', ...changes } : changes, call),
      }),
    }),
    caughtBy: 'patients.update.others-stay',
    named: /keeps the fields that are not given, whichever field is given/,
  },
];

/** Faults of who and what is found, kept and refused. */
export const recordFaults: readonly PortFault[] = [
  lapsedPlan,
  ...ticketFaults,
  ...idsWithoutCase,
  ...idsInUrls,
  {
    name: 'a document of seven digits that nobody has',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        search: async (criteria, call) =>
          (await patients.search(criteria, call)).filter(({ identifier }) => !/^\d{7}$/.test(identifier.value)),
      }),
    }),
    caughtBy: 'patients.register.seven-digits',
    named: /a DNI of seven digits/,
  },
  {
    name: '& and < in a name that are encoded and not decoded again',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: ({ name, lastName, ...person }, call) =>
          patients.register({ ...person, name: encodeMarkup(name), lastName: encodeMarkup(lastName) }, call),
      }),
    }),
    caughtBy: 'texts.patients.register',
    named: /keeps every text as it was given/,
  },
  ...textFaults,
  {
    name: 'a coverage under the first plan of its carrier',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        create: async (coverage, call) => {
          for (const { id } of await insurance.carriers({}, call)) {
            const plans = await insurance.plans(id, call);
            const [first] = plans.filter(({ active }) => active);
            if (!first || !plans.some((plan) => plan.id === coverage.planId && plan.active)) continue;
            return insurance.create({ ...coverage, planId: first.id }, call);
          }
          return insurance.create(coverage, call);
        },
      }),
    }),
    caughtBy: 'insurance.create.read-back',
    named: /this carrier, plan/,
  },
  ...droppedEmails,
  {
    name: 'a capability that is claimed and not there',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: async () => {
          throw new Failure('unsupported', 'not yet');
        },
      }),
    }),
    caughtBy: 'document.PUT /patients/{id}.answers',
    named: /if patients\.update is offered, accepts/,
  },
  {
    name: 'an empty list for an unknown patient',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: async (id, filter, call) => {
          try {
            return await tickets.list(id, filter, call);
          } catch {
            return [];
          }
        },
      }),
    }),
    caughtBy: 'document.GET /patients/{id}/ticket/.unknown',
    named: /answers 404/,
  },
  {
    name: 'an unknown patient as a fault of the request',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        get: async (id, call) => {
          try {
            return await patients.get(id, call);
          } catch {
            throw new Failure('invalid', 'there is no such patient', { at: 'id' });
          }
        },
      }),
    }),
    caughtBy: 'document.GET /patients/{id}.unknown',
    named: /answers 404/,
  },
  {
    name: 'a registration that changes who is registered already',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: async (person, call) => {
          const { id } = await patients.register(person, call);
          await patients.update(id, person, call);
          return patients.get(id, call);
        },
      }),
    }),
    caughtBy: 'patients.register.twice',
    named: /register returns an existing patient unchanged/,
  },
  {
    name: 'an update that empties what is not given',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: (id, changes, call) => patients.update(id, { phone: '', email: '', ...changes }, call),
      }),
    }),
    caughtBy: 'patients.update.others-stay',
    named: /keeps the fields that are not given/,
  },
  {
    name: 'an update that is made in part where it is refused',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: async (id, { identifier, ...changes }, call) => {
          await patients.update(id, changes, call);
          if (identifier) await patients.update(id, { identifier }, call);
        },
      }),
    }),
    caughtBy: 'patients.update.conflict',
    named: /another patient holds, and changes nothing/,
  },
  {
    name: 'a coverage for which blanks tell credentials apart',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        create: (coverage, call) => {
          const credentialNumber = coverage.credentialNumber.replaceAll(' ', '_');
          return insurance.create({ ...coverage, credentialNumber }, call);
        },
      }),
    }),
    caughtBy: 'insurance.create.exists',
    named: /already has, in any spelling/,
  },
  {
    name: 'a deadline that a read takes no notice of',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        get: (id, call) => patients.get(id, { ...call, signal: new AbortController().signal }),
      }),
    }),
    caughtBy: 'ports.patients.get.aborted',
    named: /fails with timeout after the deadline, even after an earlier successful call/,
  },
  {
    name: 'a deadline after which a booking is made all the same',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        book: async (id, booking, call) => {
          const booked = await appointments.book(id, booking, { ...call, signal: new AbortController().signal });
          if (call.signal.aborted) throw new Failure('timeout', 'the deadline has passed');
          return booked;
        },
      }),
    }),
    caughtBy: 'ports.appointments.book.aborted',
    named: /deadline, and changes nothing/,
  },
  {
    name: 'a patient from a store that callers can write to',
    plant: ({ patients }) => {
      const store = new Map<string, Patient>();
      return {
        patients: replace(patients, {
          get: async (id, call) => {
            const patient = store.get(id) ?? structuredClone(await patients.get(id, call));
            store.set(id, patient);
            return patient;
          },
        }),
      };
    },
    caughtBy: 'ports.patients.get.returned',
    named: /a caller’s changes of the returned value have no effect/,
  },
  {
    name: 'an id that is looked up as the property of an object',
    plant: ({ practitioners }) => ({
      practitioners: replace(practitioners, {
        mainOf: async (id, call) => {
          if (id in {}) throw new TypeError('mainOf is not what it should be');
          return practitioners.mainOf(id, call);
        },
      }),
    }),
    caughtBy: 'ports.practitioners.mainOf.odd-ids',
    named: /ids that cannot exist/,
  },
  {
    name: 'a new credential number that takes another plan along',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        edit: (id, changes, call) => insurance.edit(id, { planId: sandbox.plans.accepted, ...changes }, call),
      }),
    }),
    caughtBy: 'insurance.edit.read-back',
    named: /edit changes the given fields and keeps the others/,
  },
  {
    name: 'a credential number that is read as a number',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        create: (coverage, call) => {
          const { credentialNumber: given } = coverage;
          const credentialNumber = /^\d+$/.test(given) ? String(Number(given)) : given;
          return insurance.create({ ...coverage, credentialNumber }, call);
        },
      }),
    }),
    caughtBy: 'insurance.create.read-back',
    named: /create adds an active coverage with this carrier, plan and credential/,
  },
];
