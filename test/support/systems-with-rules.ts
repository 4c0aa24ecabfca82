import { type FixtureName, type Rule, sandbox } from '../../src/contract/index.ts';
import {
  type Booking,
  Failure,
  type Offer,
  type PatientRegistration,
  type Slot,
  takePage,
} from '../../src/ports/index.ts';
import { type Ports, replace } from './faults/port-fault.ts';
import { callNow } from './fhir-calls.ts';

/** A system that has a rule of its own, as its adapter tells it. */
export interface SystemWithRules {
  readonly name: string;
  readonly rules?: readonly Rule[];
  /** What its author cannot name. */
  readonly lacks?: readonly FixtureName[];
  readonly change: (ports: Ports) => Offer;
}

type Person = Partial<PatientRegistration>;

/** What is refused of a person, with the sentence that says so. */
const refusePerson =
  (isRefused: (person: Person) => boolean, sentence: string) =>
  ({ patients, ...ports }: Ports): Offer => {
    const check = (person: Person) => {
      if (isRefused(person)) throw new Failure('unsupported', sentence);
    };
    return {
      ...ports,
      patients: replace(patients, {
        register: async (person, call) => {
          check(person);
          return patients.register(person, call);
        },
        update: async (id, changes, call) => {
          await patients.get(id, call);
          check(changes);
          return patients.update(id, changes, call);
        },
      }),
    };
  };

/** What the system makes of a person that it keeps. */
const keepPerson =
  (keep: <P extends Person>(person: P) => P) =>
  ({ patients, ...ports }: Ports): Offer => ({
    ...ports,
    patients: replace(patients, {
      register: (person, call) => patients.register(keep(person), call),
      update: (id, changes, call) => patients.update(id, keep(changes), call),
    }),
  });

const refuseBooking =
  (
    failure: (booking: Booking, patientId: string, ports: Ports) => Failure | undefined | Promise<Failure | undefined>,
  ) =>
  (ports: Ports): Offer => ({
    ...ports,
    appointments: replace(ports.appointments, {
      book: async (patientId, booking, call) => {
        // Under a key that is known the sandbox finds what was booked.
        const refusal = call.idempotencyKey === undefined && (await failure(booking, patientId, ports));
        if (refusal) throw refusal;
        return ports.appointments.book(patientId, booking, call);
      },
    }),
  });

const unsupported = (isRefused: (booking: Booking) => boolean, sentence: string) =>
  refuseBooking((booking) => (isRefused(booking) ? new Failure('unsupported', sentence) : undefined));

const toUpper = <P extends Person>(person: P): P => ({
  ...person,
  ...(person.name !== undefined && { name: person.name.toUpperCase() }),
  ...(person.lastName !== undefined && { lastName: person.lastName.toUpperCase() }),
  ...(person.address && {
    address: Object.fromEntries(Object.entries(person.address).map(([part, value]) => [part, value.toUpperCase()])),
  }),
});

const toTitleCase = <P extends Person>(person: P): P => {
  const change = (text: string) => text.toLowerCase().replaceAll(/(^|\s)\S/g, (letter) => letter.toUpperCase());
  return {
    ...person,
    ...(person.name !== undefined && { name: change(person.name) }),
    ...(person.lastName !== undefined && { lastName: change(person.lastName) }),
  };
};

const without = (ports: Ports, name: keyof Ports, methods: readonly string[]): Offer => ({
  ...ports,
  [name]: new Proxy(ports[name], {
    get: (port, key) => (methods.includes(String(key)) ? undefined : Reflect.get(port, key)),
  }),
});

const listActive = async ({ appointments }: Ports, patientId: string) =>
  (await appointments.list(patientId, { order: 'ascending', status: 'active' }, callNow())).items;

const countDays = (one: string, other: string): number => Math.abs(Date.parse(one) - Date.parse(other)) / 86_400_000;

/** The same lists, of what fits. */
const narrowSlots =
  (fits: (slot: Slot) => boolean) =>
  ({ appointments, ...ports }: Ports): Offer => ({
    ...ports,
    appointments: replace(appointments, {
      slots: async ({ page, ...query }, call) =>
        takePage((await appointments.slots(query, call)).items.filter(fits), page),
    }),
  });

