import assert from 'node:assert/strict';
import {
  bookB,
  buildBookingB,
  createCoverage,
  findSimultaneousSlots,
  pickAny,
  registerPatient,
  takePatient,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectCount, expectFault, expectIds, expectPromised, getBody, getList } from '../expect.ts';
import {
  createCollator,
  emptyPage,
  getInsured,
  listPages,
  listServicesB,
  listSlotsB,
  toIds,
  toStart,
} from '../queries.ts';
import type { Paged, ServiceA, ServiceB } from '../resources.ts';
import type { Query, Request, Subject } from '../subject.ts';
import { Skipped } from '../thrown.ts';

const toRequestA = (query: Query): Request => ({ route: 'GET /health-care-services/search', query });

const listServicesA = (subject: Subject, query: Query = {}): Promise<ServiceA[]> =>
  getList(subject, 'health_care_services', toRequestA(query));

const listServiceIds = async (subject: Subject, patient_id: string, health_insurance_id?: string): Promise<string[]> =>
  toIds(
    await listServicesA(subject, { patient_id, ...(health_insurance_id !== undefined && { health_insurance_id }) }),
  );

const toNames = (services: readonly { readonly name: string }[]): string[] => services.map(({ name }) => name);

const toRequestB = (subject: Subject, query: Query = {}): Request => ({
  route: 'GET /v1/health-care-services',
  query: { ...getInsured(subject), ...query },
});

const baseA = { level: 'safe', needs: 'care-services.available' } as const;
/** Group B requires a coverage. */
const insuredBase = { ...baseA, requires: ['insurance.coverages'] } as const;
const baseB = { ...insuredBase, section: '4.B' } as const;

