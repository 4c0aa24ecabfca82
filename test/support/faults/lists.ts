import { sandbox } from '../../../src/contract/index.ts';
import type { ChangeRequest } from '../../../src/ports/index.ts';
import { addDays, Zone } from '../../../src/toolkit/zone.ts';
import { changeSlots } from '../change-slots.ts';
import { type PortFault, replace } from './port-fault.ts';

/** Lists that show what is another patient’s: of somebody for whom something was written before. */
const leaks: readonly PortFault[] = [
  {
    name: 'a list of appointments from a day on that forgets whose they are',
    plant: ({ appointments }) => {
      const patients = new Set<string>();
      return {
        appointments: replace(appointments, {
          book: (id, booking, call) => {
            patients.add(id);
            return appointments.book(id, booking, call);
          },
          list: async (id, query, call) => {
            if (query.from === undefined) return appointments.list(id, query, call);
            const pages = await Promise.all(
              [...new Set([id, ...patients])].map((each) => appointments.list(each, query, call)),
            );
            const items = pages.flatMap((page) => page.items);
            return { items, total: items.length };
          },
        }),
      };
    },
    caughtBy: 'appointments.list.own',
    named: /no list of appointments contains one of another patient, with any filter/,
  },
  {
    name: 'a list of tickets of a type that forgets whose they are',
    plant: ({ tickets }) => {
      const patients = new Set<string>();
      return {
        tickets: replace(tickets, {
          open: (id, type, ticket, call) => {
            patients.add(id);
            return tickets.open(id, type, ticket, call);
          },
          list: async (id, filter, call) => {
            if (filter.ticketTypeId === undefined) return tickets.list(id, filter, call);
            return (
              await Promise.all([...new Set([id, ...patients])].map((each) => tickets.list(each, filter, call)))
            ).flat();
          },
        }),
      };
    },
    caughtBy: 'tickets.list.own',
    named: /no list of tickets contains one of another patient, with any filter/,
  },
  {
    name: 'a list of coverages that leaks those of another patient',
    plant: ({ insurance }) => {
      const patients = new Set<string>();
      return {
        insurance: replace(insurance, {
          create: (coverage, call) => {
            patients.add(coverage.beneficiaryId);
            return insurance.create(coverage, call);
          },
          coverages: async (id, call) =>
            (await Promise.all([...new Set([id, ...patients])].map((each) => insurance.coverages(each, call)))).flat(),
        }),
      };
    },
    caughtBy: 'insurance.coverages.own',
    named: /no list of health insurances contains one of another patient/,
  },
  {
    name: 'a family group that leaks a member of another patient’s',
    plant: ({ 'family-groups': groups }) => {
      const patients = new Set<string>();
      return {
        'family-groups': replace(groups, {
          add: (id, member, call) => {
            patients.add(id);
            return groups.add(id, member, call);
          },
          list: async (id, call) =>
            (await Promise.all([...new Set([id, ...patients])].map((each) => groups.list(each, call)))).flat(),
        }),
      };
    },
    caughtBy: 'family-groups.list.own',
    named: /no family group contains a member of another patient’s group/,
  },
  {
    name: 'a request for a change that is shown to another patient',
    plant: ({ practitioners }) => {
      const made: ChangeRequest[] = [];
      return {
        practitioners: replace(practitioners, {
          requestChange: async (id, request, call) => {
            const answer = await practitioners.requestChange(id, request, call);
            made.push(await practitioners.changeRequestOf(id, call));
            return answer;
          },
          changeRequestOf: async (id, call) => made.at(-1) ?? practitioners.changeRequestOf(id, call),
        }),
      };
    },
    caughtBy: 'practitioners.change.own',
    named: /a change request of another patient is not returned/,
  },
];

/** Faults of what lists hold, in what order, and on what pages. */
/** The hours of a search, compared with the other end of a slot. */
const hourFaults: readonly PortFault[] = [
  {
    name: 'hourTo compared with the start of a slot',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ hourTo, ...query }, call) =>
          changeSlots(appointments, (free) => free.filter(({ start }) => start.slice(11, 16) < (hourTo ?? '~')))(
            query,
            call,
          ),
      }),
    }),
    caughtBy: 'filters.appointments.slots',
    named: /hours narrow the slots/,
  },
  {
    name: 'hourFrom compared with the hour alone',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ hourFrom, ...query }, call) =>
          appointments.slots({ ...query, ...(hourFrom && { hourFrom: `${hourFrom.slice(0, 2)}:00` }) }, call),
      }),
    }),
    caughtBy: 'filters.appointments.slots',
    named: /hours narrow the slots/,
  },
];

const statusFaults: readonly PortFault[] = [
  {
    name: 'a status of tickets that is not escaped in a query',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: (id, { status, ...filter }, call) => {
          const asked = new URL(`http://system/?status=${status ?? ''}`).searchParams.get('status');
          return tickets.list(id, { ...filter, ...(asked && { status: asked }) }, call);
        },
      }),
    }),
    caughtBy: 'filters.tickets.list',
    named: /type, status and days narrow the tickets/,
  },
];

