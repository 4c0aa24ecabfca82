import assert from 'node:assert/strict';
import {
  bookA,
  buildBookingA,
  buildBookingB,
  createCoverage,
  createDni,
  findFreeSlot,
  pickAny,
  skipEarlier,
  takePatient,
  takePatientWith,
} from '../../src/contract/arrange.ts';
import { type Case, defineCase } from '../../src/contract/case.ts';
import { expectFault, expectProblem, getBody, getList } from '../../src/contract/expect.ts';
import type { Request, Subject } from '../../src/contract/index.ts';
import {
  buildSlotSearch,
  checkPages,
  createCollator,
  emptyPage,
  foldAccents,
  getInsured,
  listAppointmentsB,
  listCoverages,
  listDistinct,
  listServicesB,
  listSlotsB,
  ofPatient,
  toIds,
  toStart,
} from '../../src/contract/queries.ts';
import type { CarrierB, Paged, ServiceA, ServiceB, SlotA, SlotB } from '../../src/contract/resources.ts';
import type { Query } from '../../src/contract/subject.ts';

const slotsBase = { level: 'safe', needs: 'appointments.slots', section: '4.B' } as const;

const toSlotsRequest = (subject: Subject, body: object): Request => ({
  route: 'POST /v1/available-slots',
  body: { ...buildSlotSearch(subject), ...body },
});

/** The search for slots of Group B, as far as it does with a port what that of Group A does. */
const slotCases: readonly Case[] = [
  defineCase(slotsBase, 'slots.b.who-and-where', {
    title: 'practitionerId and locationId narrow, and null means any',
    run: async (subject) => {
      const { practitioners, locations } = subject.fixtures;
      const his = await listSlotsB(subject, { practitionerId: practitioners.bookable });
      assert.deepEqual(listDistinct(his, 'practitionerId'), [practitioners.bookable]);
      assert.deepEqual(await listSlotsB(subject, { practitionerId: practitioners.second }), []);
      const first = await listSlotsB(subject, { locationId: locations.first });
      assert.deepEqual(listDistinct(first, 'locationId'), [locations.first]);
    },
  }),
  defineCase(slotsBase, 'slots.b.patient', {
    title: 'a patient whom the service excludes gets an empty page',
    run: async (subject) => {
      const { patients } = subject.fixtures;
      assert.deepEqual(await listSlotsB(subject, { patientId: patients.child }), []);
      assert.notDeepEqual(await listSlotsB(subject, { patientId: patients.complete }), []);
    },
  }),
  defineCase({ ...slotsBase, level: 'write' }, 'slots.b.coverage', {
    requires: ['insurance.create', 'insurance.coverages'],
    fixtures: ['services.restricted'],
    title: 'a patient or coverage that the service excludes gets an empty page, also where both are given',
    run: async (subject) => {
      const { patients, coverages, services, plans } = subject.fixtures;
      const insured = { patientId: patients.complete, patientCoverageId: coverages.active };
      assert.notDeepEqual(await listSlotsB(subject, insured), []);
      const child = { patientId: patients.child, patientCoverageId: coverages.ofChild };
      assert.deepEqual(await listSlotsB(subject, child), []);
      const patientId = await takePatient(subject);
      const refused = await createCoverage(subject, patientId, plans.refused);
      const search = { patientId, patientCoverageId: refused };
      assert.notDeepEqual(await listSlotsB(subject, search), []);
      assert.deepEqual(await listSlotsB(subject, { ...search, hcsId: services.restricted }), []);
    },
  }),
  defineCase(slotsBase, 'slots.b.unknown-things', {
    title: 'the search of Group B names the field whose thing does not exist',
    run: async (subject) => {
      for (const field of ['hcsId', 'practitionerId', 'locationId', 'patientId', 'patientCoverageId']) {
        await expectFault(subject, toSlotsRequest(subject, { [field]: subject.fixtures.unknown }), `body /${field}`);
      }
    },
  }),
  defineCase({ ...slotsBase, requires: ['insurance.coverages'] }, 'slots.b.somebody-else', {
    title: 'the search of Group B refuses a coverage of somebody else',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const mixed = { patientId: patients.complete, patientCoverageId: coverages.ofBare };
      await expectFault(subject, toSlotsRequest(subject, mixed), 'body /patientCoverageId');
    },
  }),
  defineCase(slotsBase, 'slots.b.range', {
    title: 'the search takes 62 days, and refuses more, and days or hours that run backwards',
    run: async (subject) => {
      const dateFrom = '2027-01-01';
      await listSlotsB(subject, { dateConfig: { dateFrom, dateTo: '2027-03-03' } });
      for (const [dateConfig, field] of [
        [{ dateFrom, dateTo: '2027-03-04' }, 'dateTo'],
        [{ dateFrom, dateTo: '2026-12-31' }, 'dateTo'],
        [{ hourFrom: '10:00', hourTo: '09:00' }, 'hourTo'],
      ] as const) {
        await expectFault(subject, toSlotsRequest(subject, { dateConfig }), `body /dateConfig/${field}`);
      }
    },
  }),
  defineCase(slotsBase, 'slots.b.misfits', {
    title: 'the search names each field of dateConfig whose value does not fit',
    run: async (subject) => {
      for (const [field, misfit] of Object.entries({
        dateFrom: '2026-02-30',
        dateTo: '2026/03/01',
        daysOfWeek: 'MONDAY',
        hourFrom: '25:00',
        hourTo: '9',
        unheardOf: 1,
      })) {
        await expectFault(
          subject,
          toSlotsRequest(subject, { dateConfig: { [field]: misfit } }),
          `body /dateConfig/${field}`,
        );
      }
      const days = { dateConfig: { daysOfWeek: ['MONDAY', 'Tuesday'] } };
      await expectFault(subject, toSlotsRequest(subject, days), 'body /dateConfig/daysOfWeek/1');
    },
  }),
  defineCase({ ...slotsBase, level: 'destructive', requires: ['appointments.book'] }, 'slots.b.booked', {
    title: 'a slot that was booked in Group A is no longer offered in Group B',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const day = slot.date.slice(0, 10);
      const starts = async () =>
        (await listSlotsB(subject, { dateConfig: { dateFrom: day, dateTo: day } })).map(
          (other) => other.appointmentStart,
        );
      assert.ok((await starts()).includes(slot.date.slice(11, 16)));
      await bookA(subject, await takePatient(subject), slot);
      assert.ok(!(await starts()).includes(slot.date.slice(11, 16)));
    },
  }),
];

