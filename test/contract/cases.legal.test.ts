import { expect, test } from '@jest/globals';
import { createPromisedFailure } from '../../adapters/common/failures.ts';
import { sandbox } from '../../src/contract/index.ts';
import { type Appointment, type CareService, type DirectoryEntry, Failure } from '../../src/ports/index.ts';
import { addDays, listDaysBetween, Zone } from '../../src/toolkit/zone.ts';
import { replace } from '../support/faults/port-fault.ts';
import { type Change, refuse, tryCase } from '../support/legal-case.ts';

const withAppointments =
  (change: Partial<Appointment>): Change =>
  ({ appointments }) => ({
    appointments: {
      list: async (...given) => {
        const { items, total } = await appointments.list(...given);
        return { items: items.map((each) => ({ ...each, ...change })), total };
      },
    },
  });

const withInactivePatients: Change = ({ patients }) => ({
  patients: {
    search: async (...given) => (await patients.search(...given)).map((patient) => ({ ...patient, active: false })),
  },
});

/** Nobody has more than one telephone or service. */
const withOneOfEach: Change = ({ directory }) => ({
  directory: {
    entries: async (call) =>
      (await directory.entries(call)).map(({ location, providers }) => ({
        location: { ...location, phones: location.phones.slice(0, 1) },
        providers: providers.map(({ phones, services, ...provider }) => ({
          ...provider,
          phones: phones.slice(0, 1),
          services: services.slice(0, 1),
        })),
      })),
  },
});

const withContracts =
  (number: number): Change =>
  ({ insurance }) => {
    const carriers: typeof insurance.carriers = async (query, call) => {
      const found = await insurance.carriers(query, call);
      return query.ownerId === undefined ? found : found.slice(0, number);
    };
    return { insurance: replace(insurance, { carriers }) };
  };

/** Earlier runs of the contract have left more people born on each of some days than a search finds. */
const withFullDays: Change = ({ patients }) => {
  const full = new Set<string>();
  const search: typeof patients.search = async (criteria, call) => {
    const { identifier, birthDate } = criteria;
    const isFull = birthDate !== undefined && identifier === undefined && (full.has(birthDate) || full.size < 5);
    if (!isFull) return patients.search(criteria, call);
    full.add(birthDate);
    throw createPromisedFailure('search_too_wide');
  };
  return { patients: replace(patients, { search }) };
};

/** The system has no place for a copay or an authorisation. */
const withoutPayment: Change = ({ appointments }) => {
  const book: typeof appointments.book = (id, booking, call) => {
    if (booking.copay === undefined && booking.authorization === undefined) return appointments.book(id, booking, call);
    throw new Failure('unsupported', 'the system keeps no copay');
  };
  return { appointments: replace(appointments, { book }) };
};

const withShortObservations: Change = ({ tickets }) => {
  const open: typeof tickets.open = async (id, type, ticket, call) =>
    ticket.observations.length > 500 ? refuse('observations') : tickets.open(id, type, ticket, call);
  return { tickets: replace(tickets, { open }) };
};

const withDigitsInCredentials: Change = ({ insurance }) => {
  const create: typeof insurance.create = async (coverage, call) =>
    /^\d+$/.test(coverage.credentialNumber) ? insurance.create(coverage, call) : refuse('credentialNumber');
  return { insurance: replace(insurance, { create }) };
};

/** The system knows the relations that the relatives of its patient have, and no other. */
const withTableOfRelations: Change = ({ 'family-groups': groups }) => {
  const add: typeof groups.add = async (id, member, call) => {
    const known = await groups.list(sandbox.patients.complete, call);
    const isKnown = known.some(({ relationshipCode }) => relationshipCode === member.relationshipCode);
    return isKnown ? groups.add(id, member, call) : refuse('relationshipCode');
  };
  return { 'family-groups': replace(groups, { add }) };
};