export const listFaults: readonly PortFault[] = [
  ...hourFaults,
  ...statusFaults,
  ...leaks,
  {
    name: 'a status that is ignored in a list of appointments from a day on',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: (id, { status, ...query }, call) =>
          appointments.list(id, { ...query, ...(status && !query.from && { status }) }, call),
      }),
    }),
    caughtBy: 'filters.appointments.list',
    named: /each alone and together/,
  },
  {
    name: 'a type that is ignored in a list of tickets from a day on',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: (id, { ticketTypeId, ...filter }, call) =>
          tickets.list(id, { ...filter, ...(ticketTypeId && !filter.from && { ticketTypeId }) }, call),
      }),
    }),
    caughtBy: 'filters.tickets.list',
    named: /each alone and several together/,
  },
  {
    name: 'one slot of the past among the free ones',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: changeSlots(appointments, (free, _query, { now }) => {
          const day = new Date(Date.parse(now) - 48 * 3_600_000).toISOString().slice(0, 10);
          return [...free.slice(0, 1).map((slot) => ({ ...slot, start: `${day}T10:00:00` })), ...free];
        }),
      }),
    }),
    caughtBy: 'slots.future',
    named: /are in the future/,
  },
  {
    name: 'one slot on the day after the horizon',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: changeSlots(appointments, (free, _query, { now }) => {
          const day = addDays(new Zone(sandbox.timeZone).toLocalDay(now), sandbox.bookingHorizonDays + 1);
          return [...free, ...free.slice(-1).map((slot) => ({ ...slot, start: `${day}T10:00:00` }))];
        }),
      }),
    }),
    caughtBy: 'slots.future',
    named: /within the horizon/,
  },
  {
    name: 'pages of slots of which each begins a day',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: async ({ page, ...query }, call) => {
          const whole = await appointments.slots(query, call);
          if (!page) return whole;
          const days = [...new Set(whole.items.map(({ start }) => start.slice(0, 10)))];
          const items = whole.items.filter(({ start }) => start.startsWith(days[page.page] ?? 'none'));
          return { items: items.slice(0, page.limit), total: whole.total };
        },
      }),
    }),
    caughtBy: 'ports.pages.slots',
    named: /each page is a part of the whole list/,
  },
  {
    name: 'pages of appointments that begin at the end alone',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, { page, ...query }, call) => {
          if (query.order !== 'descending' || !page)
            return appointments.list(id, { ...query, ...(page && { page }) }, call);
          const { items, total } = await appointments.list(id, query, call);
          return { items: items.toReversed().slice(page.page * page.limit, (page.page + 1) * page.limit), total };
        },
      }),
    }),
    caughtBy: 'ports.pages.appointments',
    named: /part of the whole list in its order/,
  },
  {
    name: 'a page of appointments that is sorted alone',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const { items, total } = await appointments.list(id, { ...query, order: 'ascending' }, call);
          return { items: query.order === 'ascending' ? items : items.toReversed(), total };
        },
      }),
    }),
    caughtBy: 'ports.pages.appointments',
    named: /part of the whole list in its order/,
  },
  {
    name: 'pages of appointments that count from 1',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: (id, { page, ...query }, call) =>
          appointments.list(
            id,
            { ...query, ...(page && { page: { ...page, page: Math.max(0, page.page - 1) } }) },
            call,
          ),
      }),
    }),
    caughtBy: 'appointments.b.pages',
    named: /count from 0/,
  },
  {
    name: 'a total that is of the page alone',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: async (id, query, call) => {
          const { items } = await appointments.list(id, query, call);
          return { items, total: items.length };
        },
      }),
    }),
    caughtBy: 'appointments.b.pages',
    named: /have the total/,
  },
  {
    name: 'appointments that are always sorted upwards',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        list: (id, query, call) => appointments.list(id, { ...query, order: 'ascending' }, call),
      }),
    }),
    caughtBy: 'appointments.b.order',
    named: /unless the request has DESC/,
  },
  {
    name: 'frequent services by name',
    plant: ({ 'care-services': services }) => ({
      'care-services': replace(services, {
        frequent: async (who, call) =>
          (await services.frequent(who, call)).toSorted((a, b) => a.name.localeCompare(b.name, sandbox.locale)),
      }),
    }),
    caughtBy: 'care-services.frequent.equal',
    named: /with more bookings comes first/,
  },
  {
    name: 'slots of a service whose id differs in the case of a letter',
    plant: ({ appointments }) => ({
      appointments: replace(appointments, {
        slots: ({ serviceId, ...query }, call) =>
          appointments.slots({ ...query, serviceId: serviceId.toLowerCase() }, call),
      }),
    }),
    caughtBy: 'slots.unknown-things',
    named: /even if only the case of a letter differs/,
  },
  {
    name: 'the oldest ticket first',
    plant: ({ tickets }) => ({
      tickets: replace(tickets, {
        list: async (id, filter, call) => (await tickets.list(id, filter, call)).toReversed(),
      }),
    }),
    caughtBy: 'tickets.list.order',
    named: /newest ticket first/,
  },
  {
    name: 'a search that looks at the identifier alone',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        search: ({ identifier, ...others }, call) =>
          patients.search(identifier === undefined ? others : { identifier }, call),
      }),
    }),
    caughtBy: 'patients.search.all-criteria',
    named: /no patient if one of several criteria differs/,
  },
  {
    name: 'a list of services with those that are no longer offered',
    plant: ({ 'care-services': services }) => ({
      'care-services': replace(services, {
        available: async (who, call) => {
          const found = await services.available(who, call);
          return [...found, ...found.slice(0, 1).map((each) => ({ ...each, id: 'densitometria' }))];
        },
      }),
    }),
    caughtBy: 'care-services.available.inactive',
    named: /no longer offered is in no list/,
  },
];
