import assert from 'node:assert/strict';
import { bookB, buildBookingB, createCoverage, findSimultaneousSlots, pickAny, registerPatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectFault, getBody } from '../expect.ts';
import { emptyPage, type Paged } from '../pages.ts';
import { createCollator, getInsured, listServicesB, listSlotsB, type ServiceB, toIds } from '../queries.ts';
import type { Query, Request, Subject } from '../subject.ts';

const getFrequentPage = async (subject: Subject, query: Query = {}, byType = '') =>
  getBody<Paged<ServiceB>>(subject, {
    route: `GET /v1/frequent-health-care-services${byType}`,
    query: { ...getInsured(subject), ...query },
  });

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
    title: 'frequent services are those that the patient booked, most often first',
    run: async (subject) => {
      const { data, pagination } = await getFrequentPage(subject);
      assert.deepEqual(toIds(data).slice(0, 2), subject.fixtures.services.frequent);
      assert.equal(pagination.totalElements, data.length);
      assert.ok(
        data.length < (await listServicesB(subject)).length,
        'services that were never booked are not frequent',
      );
    },
  }),
  defineCase(base, 'care-services.frequent.none', {
    title:
      'a patient who never booked has no frequent services, nor has one whose health insurance is no longer active',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      assert.deepEqual(await getFrequentPage(subject, { patientCoverageId: coverages.inactive }), emptyPage);
      const who = { patientId: patients.bare, patientCoverageId: coverages.ofBare };
      assert.deepEqual(await getFrequentPage(subject, who), emptyPage);
    },
  }),
  defineCase(base, 'care-services.frequent.equal', {
    level: 'destructive',
    requires: ['appointments.book', 'appointments.slots', 'patients.register', 'insurance.create'],
    title: 'services booked as often and for the same time are frequent by name, and one booked more often comes first',
    rule: ['one-appointment-at-a-time', 'days-between-bookings'],
    run: async (subject) => {
      const patientId = await registerPatient(subject);
      const patientCoverageId = await createCoverage(subject, patientId);
      for (const slot of await findSimultaneousSlots(subject)) await bookB(subject, buildBookingB(patientId, slot));
      const list = async () => (await getFrequentPage(subject, { patientId, patientCoverageId })).data;
      const data = await list();
      const names = data.map(({ name }) => name);
      assert.equal(names.length, 2);
      assert.deepEqual(names, names.toSorted(createCollator(subject).compare));
      const hcsId = data[1]?.id;
      await bookB(subject, buildBookingB(patientId, pickAny(await listSlotsB(subject, { hcsId }))));
      assert.deepEqual(await list(), data.toReversed());
    },
  }),
  defineCase(base, 'care-services.frequent.unknown-things', {
    title: 'an unknown patient, an unknown coverage and one of somebody else are named',
    run: async (subject) => {
      const { unknown, coverages } = subject.fixtures;
      const toRequest = (query: Query): Request => ({
        route: 'GET /v1/frequent-health-care-services',
        query: { ...getInsured(subject), ...query },
      });
      await expectFault(subject, toRequest({ patientId: unknown }), 'query /patientId');
      await expectFault(subject, toRequest({ patientCoverageId: unknown }), 'query /patientCoverageId');
      await expectFault(subject, toRequest({ patientCoverageId: coverages.ofBare }), 'query /patientCoverageId');
    },
  }),
];