/** Whoever registers pays, until an insurer does. */
const withCoverageOfEverybody: Change = ({ patients, insurance }) => {
  const register: typeof patients.register = async (person, call) => {
    const patient = await patients.register(person, call);
    const coverage = { beneficiaryId: patient.id, planId: sandbox.plans.refused, credentialNumber: `P${patient.id}` };
    const known = await insurance.coverages(patient.id, call);
    if (known.length === 0) await insurance.create(coverage, call);
    return patient;
  };
  return { patients: replace(patients, { register }) };
};

const withEmailOfEverybody: Change = ({ patients }) => {
  const register: typeof patients.register = async (person, call) =>
    person.email ? patients.register(person, call) : refuse('email');
  return { patients: replace(patients, { register }) };
};

/** Nobody has the same e-mail address or telephone as another patient. */
const withContactsOfOnePatient: Change = ({ patients }) => {
  const known = new Set<string>();
  const register: typeof patients.register = async (person, call) => {
    const { phone = '', email = '' } = person;
    if (phone !== '' && known.has(phone)) return refuse('phone');
    if (email !== '' && known.has(email)) return refuse('email');
    known.add(phone).add(email);
    return patients.register(person, call);
  };
  return { patients: replace(patients, { register }) };
};

const withTwoSexes: Change = ({ patients }) => {
  const register: typeof patients.register = async (person, call) =>
    person.gender === 'Other' ? refuse('gender') : patients.register(person, call);
  return { patients: replace(patients, { register }) };
};

const withNamesOfEverybody: Change = ({ patients }) => {
  const register: typeof patients.register = async (person, call) =>
    person.name && person.lastName ? patients.register(person, call) : refuse('name');
  const update: typeof patients.update = async (id, changes, call) =>
    changes.name === '' ? refuse('name') : patients.update(id, changes, call);
  return { patients: replace(patients, { register, update }) };
};

/** A ticket needs observations, and every field of its type. */
const withWholeTickets: Change = ({ tickets }) => {
  const open: typeof tickets.open = async (id, type, ticket, call) => {
    if (ticket.observations === '') return refuse('observations');
    return ticket.fields.length === 0 ? refuse('fields') : tickets.open(id, type, ticket, call);
  };
  return { tickets: replace(tickets, { open }) };
};

/** The system gives each registered person a practitioner, and a ticket that asks for the papers. */
const withWelcome: Change = ({ patients, practitioners, tickets }) => {
  const registered = new Set<string>();
  const register: typeof patients.register = async (person, call) => {
    const patient = await patients.register(person, call);
    const ticket = { observations: 'Papeles', fields: [] };
    if (!registered.has(patient.id)) await tickets.open(patient.id, sandbox.ticketType.id, ticket, call);
    registered.add(patient.id);
    return patient;
  };
  const mainOf: typeof practitioners.mainOf = async (id, call) =>
    registered.has(id) ? (await practitioners.list(call))[0]! : practitioners.mainOf(id, call);
  return { patients: replace(patients, { register }), practitioners: replace(practitioners, { mainOf }) };
};

