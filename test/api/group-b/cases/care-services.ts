import assert from 'node:assert/strict';
import { type Case, defineCase } from '../../../../src/contract/case.ts';
import { getBody, getList } from '../../../../src/contract/expect.ts';
import type { Request, Subject } from '../../../../src/contract/index.ts';
import {
  checkPages,
  emptyPage,
  foldAccents,
  getInsured,
  listServicesB,
  toIds,
} from '../../../../src/contract/queries.ts';
import type { Paged, ServiceB } from '../../../../src/contract/resources.ts';
import type { Query } from '../../../../src/contract/subject.ts';

interface ServiceA {
  readonly id: string;
  readonly name: string;
  readonly appointment_required: boolean;
  readonly practitioner_id: string;
}

const listServicesA = (subject: Subject, query: Query): Promise<ServiceA[]> =>
  getList(subject, 'health_care_services', { route: 'GET /health-care-services/search', query });

const toRequestB = (subject: Subject, query: Query = {}): Request => ({
  route: 'GET /v1/health-care-services',
  query: { ...getInsured(subject), ...query },
});

const getFrequentPage = (subject: Subject, query: Query = {}, byType = '') =>
  getBody<Paged<ServiceB>>(subject, {
    route: `GET /v1/frequent-health-care-services${byType}`,
    query: { ...getInsured(subject), ...query },
  });

const toNames = (services: readonly { readonly name: string }[]): string[] => services.map(({ name }) => name);

const baseB = {
  level: 'safe',
  needs: 'care-services.available',
  requires: ['insurance.coverages'],
  section: '4.B',
} as const;
const frequentBase = { ...baseB, needs: 'care-services.frequent' } as const;

/** The services of Group B, as far as the gateway alone decides. */
export const careServiceCases: readonly Case[] = [
  defineCase(baseB, 'care-services.b.same', {
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
  defineCase(baseB, 'care-services.b.type', {
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
  defineCase(baseB, 'care-services.b.search', {
    title: 'search finds part of a name without regard to case and accents',
    run: async (subject) => {
      const all = await listServicesB(subject);
      const names = toNames(all);
      // Where the institution writes no accents there are none to be ignored.
      const [name = ''] = [...names.filter((each) => foldAccents(each) !== each.toLowerCase()), ...names];
      const found = await listServicesB(subject, { search: foldAccents(name).slice(2).toUpperCase() });
      assert.ok(toNames(found).includes(name));
      assert.ok(found.length < all.length);
      const nothing = await getBody(subject, toRequestB(subject, { search: 'zzzz' }));
      assert.deepEqual(nothing, emptyPage);
    },
  }),
  defineCase(baseB, 'care-services.b.one', {
    title: 'hcsId narrows to one service, or none when it is unknown',
    run: async (subject) => {
      const { services, unknown } = subject.fixtures;
      assert.deepEqual(toIds(await listServicesB(subject, { hcsId: services.bookable })), [services.bookable]);
      assert.deepEqual(await listServicesB(subject, { hcsId: unknown }), []);
    },
  }),
  defineCase(baseB, 'care-services.b.pages', {
    section: '8',
    title: 'the pages of the services count from 0, hold each of them once and tell how many there are',
    run: (subject) => checkPages(subject, toRequestB(subject)),
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
  defineCase(frequentBase, 'care-services.frequent.pages', {
    title: 'the pages of the frequent services count from 0, hold each of them once and tell how many there are',
    section: '8',
    run: (subject) =>
      checkPages(subject, { route: 'GET /v1/frequent-health-care-services', query: getInsured(subject) }),
  }),
];