const appointmentsBase = { level: 'safe', needs: 'appointments.list', section: '4.B' } as const;
const toAppointmentsRequest = (query: Query): Request => ({ route: 'GET /v1/appointments', query });

const bookBase = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list'],
  section: '4.B',
} as const;

/** Appointments of Group B, as far as it does with a port what Group A does. */
const appointmentCases: readonly Case[] = [
  defineCase(appointmentsBase, 'appointments.b.none', {
    title: 'a patient without appointments has an empty page',
    run: async (subject) => {
      const { patients } = subject.fixtures;
      assert.deepEqual(await getBody(subject, toAppointmentsRequest({ patientId: patients.bare })), emptyPage);
    },
  }),
  defineCase(appointmentsBase, 'appointments.b.unknown-patient', {
    title: 'the appointments of an unknown patient are a 404',
    run: (subject) =>
      expectProblem(subject, toAppointmentsRequest({ patientId: subject.fixtures.unknown }), 404, 'not_found'),
  }),
  defineCase({ ...appointmentsBase, section: '8' }, 'appointments.b.limits', {
    title: 'a limit lies between 1 and 100, and a page is not negative',
    run: async (subject) => {
      const patientId = subject.fixtures.patients.complete;
      await getBody(subject, toAppointmentsRequest({ patientId, limit: '100' }));
      for (const limit of ['0', '101', '-1', '1.5', '']) {
        await expectFault(subject, toAppointmentsRequest({ patientId, limit }), 'query /limit');
      }
      await expectFault(subject, toAppointmentsRequest({ patientId, page: '-1' }), 'query /page');
    },
  }),
  defineCase(bookBase, 'appointments.b.create-parallel', {
    title: 'of twenty parallel bookings of one slot through both groups one succeeds',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const offer = await findOffer(subject, slot);
      const patients = await Promise.all(Array.from({ length: 20 }, () => takePatient(subject)));
      const lists = await Promise.all(
        [...new Set(patients)].map((id) => skipEarlier(() => listAppointmentsB(subject, id))),
      );
      const requests = patients.map((id, index): Request => {
        if (index % 2 === 0) return { route: 'POST /v1/appointments', body: buildBookingB(id, offer) };
        return ofPatient('POST /patients/{id}/appointments', id, buildBookingA(slot));
      });
      const statuses = (await Promise.all(requests.map(subject.send))).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [201, ...Array.from({ length: 19 }, () => 409)]);
      assert.equal((await Promise.all(lists.map((list) => list()))).flat().length, 1);
    },
  }),
];