const withLettersInNames: Change = ({ patients }) => {
  const isName = (name = '') => /^[\p{L} '’-]*$/u.test(name);
  const register: typeof patients.register = async (person, call) =>
    isName(person.name) ? patients.register(person, call) : refuse('name');
  const update: typeof patients.update = async (id, changes, call) =>
    isName(changes.name) ? patients.update(id, changes, call) : refuse('name');
  return { patients: replace(patients, { register, update }) };
};

/** The system stores no characters beyond the basic multilingual plane, and no long texts. */
const withPlainObservations: Change = ({ tickets }) => {
  const open: typeof tickets.open = async (id, type, ticket, call) =>
    ticket.observations.length > 400 || /[\u{10000}-\u{10ffff}]/u.test(ticket.observations)
      ? refuse('observations')
      : tickets.open(id, type, ticket, call);
  return { tickets: replace(tickets, { open }) };
};

const withoutLeadingZeros: Change = ({ insurance }) => {
  const create: typeof insurance.create = async (coverage, call) =>
    /^[1-9]\d*$/.test(coverage.credentialNumber) ? insurance.create(coverage, call) : refuse('credentialNumber');
  return { insurance: replace(insurance, { create }) };
};

/** A population register knows the person, whatever the registration has. */
const withPopulationRegister: Change = ({ patients }) => {
  const register: typeof patients.register = (person, call) => {
    const known = { name: 'Amalia', lastName: 'Soto', medicalRecordId: `HC-${person.identifier.value}` };
    return patients.register({ ...known, address: { street: 'Mitre', city: 'Azul' }, ...person }, call);
  };
  return { patients: replace(patients, { register }) };
};

const withSlotsWhere =
  (keep: (starts: readonly string[]) => (start: string) => boolean): Change =>
  ({ appointments }) => {
    const slots: typeof appointments.slots = async ({ page, ...query }, call) => {
      const { items: every } = await appointments.slots(query, call);
      const isKept = keep(every.map(({ start }) => start));
      const items = every.filter(({ start }) => isKept(start));
      const { page: at, limit } = page ?? { page: 0, limit: items.length };
      return { items: items.slice(at * limit, (at + 1) * limit), total: items.length };
    };
    return { appointments: replace(appointments, { slots }) };
  };

const toWeekday = (start: string): number => new Date(start.slice(0, 10)).getUTCDay();
const onDay = (day: number) => withSlotsWhere(() => (start) => toWeekday(start) === day);
const withOneSlotPerDay = withSlotsWhere(
  (starts) => (start) => start === starts.find((each) => each.startsWith(start.slice(0, 10))),
);

const withTicketsWithoutFields: Change = ({ tickets }) => {
  const list: typeof tickets.list = async (...given) =>
    (await tickets.list(...given)).flatMap((ticket) => [ticket, { ...ticket, id: `${ticket.id}-bis`, fields: [] }]);
  return { tickets: replace(tickets, { list }) };
};

const withPlaces =
  (change: (places: readonly DirectoryEntry[]) => readonly DirectoryEntry[]): Change =>
  ({ directory }) => ({
    directory: replace(directory, { entries: async (call) => change(await directory.entries(call)) }),
  });

const withoutTelephones = withPlaces((places) =>
  places.map(({ location, providers }) => ({
    location: { ...location, phones: [] },
    providers: providers.map((each) => ({ ...each, phones: [], services: [] })),
  })),
);

const withServices =
  (change: Partial<CareService>): Change =>
  ({ 'care-services': services }) => ({
    'care-services': {
      available: async (...given) => (await services.available(...given)).map((each) => ({ ...each, ...change })),
    },
  });

/** A slot begins at each of the next midnights of that zone, and is offered until then. */
const withSlotsAtMidnightOf =
  (name: string): Change =>
  ({ appointments }) => {
    const zone = new Zone(sandbox.timeZone);
    const today = new Date().toISOString().slice(0, 10);
    const midnights = listDaysBetween(today, addDays(today, 60)).map((day) => new Zone(name).toStartOfDay(day));
    const slots: typeof appointments.slots = async (query, call) => {
      const page = await appointments.slots(query, call);
      const { from = '', to = '9999' } = query;
      const isAsked = (start: string) => start.slice(0, 10) >= from && start.slice(0, 10) <= to;
      const starts = midnights.filter((each) => each > call.now).map((each) => zone.toLocalTime(each));
      const more = page.items
        .slice(0, 1)
        .flatMap((slot) => starts.filter(isAsked).map((start) => ({ ...slot, start })));
      return { ...page, items: [...page.items, ...more].toSorted((a, b) => (a.start < b.start ? -1 : 1)) };
    };
    return { appointments: replace(appointments, { slots }) };
  };

/** So many services that one page does not hold them. */
const withManyServices: Change = ({ 'care-services': services }) => ({
  'care-services': {
    available: async (...given) => {
      const own = await services.available(...given);
      const [first] = own;
      const more = Array.from({ length: 120 }, (_, index) => ({ ...first!, id: `aa-${index}`, name: `AA ${index}` }));
      return [...more, ...own];
    },
  },
});

const withManyCarriers: Change = ({ insurance }) => {
  const carriers: typeof insurance.carriers = async (query, call) => {
    const own = await insurance.carriers(query, call);
    const more = Array.from({ length: 120 }, (_, index) => ({
      id: `aa-${index}`,
      name: `AA ${1000 + index}`,
      active: true,
    }));
    return [...more.slice(query.ownerId === undefined ? 0 : 10), ...own];
  };
  return { insurance: replace(insurance, { carriers }) };
};

/** A patient booked more services than a page holds. */
const withManyFrequentServices: Change = ({ 'care-services': services }) => ({
  'care-services': replace(services, {
    frequent: async (...given) => {
      const own = await services.frequent(...given);
      return [
        ...own,
        ...Array.from({ length: 12 }, (_, index) => ({ ...own[0]!, id: `aa-${index}`, name: `AA ${index}` })),
      ];
    },
    available: async (...given) => {
      const own = await services.available(...given);
      return [
        ...Array.from({ length: 12 }, (_, index) => ({ ...own[0]!, id: `aa-${index}`, name: `AA ${index}` })),
        ...own,
      ];
    },
  }),
});

const withNumbersOfRecords: Change = ({ patients }) => {
  const isNumber = (text = '') => /^\d*$/.test(text);
  const register: typeof patients.register = async (person, call) =>
    isNumber(person.medicalRecordId) ? patients.register(person, call) : refuse('medicalRecordId');
  const update: typeof patients.update = async (id, changes, call) =>
    isNumber(changes.medicalRecordId) ? patients.update(id, changes, call) : refuse('medicalRecordId');
  return { patients: replace(patients, { register, update }) };
};

/** Names are in capitals without accents, as old systems have them. */
const inPlainCapitals: Change = ({ 'care-services': services }) => ({
  'care-services': {
    available: async (...given) =>
      (await services.available(...given)).map((each) => ({
        ...each,
        name: each.name
          .toUpperCase()
          .normalize('NFD')
          .replaceAll(/\p{Mn}/gu, ''),
      })),
  },
});

test.each<[string, string, Change]>([
  [
    'a system may have no place for a copay, and take a booking without',
    'document.POST /v1/appointments.answers',
    withoutPayment,
  ],
  ['a system may keep of a booking all but the copay', 'appointments.b.create', withoutPayment],
  ['a system may keep of a booking without coverage all but the copay', 'appointments.b.create-keeps', withoutPayment],
  ['an institution may not say who gives a service', 'care-services.fields', withServices({ practitionerId: '' })],
  ['names of services may have no accents', 'care-services.b.search', inPlainCapitals],
  ['there may be more services than a page holds', 'care-services.b.authorization', withManyServices],
  ['who is in the medical directory may have one telephone and one service', 'directory.entries', withOneOfEach],
  [
    'a payment may have no link, as the port says',
    'document.GET /patients/{id}/appointments.answers',
    withAppointments({ payment: { status: 'paid' } }),
  ],
  ['a patient whom a search shows may be inactive', 'document.GET /patients/search.answers', withInactivePatients],
  [
    'an appointment of Group B may be virtual',
    'document.GET /v1/appointments.answers',
    withAppointments({ modality: 'virtual' }),
  ],
  [
    'an appointment of Group B may be in person',
    'document.GET /v1/appointments.answers',
    withAppointments({ modality: 'in-person' }),
  ],
  ['earlier runs may have filled some days of birth', 'patients.search.too-wide', withFullDays],
  ['an institution may have a contract with one carrier alone', 'insurance.carriers.owner', withContracts(1)],
  ['a system may refuse long observations', 'tickets.open.read-back', withShortObservations],
  ['credentials may be digits alone', 'insurance.create.read-back', withDigitsInCredentials],
  ['a credential may be refused for its blanks', 'insurance.create.exists', withDigitsInCredentials],
  ['relations may be those of a table', 'family-groups.add.read-back', withTableOfRelations],
  ['relations of a table may be given again', 'family-groups.add.inactive', withTableOfRelations],
  ['whoever registers may get a coverage', 'insurance.create.read-back', withCoverageOfEverybody],
  ['whoever registers may get a coverage that others do not see', 'insurance.coverages.own', withCoverageOfEverybody],
  ['a registration may need an e-mail address', 'ports.patients.register.given', withEmailOfEverybody],
  ['an e-mail address may be of one patient', 'patients.update.conflict', withContactsOfOnePatient],
  ['a telephone may be of one patient', 'family-groups.add.read-back', withContactsOfOnePatient],
  ['a registration may need a name', 'ports.patients.register.given', withNamesOfEverybody],
  ['a patient may need a name for good', 'patients.update.blanks', withNamesOfEverybody],
  ['a name may be of letters alone', 'texts.patients.update', withLettersInNames],
  ['a ticket may need observations and fields', 'tickets.list.own', withWholeTickets],
  ['a ticket may need observations and fields, however it is narrowed', 'filters.tickets.list', withWholeTickets],
  ['a slot may begin at midnight of UTC', 'ports.midnight.slots', withSlotsAtMidnightOf('UTC')],
  ['a slot may begin at midnight of the institution', 'ports.midnight.slots', withSlotsAtMidnightOf(sandbox.timeZone)],
  ['characters beyond the first plane may be refused', 'tickets.open.read-back', withPlainObservations],
  ['leading zeros of a credential may be refused', 'insurance.create.read-back', withoutLeadingZeros],
  ['a population register may know a name', 'patients.register.least', withPopulationRegister],
  ['an agenda may have one day a week', 'slots.b.pages', onDay(3)],
  ['there may be more carriers than a page holds', 'insurance.carriers.owner', withManyCarriers],
  [
    'a patient may have booked more services than a page holds',
    'care-services.frequent.order',
    withManyFrequentServices,
  ],
  ['a number of a clinical record may be digits alone', 'patients.register.read-back', withNumbersOfRecords],
  ['a changed number of a clinical record may be digits alone', 'patients.update.read-back', withNumbersOfRecords],
  ['a ticket may have no fields', 'document.GET /patients/{id}/ticket/.answers', withTicketsWithoutFields],
  ['nobody in the medical directory may have a telephone', 'directory.entries', withoutTelephones],
  ['whoever registers may get a ticket', 'tickets.list.none', withWelcome],
  ['whoever registers may get a practitioner', 'ports.practitioners.mainOf.private', withWelcome],
])('%s', async (_what, id, change) => {
  expect(await tryCase(id, change)).toEqual(['pass']);
});

test.each<[string, string, Change]>([
  ['an agenda may have one day a week', 'slots.b.weekdays', onDay(3)],
  ['an agenda may have one slot a day', 'appointments.b.create-span', withOneSlotPerDay],
  ['an agenda may have one slot', 'ports.clock.slots', withSlotsWhere((starts) => (start) => start === starts.at(-1))],
  ['a medical directory may be empty', 'directory.entries', withPlaces(() => [])],
  ['a medical directory may be empty', 'document.GET /api/medical-directory.answers', withPlaces(() => [])],
])('%s, and %s is skipped', async (_what, id, change) => {
  expect(await tryCase(id, change)).toEqual(['skip']);
});

test.each(['appointments.book.sex-other', 'slots.sex-other', 'care-services.sex-other'])(
  'a system may have two sexes, and %s is skipped',
  async (id) => {
    expect(await tryCase(id, withTwoSexes)).toEqual(['skip']);
  },
);

test('the contract wants one carrier to look at', async () => {
  expect(await tryCase('insurance.carriers.owner', withContracts(0))).toEqual(['fail']);
});
