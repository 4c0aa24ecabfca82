import assert from 'node:assert/strict';
import type { Case, Claim } from '../case.ts';
import { expectFault, getBody } from '../expect.ts';
import { emptyPage, type Paged, readPages } from '../pages.ts';
import { foldAccents, getInsured, listServicesB, type ServiceB, toIds } from '../queries.ts';
import type { Request, Subject } from '../subject.ts';

type Query = Readonly<Record<string, string>>;

const frequent = async (subject: Subject, query: Query = {}, byType = '') =>
  getBody<Paged<ServiceB>>(subject, {
    route: `GET /v1/frequent-health-care-services${byType}`,
    query: { ...getInsured(subject), ...query },
  });

const often = { level: 'safe', needs: 'care-services.frequent', section: '4.B' } as const satisfies Claim;

/** The services that a patient books most. */
export const frequentServiceCases: readonly Case[] = [
  {
    ...often,
    requires: ['care-services.available'],
    id: 'care-services.frequent.order',
    title: 'frequent services are those that the patient booked, most often first',
    run: async (subject) => {
      const { data, pagination } = await frequent(subject);
      assert.deepEqual(toIds(data).slice(0, 2), subject.fixtures.services.frequent);
      assert.equal(pagination.totalElements, data.length);
      assert.ok(
        data.length < (await listServicesB(subject)).length,
        'services that were never booked are not frequent',
      );
    },
  },
  {
    ...often,
    id: 'care-services.frequent.narrowed',
    title: 'frequent services narrow by part of the name, and in the second variant by type',
    run: async (subject) => {
      const { data } = await frequent(subject);
      const [first, second] = data;
      assert.ok(first && second);
      const named = await frequent(subject, { search: foldAccents(second.name) });
      assert.deepEqual(
        named.data,
        data.filter(({ name }) => foldAccents(name).includes(foldAccents(second.name))),
      );
      for (const type of ['CONSULTA', 'PRACTICA']) {
        const typed = await frequent(subject, { type }, '/by-type');
        assert.deepEqual(
          typed.data,
          data.filter((service) => service.type === type),
        );
      }
    },
  },
  {
    ...often,
    id: 'care-services.frequent.pages',
    title: 'the pages of the frequent services hold each of them once',
    section: '8',
    run: (subject) =>
      readPages(subject, { route: 'GET /v1/frequent-health-care-services', query: getInsured(subject) }),
  },
  {
    ...often,
    id: 'care-services.frequent.none',
    title: 'a patient who never booked has no frequent services',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const who = { patientId: patients.bare, patientCoverageId: coverages.ofBare };
      assert.deepEqual(await frequent(subject, who), emptyPage);
    },
  },
  {
    ...often,
    id: 'care-services.frequent.unknown-things',
    title: 'an unknown patient, an unknown coverage and one of somebody else are named',
    run: async (subject) => {
      const { unknown, coverages } = subject.fixtures;
      const asking = (query: Query): Request => ({
        route: 'GET /v1/frequent-health-care-services',
        query: { ...getInsured(subject), ...query },
      });
      await expectFault(subject, asking({ patientId: unknown }), 'query /patientId');
      await expectFault(subject, asking({ patientCoverageId: unknown }), 'query /patientCoverageId');
      await expectFault(subject, asking({ patientCoverageId: coverages.ofBare }), 'query /patientCoverageId');
    },
  },
];
