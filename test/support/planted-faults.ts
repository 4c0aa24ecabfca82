import { type Call, Failure, type PortName, type PortOf } from '../../src/ports/index.ts';
import { callNow } from './fhir-calls.ts';

type Ports = { readonly [N in PortName]: PortOf<N> };

/** A fault of an adapter, and the case that catches it. */
export interface Fault {
  readonly name: string;
  /** The ports that are at fault. */
  readonly plant: (ports: Ports) => Partial<Ports>;
  readonly caughtBy: string;
  /** How the title of that case names it. */
  readonly named: RegExp;
}

/** The port with some methods in place of its own. */
const replace = <P extends object>(port: P, methods: Partial<P>): P =>
  new Proxy(port, {
    get: (target, key) => {
      const method: unknown = Reflect.get(methods, key) ?? Reflect.get(target, key);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });

const hours = 3_600_000;

const wrongZoneInCancelable: Fault = {
  name: 'a wrong zone in cancelable',
  plant: ({ appointments }) => ({
    appointments: replace(appointments, {
      list: async (id, query, call) => {
        const page = await appointments.list(id, query, call);
        const isEarly = (start: string) => Date.parse(`${start}Z`) - Date.parse(call.now) >= 24 * hours;
        const items = page.items.map((each) => ({
          ...each,
          cancelable: each.status === 'active' && isEarly(each.start),
        }));
        return { ...page, items };
      },
    }),
  }),
  caughtBy: 'ports.cancelable.zone',
  named: /cancelable .* zone/,
};

/** The call, as one takes it who reckons days in UTC where the institution is three hours behind. */
const inUtc = (call: Call): Call => ({ ...call, now: new Date(Date.parse(call.now) + 3 * hours).toISOString() });

const wrongToday: readonly Fault[] = [
  {
    name: 'a wrong zone in "today" of a birth date',
    plant: ({ patients }) => ({
      patients: replace(patients, { register: (person, call) => patients.register(person, inUtc(call)) }),
    }),
    caughtBy: 'ports.midnight.birth',
    named: /today .* zone/,
  },
  {
    name: 'a wrong zone in "today" of an age',
    plant: ({ 'care-services': services }) => ({
      'care-services': replace(services, { available: (who, call) => services.available(who, inUtc(call)) }),
    }),
    caughtBy: 'ports.midnight.birthday',
    named: /midnight of the institution/,
  },
  {
    name: 'a wrong zone in "today" of the horizon',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: async (query, call) => {
          const [here, there] = [await appointments.slots(query, call), await appointments.slots(query, inUtc(call))];
          return [...here, ...there.filter(({ start }) => start > (here.at(-1)?.start ?? ''))];
        },
      }),
    }),
    caughtBy: 'ports.midnight.slots',
    named: /today .* midnight of the institution/,
  },
  {
    name: 'a wrong zone in the days of tickets',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: async (id, { from = '', to = '9999', ...filter }, call) =>
          (await tickets.list(id, filter, call)).filter(({ createdAt }) => {
            const day = createdAt.slice(0, 10);
            return day >= from && day <= to;
          }),
      }),
    }),
    caughtBy: 'ports.midnight.tickets',
    named: /day of the institution’s zone/,
  },
];

/** Whether the patient is of the youngest or the oldest age that the service is for. */
async function isAtLimit(
  { 'care-services': services, patients }: Ports,
  { serviceId, patientId }: { readonly serviceId: string; readonly patientId?: string },
  call: Call,
): Promise<boolean> {
  const patient = patientId === undefined ? undefined : await patients.get(patientId, call).catch(() => undefined);
  if (!patient) return false;
  const { minAge, maxAge } = (await services.available({}, call)).find(({ id }) => id === serviceId) ?? {};
  const today = new Date(Date.parse(call.now) - 3 * hours).toISOString();
  const years = Number(today.slice(0, 4)) - Number(patient.birthDate.slice(0, 4));
  const age = today.slice(5, 10) < patient.birthDate.slice(5) ? years - 1 : years;
  return age === minAge || age === maxAge;
}

const ageOffByOne: readonly Fault[] = [
  {
    name: 'an age limit off by one in the list of services',
    plant: (ports) => ({
      'care-services': replace(ports['care-services'], {
        available: async (who, call) => {
          const found = await ports['care-services'].available(who, call);
          const outside = await Promise.all(found.map(({ id }) => isAtLimit(ports, { ...who, serviceId: id }, call)));
          return found.filter((_, index) => !outside[index]);
        },
      }),
    }),
    caughtBy: 'ports.midnight.birthday',
    named: /age limit/,
  },
  {
    name: 'an age limit off by one in slots',
    plant: (ports) => ({
      appointments: replace(ports.appointments, {
        slots: async (query, call) =>
          (await isAtLimit(ports, query, call)) ? [] : ports.appointments.slots(query, call),
      }),
    }),
    caughtBy: 'ports.age-limits.slots',
    named: /age limit/,
  },
  {
    name: 'an age limit off by one in a booking',
    plant: (ports) => ({
      appointments: replace(ports.appointments, {
        book: async (patientId, booking, call) => {
          const { serviceId } = booking;
          if (!(await isAtLimit(ports, { serviceId, patientId }, call))) {
            return ports.appointments.book(patientId, booking, call);
          }
          throw new Failure('invalid', 'the patient is too young or too old', { at: 'serviceId' });
        },
      }),
    }),
    caughtBy: 'ports.age-limits.book',
    named: /age limit/,
  },
];