/** The services of the institution, in both groups. */
export const careServiceCases: readonly Case[] = [
  defineCase(baseA, 'care-services.all', {
    title:
      'without patient and insurance, every active service is listed, by name in the order of the institution’s language',
    run: async (subject) => {
      const found = await listServicesA(subject);
      const { bookable, womenOnly, childrenOnly, restricted = bookable, walkIn } = subject.fixtures.services;
      expectIds(toIds(found), 'the search for services', {
        has: [bookable, womenOnly, childrenOnly, restricted, walkIn],
      });
      assert.deepEqual([...new Set(found.map(({ active }) => active))], [true], 'active of the listed services');
      assert.deepEqual(toNames(found), toNames(found).toSorted(createCollator(subject).compare));
    },
  }),
  defineCase(baseA, 'care-services.fields', {
    title: 'a service has its practitioner if known, its ages and sex, and whether it requires an appointment',
    run: async (subject) => {
      const { services, practitioners } = subject.fixtures;
      const listed = await listServicesA(subject);
      const get = (id: string): ServiceA => {
        expectIds(toIds(listed), 'the search for services', { has: [id] });
        return listed.find((service) => service.id === id)!;
      };
      // Empty if several practitioners give it, or if the institution does not name one.
      const { practitioner_id, min_age } = get(services.bookable);
      if (practitioner_id !== '') assert.equal(practitioner_id, practitioners.bookable);
      assert.equal(get(services.bookable).appointment_required, true, 'appointment_required of services.bookable');
      assert.equal(get(services.walkIn).appointment_required, false, 'appointment_required of services.walkIn');
      expectPromised(min_age, 'the min_age of services.bookable, a service for adults,');
      assert.equal(get(services.bookable).sex_id, null);
      const { max_age } = get(services.childrenOnly);
      assert.ok(max_age !== null && max_age < 21, `the max_age of services.childrenOnly is ${max_age}`);
      assert.equal(typeof get(services.womenOnly).sex_id, 'number');
      const { min_age: youngest, max_age: oldest } = get(services.walkIn);
      assert.deepEqual({ youngest, oldest }, { youngest: null, oldest: null });
    },
  }),
  defineCase(baseA, 'care-services.age', {
    title: 'a service that excludes the patient’s age is left out',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const [child, adult] = await Promise.all([
        listServiceIds(subject, patients.child),
        listServiceIds(subject, patients.complete),
      ]);
      const { bookable, childrenOnly } = services;
      expectIds(child, 'the search for patients.child', { has: [childrenOnly], lacks: [bookable] });
      expectIds(adult, 'the search for patients.complete', { has: [bookable], lacks: [childrenOnly] });
    },
  }),
  defineCase(baseA, 'care-services.sex', {
    title: 'a service for women is left out for a man',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const [ofMan, ofWoman] = [
        await listServiceIds(subject, patients.bare),
        await listServiceIds(subject, patients.complete),
      ];
      expectIds(ofMan, 'the search for patients.bare, a man,', { lacks: [services.womenOnly] });
      expectIds(ofWoman, 'the search for patients.complete, a woman,', { has: [services.womenOnly] });
    },
  }),
  defineCase({ ...baseA, level: 'write', requires: ['patients.register'] }, 'care-services.sex-other', {
    rule: 'verified-later',
    title: 'a service for one sex is listed for a patient who is neither Male nor Female',
    run: async (subject) => {
      const id = await registerPatient(subject, { gender: 'Other' });
      const what = 'the search for a patient of the gender Other';
      expectIds(await listServiceIds(subject, id), what, { has: [subject.fixtures.services.womenOnly] });
    },
  }),
  defineCase(insuredBase, 'care-services.lapsed', {
    title: 'a health insurance that is no longer active covers no service',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      assert.deepEqual(await listServiceIds(subject, patients.complete, coverages.inactive), []);
      const page = await getBody(subject, toRequestB(subject, { patientCoverageId: coverages.inactive }));
      assert.deepEqual(page, emptyPage);
    },
  }),
  defineCase({ ...baseA, level: 'write', requires: ['insurance.create'], rule: 'one-coverage' }, 'care-services.plan', {
    fixtures: ['services.restricted'],
    title: 'a service that the plan does not cover is left out',
    run: async (subject) => {
      const { services, plans } = subject.fixtures;
      const id = await takePatient(subject);
      const [covered, refused] = [
        await listServiceIds(subject, id, await createCoverage(subject, id, plans.accepted)),
        await listServiceIds(subject, id, await createCoverage(subject, id, plans.refused)),
      ];
      const { bookable, restricted } = services;
      expectIds(covered, 'the search with plans.accepted', { has: [restricted] });
      expectIds(refused, 'the search with plans.refused', { has: [bookable], lacks: [restricted] });
    },
  }),
  defineCase(baseA, 'care-services.unknown-things', {
    title: 'the error names an unknown patient and an unknown insurance',
    run: async (subject) => {
      const { unknown } = subject.fixtures;
      await expectFault(subject, toRequestA({ patient_id: unknown }), 'query /patient_id');
      await expectFault(subject, toRequestA({ health_insurance_id: unknown }), 'query /health_insurance_id');
    },
  }),
  defineCase(insuredBase, 'care-services.somebody-else', {
    title: 'the error names an insurance of another patient, and in Group B also unknown records',
    run: async (subject) => {
      const { unknown, patients, coverages } = subject.fixtures;
      const mixed = { patient_id: patients.complete, health_insurance_id: coverages.ofBare };
      await expectFault(subject, toRequestA(mixed), 'query /health_insurance_id');
      await expectFault(subject, toRequestB(subject, { patientId: unknown }), 'query /patientId');
      await expectFault(subject, toRequestB(subject, { patientCoverageId: unknown }), 'query /patientCoverageId');
      const ofOther = { patientCoverageId: coverages.ofBare };
      await expectFault(subject, toRequestB(subject, ofOther), 'query /patientCoverageId');
    },
  }),
  defineCase(baseB, 'care-services.b.authorization', {
    fixtures: ['services.restricted'],
    title: 'a service shows whether it requires an authorization of the insurer',
    run: async (subject) => {
      const { bookable, restricted } = subject.fixtures.services;
      const needs = new Map(
        (await listServicesB(subject)).map(({ id, requiresAuthorization }) => [id, requiresAuthorization]),
      );
      const what = 'requiresAuthorization of services.bookable and services.restricted';
      assert.deepEqual([needs.get(bookable), needs.get(restricted)], [false, true], what);
    },
  }),
];

const toFrequentRequest = (subject: Subject, query: Query): Request => ({
  route: 'GET /v1/frequent-health-care-services',
  query: { ...getInsured(subject), ...query },
});

