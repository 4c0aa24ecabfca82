import { sandbox } from '../../../src/contract/index.ts';
import { type Call, type Day, type LocalDateTime, type Slot, takePage } from '../../../src/ports/index.ts';
import { addDays, Zone } from '../../../src/toolkit/zone.ts';
import { changeSlots } from '../change-slots.ts';
import { type PortFault, type Ports, replace } from './port-fault.ts';

const hours = 3_600_000;

const wrongZoneInCancelable: PortFault = {
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

const wrongToday: readonly PortFault[] = [
  {
    name: 'a wrong zone in "today" of a birth date',
    plant: ({ patients }) => ({
      patients: replace(patients, { register: (person, call) => patients.register(person, inUtc(call)) }),
    }),
    caughtBy: 'ports.midnight.birth',
    named: /today .* zone/,
  },
  {
    name: 'the machine’s clock in "today" of a birth date',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        register: (person, call) => patients.register(person, { ...call, now: new Date().toISOString() }),
      }),
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
        slots: changeSlots(appointments, async (here, query, call) => {
          const { items: there } = await appointments.slots(query, inUtc(call));
          return [...here, ...there.filter(({ start }) => start > (here.at(-1)?.start ?? ''))];
        }),
      }),
    }),
    caughtBy: 'ports.midnight.slots',
    named: /a day are offered until midnight of the institution/,
  },
  {
    name: '`from` in UTC',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: async (id, { from = '', ...filter }, call) =>
          (await tickets.list(id, filter, call)).filter(({ createdAt }) => createdAt.slice(0, 10) >= from),
      }),
    }),
    caughtBy: 'ports.midnight.tickets',
    named: /day in the institution’s zone/,
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
    named: /day in the institution’s zone/,
  },
];

/** Slots within a horizon that ends so many days later. */
const moveHorizon =
  (days: number): PortFault['plant'] =>
  ({ appointments }) => ({
    appointments: replace(appointments, {
      slots: changeSlots(appointments, async (free, query, call) => {
        const last = addDays(new Zone(sandbox.timeZone).toLocalDay(call.now), sandbox.bookingHorizonDays + 1);
        if (days < 0) return free.filter(({ start }) => start < addDays(last, days));
        if (query.patientId !== undefined) return free;
        const later = new Date(Date.parse(call.now) + days * 24 * hours).toISOString();
        const { items } = await appointments.slots(query, { ...call, now: later });
        return [...free, ...items.filter(({ start }) => start >= last)];
      }),
    }),
  });

/** It stamps tickets by its own clock, as many do, and takes the days of a filter in UTC. */
const ticketsInUtc: PortFault = {
  name: 'days of a filter of tickets in UTC, in a system with a clock of its own',
  plant: ({ tickets }) => ({
    tickets: replace(tickets, {
      open: (id, type, ticket, call) => tickets.open(id, type, ticket, { ...call, now: new Date().toISOString() }),
      list: async (id, { from = '', to = '~', ...filter }, call) =>
        (await tickets.list(id, filter, call)).filter(({ createdAt }) => {
          const day = createdAt.slice(0, 10);
          return from <= day && day <= to;
        }),
    }),
  }),
  caughtBy: 'tickets.list.night',
  named: /filters by days of the institution’s zone, even if/,
};

/** Faults of an adapter that reckons days and hours in another zone than the institution’s, or one too many. */
/** In this zone, most appointments of a day have an earlier day in UTC. */
const timeZone = 'Pacific/Auckland';

const toDayInUtc = (start: LocalDateTime): Day => new Zone(timeZone).toInstant(start, 'start').slice(0, 10);

/** Filters of appointments and slots by days in UTC. */
const startsInUtc: readonly PortFault[] = [
  ...['filters.appointments.list', 'ports.midnight.appointments'].map((caughtBy) => ({
    name: `the first day of a list of appointments in UTC, for ${caughtBy}`,
    timeZone,
    plant: ({ appointments }: Ports) => ({
      appointments: replace(appointments, {
        list: async (id, { from = '', page, ...query }, call) => {
          const { items } = await appointments.list(id, query, call);
          const later = items.filter(({ start }) => toDayInUtc(start) >= from);
          return takePage(later, page);
        },
      }),
    }),
    caughtBy,
    named: /dateFrom and appointmentStatus narrow|listed from its day in the institution’s zone/,
  })),
  {
    name: 'the days of a search for slots in UTC',
    timeZone,
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ from = '', to = '~', ...query }, call) => {
          const isBetween = ({ start }: Slot) => from <= toDayInUtc(start) && toDayInUtc(start) <= to;
          return changeSlots(appointments, (free) => free.filter(isBetween))(query, call);
        },
      }),
    }),
    caughtBy: 'filters.appointments.slots',
    named: /days, both inclusive/,
  },
];

export const dayFaults: readonly PortFault[] = [
  ...startsInUtc,
  ticketsInUtc,
  {
    name: 'a horizon of a day less',
    plant: moveHorizon(-1),
    caughtBy: 'ports.midnight.horizon',
    named: /last day of the horizon is offered/,
  },
  {
    name: 'a horizon of a day more',
    plant: moveHorizon(1),
    caughtBy: 'ports.midnight.horizon',
    named: /the day after is not/,
  },
  {
    name: 'frequent services of twelve months',
    plant: ({ 'care-services': services }) => ({
      'care-services': replace(services, {
        frequent: (who, call) =>
          services.frequent(who, { ...call, now: new Date(Date.parse(call.now) + 365 * 24 * hours).toISOString() }),
      }),
    }),
    caughtBy: 'ports.clock.frequent-months',
    named: /24 months/,
  },
  wrongZoneInCancelable,
  {
    name: 'a cancelable that cancel does not agree with',
    plant: wrongZoneInCancelable.plant,
    caughtBy: 'ports.cancelable.agrees',
    named: /cancelable can be canceled/,
  },
  ...wrongToday,
];