/** The method, whose failures tell the name of the patient whom it is called for. */
const tellName =
  <A extends readonly unknown[], R>({ patients }: Ports, method: (id: string, ...rest: A) => Promise<R>) =>
  async (id: string, ...rest: A): Promise<R> => {
    try {
      return await method(id, ...rest);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { lastName } = await patients.get(id, callNow());
      const { kind, code, at } = error;
      throw new Failure(kind, `${error.message}: ${lastName}`, { ...(code && { code }), ...(at && { at }) });
    }
  };

const nameInFailure: readonly Fault[] = Object.entries<(ports: Ports) => Partial<Ports>>({
  'patients.update': (ports) => ({
    patients: replace(ports.patients, {
      update: tellName(ports, (id, changes, call) => ports.patients.update(id, changes, call)),
    }),
  }),
  'tickets.open': (ports) => ({
    tickets: replace(ports.tickets, {
      open: tellName(ports, (id, type, ticket, call) => ports.tickets.open(id, type, ticket, call)),
    }),
  }),
  'appointments.book': (ports) => ({
    appointments: replace(ports.appointments, {
      book: tellName(ports, (id, booking, call) => ports.appointments.book(id, booking, call)),
    }),
  }),
  'appointments.cancel': (ports) => ({
    appointments: replace(ports.appointments, {
      cancel: tellName(ports, (id, appointment, call) => ports.appointments.cancel(id, appointment, call)),
    }),
  }),
  'practitioners.requestChange': (ports) => ({
    practitioners: replace(ports.practitioners, {
      requestChange: tellName(ports, (id, request, call) => ports.practitioners.requestChange(id, request, call)),
    }),
  }),
  'family-groups.remove': (ports) => ({
    'family-groups': replace(ports['family-groups'], {
      remove: tellName(ports, (id, member, call) => ports['family-groups'].remove(id, member, call)),
    }),
  }),
}).map(([capability, plant]) => ({
  name: `a name in a Failure of ${capability}`,
  plant,
  caughtBy: `ports.${capability}.private`,
  named: /a Failure says no name/,
}));

const droppedCopay: readonly Fault[] = [
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
];

const withoutKey = ({ idempotencyKey: _, ...call }: Call): Call => call;

const ignoredKey: readonly Fault[] = [
  {
    name: 'an ignored key of a booking',
    plant: ({ appointments: port }) => ({
      appointments: replace(port, { book: (id, booking, call) => port.book(id, booking, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.book',
    named: /Idempotency-Key/,
  },
  {
    name: 'an ignored key of a ticket',
    plant: ({ tickets: port }) => ({
      tickets: replace(port, { open: (id, type, ticket, call) => port.open(id, type, ticket, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.ticket',
    named: /Idempotency-Key/,
  },
  {
    name: 'an ignored key of a request for a change',
    plant: ({ practitioners: port }) => ({
      practitioners: replace(port, {
        requestChange: (id, request, call) => port.requestChange(id, request, withoutKey(call)),
      }),
    }),
    caughtBy: 'idempotency.change-request',
    named: /Idempotency-Key/,
  },
  {
    name: 'an ignored key of a coverage',
    plant: ({ insurance: port }) => ({
      insurance: replace(port, { create: (coverage, call) => port.create(coverage, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.coverage',
    named: /Idempotency-Key/,
  },
  {
    name: 'an ignored key of a relative',
    plant: ({ 'family-groups': port }) => ({
      'family-groups': replace(port, { add: (id, member, call) => port.add(id, member, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.relative',
    named: /Idempotency-Key/,
  },
];

/** Faults that an adapter may have without anybody noticing for long. */
export const faults: readonly Fault[] = [
  wrongZoneInCancelable,
  {
    name: 'a cancelable that cancel does not agree with',
    plant: wrongZoneInCancelable.plant,
    caughtBy: 'ports.cancelable.agrees',
    named: /cancelable can be canceled/,
  },
  ...wrongToday,
  ...ageOffByOne,
  ...nameInFailure,
  ...droppedCopay,
  ...ignoredKey,
];