/** Twenty of them. */
/** Lists are by the second, and what was filed in one second is in no order. */
function stampWholeSeconds(tickets: Ports['tickets']): Ports['tickets'] {
  const cut = <T extends { readonly createdAt: string; readonly updatedAt: string }>(each: T): T => ({
    ...each,
    createdAt: each.createdAt.replace(/\.\d+/, '.000'),
    updatedAt: each.updatedAt.replace(/\.\d+/, '.000'),
  });
  return replace(tickets, {
    open: async (patientId, typeId, ticket, call) =>
      cut(await tickets.open(patientId, typeId, ticket, { ...call, now: new Date().toISOString() })),
    list: async (...given) =>
      (await tickets.list(...given))
        .map(cut)
        .toReversed()
        .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : one.createdAt === other.createdAt ? 0 : -1)),
  });
}

/** A registered patient is not active yet, and cannot book. */
function verifyLater(ports: Ports): Offer {
  const { patients, appointments, insurance, practitioners } = ports;
  const registered = new Set<string>();
  const toShown = <P extends { readonly id: string }>(patient: P): P =>
    registered.has(patient.id) ? { ...patient, active: false } : patient;
  const check = (id: string, at: string) => {
    if (registered.has(id)) throw new Failure('invalid', 'the record of this patient is closed', { at });
  };
  return {
    ...ports,
    patients: replace(patients, {
      register: async (person, call) => {
        const patient = await patients.register(person, call);
        registered.add(patient.id);
        return toShown(patient);
      },
      search: async (...given) => (await patients.search(...given)).map(toShown),
      get: async (...given) => toShown(await patients.get(...given)),
    }),
    appointments: replace(appointments, {
      book: async (id, booking, call) => {
        check(id, 'patientId');
        return appointments.book(id, booking, call);
      },
    }),
    insurance: replace(insurance, {
      create: async (coverage, call) => {
        check(coverage.beneficiaryId, 'beneficiaryId');
        return insurance.create(coverage, call);
      },
    }),
    practitioners: replace(practitioners, {
      requestChange: async (id, request, call) => {
        check(id, 'patientId');
        return practitioners.requestChange(id, request, call);
      },
    }),
  };
}