const getFrequentPage = (subject: Subject, query: Query = {}) =>
  getBody<Paged<ServiceB>>(subject, toFrequentRequest(subject, query));

const base = {
  level: 'safe',
  needs: 'care-services.frequent',
  requires: ['insurance.coverages'],
  section: '4.B',
} as const;

/** The services that a patient books most. */
export const frequentServiceCases: readonly Case[] = [
  defineCase(base, 'care-services.frequent.order', {
    requires: ['care-services.available'],
    title: 'frequent services are those that the patient booked, the most frequent first',
    run: async (subject) => {
      const data = await listPages<ServiceB>(subject, toFrequentRequest(subject, {}));
      assert.deepEqual(toIds(data).slice(0, 2), subject.fixtures.services.frequent);
      assert.ok(
        data.length < (await listServicesB(subject)).length,
        'services that were never booked are not frequent',
      );
    },
  }),
  defineCase(base, 'care-services.frequent.none', {
    title:
      'a patient without bookings has no frequent services, and neither has one whose health insurance is no longer active',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      assert.deepEqual(await getFrequentPage(subject, { patientCoverageId: coverages.inactive }), emptyPage);
      const who = { patientId: patients.bare, patientCoverageId: coverages.ofBare };
      assert.deepEqual(await getFrequentPage(subject, who), emptyPage);
    },
  }),
  defineCase({ ...base, level: 'destructive' }, 'care-services.frequent.equal', {
    requires: ['appointments.book', 'appointments.slots', 'patients.register', 'insurance.create'],
    title:
      'services with equal numbers of bookings at the same time are sorted by name, and one with more bookings comes first',
    rule: ['one-appointment-at-a-time', 'days-between-bookings', 'verified-later'],
    run: async (subject) => {
      const patientId = await registerPatient(subject);
      const patientCoverageId = await createCoverage(subject, patientId);
      for (const slot of await findSimultaneousSlots(subject)) await bookB(subject, buildBookingB(patientId, slot));
      const list = async () => (await getFrequentPage(subject, { patientId, patientCoverageId })).data;
      const data = await list();
      const names = data.map(({ name }) => name);
      expectCount(names, 2, 'names');
      assert.deepEqual(names, names.toSorted(createCollator(subject).compare));
      const hcsId = data[1]?.id;
      await bookB(subject, buildBookingB(patientId, pickAny(await listSlotsB(subject, { hcsId }), 'third free slot')));
      assert.deepEqual(await list(), data.toReversed());
    },
  }),
  defineCase({ ...base, level: 'destructive' }, 'care-services.frequent.latest', {
    requires: ['appointments.book', 'appointments.slots', 'patients.register', 'insurance.create'],
    title: 'of two services with the same number of bookings, the one with the later booking comes first',
    rule: ['days-between-bookings', 'verified-later'],
    run: async (subject) => {
      const { bookable, second } = subject.fixtures.services;
      for (const [early, late] of [
        [bookable, second],
        [second, bookable],
      ] as const) {
        const patientId = await registerPatient(subject);
        const patientCoverageId = await createCoverage(subject, patientId);
        const [first] = await listSlotsB(subject, { hcsId: early });
        const last = (await listSlotsB(subject, { hcsId: late })).at(-1);
        if (!first || !last || toStart(first) >= toStart(last))
          throw new Skipped('there are no free slots at two times');
        for (const slot of [first, last]) await bookB(subject, buildBookingB(patientId, slot));
        const { data } = await getFrequentPage(subject, { patientId, patientCoverageId });
        assert.deepEqual(toIds(data), [late, early]);
      }
    },
  }),
  defineCase(base, 'care-services.frequent.unknown-things', {
    title: 'the error names an unknown patient, an unknown coverage and a coverage of another patient',
    run: async (subject) => {
      const { unknown, coverages } = subject.fixtures;
      const expectNamed = (name: string, id: string) =>
        expectFault(subject, toFrequentRequest(subject, { [name]: id }), `query /${name}`);
      await expectNamed('patientId', unknown);
      await expectNamed('patientCoverageId', unknown);
      await expectNamed('patientCoverageId', coverages.ofBare);
    },
  }),
];
