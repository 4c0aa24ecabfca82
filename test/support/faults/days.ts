import type { Call } from '../../../src/ports/index.ts';
import { changeSlots } from '../change-slots.ts';
import { type PortFault, replace } from './port-fault.ts';

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

/** Faults of an adapter that reckons days and hours in another zone than the institution’s. */
export const dayFaults: readonly PortFault[] = [
  wrongZoneInCancelable,
  {
    name: 'a cancelable that cancel does not agree with',
    plant: wrongZoneInCancelable.plant,
    caughtBy: 'ports.cancelable.agrees',
    named: /cancelable can be canceled/,
  },
  ...wrongToday,
];