/** The offer of Group B for a slot of Group A. */
async function findOffer(subject: Subject, { date, practitioner_id, location_id }: SlotA): Promise<SlotB> {
  const day = date.slice(0, 10);
  const offers = await listSlotsB(subject, { ...buildSlotSearch(subject), dateConfig: { dateFrom: day, dateTo: day } });
  return pickAny(
    offers.filter(
      (offer) =>
        toStart(offer) === date && offer.practitionerId === practitioner_id && offer.locationId === location_id,
    ),
  );
}

const listServicesA = (subject: Subject, query: Query): Promise<ServiceA[]> =>
  getList(subject, 'health_care_services', { route: 'GET /health-care-services/search', query });

const toServicesRequest = (subject: Subject, query: Query = {}): Request => ({
  route: 'GET /v1/health-care-services',
  query: { ...getInsured(subject), ...query },
});

const getFrequentPage = (subject: Subject, query: Query = {}, byType = '') =>
  getBody<Paged<ServiceB>>(subject, {
    route: `GET /v1/frequent-health-care-services${byType}`,
    query: { ...getInsured(subject), ...query },
  });

const toNames = (services: readonly { readonly name: string }[]): string[] => services.map(({ name }) => name);

const servicesBase = {
  level: 'safe',
  needs: 'care-services.available',
  requires: ['insurance.coverages'],
  section: '4.B',
} as const;
const frequentBase = { ...servicesBase, needs: 'care-services.frequent' } as const;

/** The services of Group B, as far as the gateway alone decides. */
const careServiceCases: readonly Case[] = [
  defineCase(servicesBase, 'care-services.b.same', {
    title: 'both groups find the same services and say the same of them',
    run: async (subject) => {
      const { patientId: patient_id = '', patientCoverageId: health_insurance_id = '' } = getInsured(subject);
      const ofA = await listServicesA(subject, { patient_id, health_insurance_id });
      assert.deepEqual(
        (await listServicesB(subject)).map(({ id, name, appointmentRequired, practitionerId }) => ({
          id,
          name,
          appointment_required: appointmentRequired,
          practitioner_id: practitionerId,
        })),
        ofA.map(({ id, name, appointment_required, practitioner_id }) => ({
          id,
          name,
          appointment_required,
          practitioner_id,
        })),
      );
    },
  }),
  defineCase(servicesBase, 'care-services.b.type', {
    fixtures: ['services.restricted'],
    title: 'type narrows to consultations or practices',
    run: async (subject) => {
      const { bookable, restricted } = subject.fixtures.services;
      const all = await listServicesB(subject);
      for (const [type, id] of [
        ['CONSULTA', bookable],
        ['PRACTICA', restricted],
      ] as const) {
        const some = await listServicesB(subject, { type });
        assert.deepEqual(
          some,
          all.filter((service) => service.type === type),
        );
        assert.ok(toIds(some).includes(id));
      }
    },
  }),
  defineCase(servicesBase, 'care-services.b.search', {
    title: 'search finds part of a name without regard to case and accents',
    run: async (subject) => {
      const all = await listServicesB(subject);
      const names = toNames(all);
      // Where the institution writes no accents there are none to be ignored.
      const [name = ''] = [...names.filter((each) => foldAccents(each) !== each.toLowerCase()), ...names];
      const found = await listServicesB(subject, { search: foldAccents(name).slice(2).toUpperCase() });
      assert.ok(toNames(found).includes(name));
      assert.ok(found.length < all.length);
      const nothing = await getBody(subject, toServicesRequest(subject, { search: 'zzzz' }));
      assert.deepEqual(nothing, emptyPage);
    },
  }),
  defineCase(servicesBase, 'care-services.b.one', {
    title: 'hcsId narrows to one service, or none when it is unknown',
    run: async (subject) => {
      const { services, unknown } = subject.fixtures;
      assert.deepEqual(toIds(await listServicesB(subject, { hcsId: services.bookable })), [services.bookable]);
      assert.deepEqual(await listServicesB(subject, { hcsId: unknown }), []);
    },
  }),
  defineCase({ ...servicesBase, section: '8' }, 'care-services.b.pages', {
    title: 'the pages of the services count from 0, hold each of them once and tell how many there are',
    run: (subject) => checkPages(subject, toServicesRequest(subject)),
  }),
  defineCase(frequentBase, 'care-services.frequent.narrowed', {
    title: 'frequent services narrow by part of the name, and in the second variant by type',
    run: async (subject) => {
      const { data } = await getFrequentPage(subject);
      const [first, second] = data;
      assert.ok(first && second);
      const named = await getFrequentPage(subject, { search: foldAccents(second.name) });
      assert.deepEqual(
        named.data,
        data.filter(({ name }) => foldAccents(name).includes(foldAccents(second.name))),
      );
      for (const type of ['CONSULTA', 'PRACTICA']) {
        const typed = await getFrequentPage(subject, { type }, '/by-type');
        assert.deepEqual(
          typed.data,
          data.filter((service) => service.type === type),
        );
      }
    },
  }),
  defineCase({ ...frequentBase, section: '8' }, 'care-services.frequent.pages', {
    title: 'the pages of the frequent services count from 0, hold each of them once and tell how many there are',
    run: (subject) =>
      checkPages(subject, { route: 'GET /v1/frequent-health-care-services', query: getInsured(subject) }),
  }),
];