export const systemsWithRules: readonly SystemWithRules[] = [
  { name: 'that keeps no e-mail', change: refusePerson(({ email }) => Boolean(email), 'the system keeps no e-mail') },
  {
    name: 'that keeps no address',
    change: refusePerson(({ address = {} }) => Object.keys(address).length > 0, 'the system keeps no address'),
  },
  {
    name: 'in which nobody’s document ever changes',
    change: ({ patients, ...ports }) => ({
      ...ports,
      patients: replace(patients, {
        update: async (id, changes, call) => {
          await patients.get(id, call);
          if (changes.identifier) throw new Failure('unsupported', 'a document is never changed here');
          return patients.update(id, changes, call);
        },
      }),
    }),
  },
  {
    name: 'that knows people by their DNI alone',
    lacks: ['passport', 'patients.passportHolder'],
    change: refusePerson(
      ({ identifier }) => identifier !== undefined && identifier.type !== 'DNI',
      'people are known by their DNI here',
    ),
  },
  {
    name: 'in which a booking takes one slot',
    change: unsupported(({ minutes = 0 }) => minutes > 30, 'a booking takes one slot here'),
  },
  {
    name: 'in which an appointment has one practitioner',
    change: unsupported(
      ({ practitionerIds }) => practitionerIds.length > 1,
      'an appointment has one practitioner here',
    ),
  },
  {
    name: 'that keeps neither copay nor authorisation',
    change: unsupported(
      ({ copay, authorization }) => copay !== undefined || authorization !== undefined,
      'the system keeps no copay',
    ),
  },
  {
    name: 'in which patients pay themselves',
    change: unsupported(({ coverageId }) => coverageId !== undefined, 'patients pay themselves here'),
  },
  { name: 'in upper case', rules: ['spelling'], change: keepPerson(toUpper) },
  {
    name: 'in ISO-8859-1',
    rules: ['iso-8859-1'],
    change: keepPerson((person) => JSON.parse(JSON.stringify(person).replaceAll('’', '?'))),
  },
  {
    name: 'whose telephones are digits alone',
    rules: ['digits-only-phones'],
    change: keepPerson(
      ({ phone, ...person }) =>
        ({
          ...(person as typeof person & Person),
          ...(phone !== undefined && { phone: phone.replaceAll(/\D/g, '') }),
        }) as never,
    ),
  },
  {
    name: 'that registers nobody without a telephone',
    rules: ['phone-required'],
    change: ({ patients, ...ports }) => ({
      ...ports,
      patients: replace(patients, {
        register: async (person, call) => {
          if (!person.phone) throw new Failure('invalid', 'a telephone is needed', { at: 'phone' });
          return patients.register(person, call);
        },
        update: async (id, changes, call) => {
          await patients.get(id, call);
          if (changes.phone === '') throw new Failure('invalid', 'a telephone is needed', { at: 'phone' });
          return patients.update(id, changes, call);
        },
      }),
    }),
  },
  {
    name: 'in which a patient has no two appointments at one time',
    rules: ['one-appointment-at-a-time'],
    change: refuseBooking(async ({ start }, patientId, ports) =>
      (await listActive(ports, patientId)).some((each) => each.start === start)
        ? new Failure('conflict', 'the patient has an appointment then')
        : undefined,
    ),
  },
  {
    name: 'in which days lie between two appointments of a patient',
    rules: ['days-between-bookings'],
    change: refuseBooking(async ({ start }, patientId, ports) =>
      (await listActive(ports, patientId)).some((each) => countDays(each.start, start) < 15)
        ? new Failure('conflict', 'the patient has an appointment in those days')
        : undefined,
    ),
  },
  {
    name: 'in which nothing is booked for the coming three days',
    change: narrowSlots(({ start }) => Date.parse(`${start}Z`) > Date.now() + 3 * 86_400_000),
  },
  {
    name: 'in which nothing is booked for the coming ten days',
    change: narrowSlots(({ start }) => Date.parse(`${start}Z`) > Date.now() + 10 * 86_400_000),
  },
  {
    name: 'in which a patient has one coverage',
    rules: ['one-coverage'],
    change: ({ insurance, ...ports }) => ({
      ...ports,
      insurance: replace(insurance, {
        create: async (coverage, call) => {
          const { beneficiaryId, credentialNumber } = coverage;
          const held = await insurance.coverages(beneficiaryId, call);
          const isOther =
            call.idempotencyKey === undefined &&
            held.some(
              (each) =>
                each.active && each.credentialNumber.replaceAll(' ', '') !== credentialNumber.replaceAll(' ', ''),
            );
          if (isOther) throw new Failure('conflict', 'the patient has a coverage');
          return insurance.create(coverage, call);
        },
      }),
    }),
  },
  {
    name: 'in which patients cancel nothing',
    rules: ['no-canceling'],
    change: (ports) => {
      const { appointments } = ports;
      const list: typeof appointments.list = async (...given) => {
        const { items, total } = await appointments.list(...given);
        return { items: items.map((each) => ({ ...each, cancelable: false })), total };
      };
      return without({ ...ports, appointments: replace(appointments, { list }) }, 'appointments', ['cancel']);
    },
  },
  {
    name: 'of one place',
    lacks: ['locations.another', 'services.restricted', 'services.virtual'],
    change: ({ directory, ...ports }) => ({
      ...narrowSlots(({ locationId }) => locationId === sandbox.locations.first)({ directory, ...ports }),
      directory: replace(directory, {
        locations: async (call) => (await directory.locations(call)).filter(({ id }) => id === sandbox.locations.first),
      }),
    }),
  },
  {
    name: 'with one carrier, and nothing virtual',
    lacks: ['owner', 'services.virtual'],
    change: ({ insurance, ...ports }) => ({
      ...ports,
      insurance: replace(insurance, {
        carriers: async (query, call) =>
          (await insurance.carriers(query, call)).filter(({ id }) => id === sandbox.carriers.withPlans.id),
      }),
    }),
  },
  {
    name: 'in title case',
    rules: ['spelling'],
    change: keepPerson(toTitleCase),
  },
  {
    name: 'whose tickets have the time of its own clock, in whole seconds',
    rules: ['own-clock', 'whole-seconds'],
    change: (ports) => ({ ...ports, tickets: stampWholeSeconds(ports.tickets) }),
  },
  {
    name: 'in which the desk looks at each registration first',
    rules: ['verified-later'],
    change: verifyLater,
  },
  {
    name: 'in which the insured alone file tickets',
    rules: ['tickets-for-insured'],
    change: (ports) => ({
      ...ports,
      tickets: replace(ports.tickets, {
        open: async (patientId, typeId, ticket, call) => {
          await ports.patients.get(patientId, call);
          const coverages = await ports.insurance.coverages(patientId, call);
          if (!coverages.some(({ active }) => active)) throw new Failure('conflict', 'only the insured file tickets');
          return ports.tickets.open(patientId, typeId, ticket, call);
        },
      }),
    }),
  },
];