const carriersBase = { level: 'safe', needs: 'insurance.carriers', section: '4.B' } as const;

const toCarriersRequest = (query: Query = {}): Request => ({ route: 'GET /v1/insurance-carriers', query });

const listCarriers = (subject: Subject, query: Query = {}): Promise<CarrierB[]> =>
  getList(subject, 'data', toCarriersRequest({ limit: '100', ...query }));

/** Carriers and coverages of Group B, as far as the gateway alone decides. */
const insuranceCases: readonly Case[] = [
  defineCase(carriersBase, 'insurance.carriers.search', {
    title: 'search finds carriers by part of the name, without regard to case',
    run: async (subject) => {
      const { id, name } = subject.fixtures.carriers.withPlans;
      const found = await listCarriers(subject, { search: name.slice(1).toLowerCase() });
      assert.ok(found.some((carrier) => carrier.id === id));
      assert.ok(found.length < (await listCarriers(subject)).length);
      assert.deepEqual(await getBody(subject, toCarriersRequest({ search: 'zzzz' })), emptyPage);
    },
  }),
  defineCase({ ...carriersBase, section: '8' }, 'insurance.carriers.pages', {
    title: 'the pages of the carriers count from 0, hold each of them once and tell how many there are',
    run: (subject) => checkPages(subject, toCarriersRequest()),
  }),
  defineCase({ ...carriersBase, level: 'write', needs: 'insurance.create' }, 'insurance.create.number', {
    requires: ['insurance.coverages'],
    title: 'create takes a credential that is a number',
    run: async (subject) => {
      const { id: beneficiaryId, list } = await takePatientWith(subject, listCoverages);
      const credentialNumber = createDni();
      const body = { credentialNumber, beneficiaryId, insurancePlanId: subject.fixtures.plans.accepted };
      await getBody(subject, { route: 'POST /v1/coverages', body }, 201);
      assert.equal((await list())[0]?.credential_number, String(credentialNumber));
    },
  }),
  defineCase(carriersBase, 'insurance.carriers.sorted', {
    title: 'carriers are sorted by name, ascending, unless asked otherwise',
    run: async (subject) => {
      const { compare } = createCollator(subject);
      const byName = (await listCarriers(subject)).toSorted((a, b) => compare(a.name, b.name));
      const byId = byName.toSorted((a, b) => compare(a.id, b.id));
      assert.notDeepEqual(byId, byName, 'names and ids of the carriers sort alike, so the order shows nothing');
      assert.deepEqual(await listCarriers(subject), byName);
      assert.deepEqual(await listCarriers(subject, { sortDirection: 'DESC' }), byName.toReversed());
      assert.deepEqual(await listCarriers(subject, { sortProperty: 'id' }), byId);
      assert.deepEqual(await listCarriers(subject, { sortProperty: 'id', sortDirection: 'DESC' }), byId.toReversed());
    },
  }),
];

/** What Group B promises beyond what an adapter is judged by: the gateway alone decides it, or Group A asks the same of a port. */
export const groupBCases: readonly Case[] = [...slotCases, ...appointmentCases, ...careServiceCases, ...insuranceCases];
