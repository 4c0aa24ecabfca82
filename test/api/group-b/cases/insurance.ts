import assert from 'node:assert/strict';
import { createDni, takePatientWith } from '../../../../src/contract/arrange.ts';
import { type Case, defineCase } from '../../../../src/contract/case.ts';
import { getBody, getList } from '../../../../src/contract/expect.ts';
import type { Request, Subject } from '../../../../src/contract/index.ts';
import { checkPages, createCollator, emptyPage, listCoverages } from '../../../../src/contract/queries.ts';
import type { Query } from '../../../../src/contract/subject.ts';

const listBase = { level: 'safe', needs: 'insurance.carriers', section: '4.B' } as const;
const createBase = {
  level: 'write',
  needs: 'insurance.create',
  requires: ['insurance.coverages'],
  section: '4.B',
} as const;

const toCreateRequest = (body: object): Request => ({ route: 'POST /v1/coverages', body });
const toListRequest = (query: Query = {}): Request => ({ route: 'GET /v1/insurance-carriers', query });

const listCarriers = (subject: Subject, query: Query = {}): Promise<{ readonly id: string; readonly name: string }[]> =>
  getList(subject, 'data', toListRequest({ limit: '100', ...query }));

/** Carriers and coverages of Group B, as far as the gateway alone decides. */
export const insuranceCases: readonly Case[] = [
  defineCase(listBase, 'insurance.carriers.search', {
    title: 'search finds carriers by part of the name, without regard to case',
    run: async (subject) => {
      const { id, name } = subject.fixtures.carriers.withPlans;
      const found = await listCarriers(subject, { search: name.slice(1).toLowerCase() });
      assert.ok(found.some((carrier) => carrier.id === id));
      assert.ok(found.length < (await listCarriers(subject)).length);
      assert.deepEqual(await getBody(subject, toListRequest({ search: 'zzzz' })), emptyPage);
    },
  }),
  defineCase(listBase, 'insurance.carriers.pages', {
    section: '8',
    title: 'the pages of the carriers count from 0, hold each of them once and tell how many there are',
    run: (subject) => checkPages(subject, toListRequest()),
  }),
  defineCase(createBase, 'insurance.create.number', {
    title: 'create takes a credential that is a number',
    run: async (subject) => {
      const { id: beneficiaryId, list } = await takePatientWith(subject, listCoverages);
      const credentialNumber = createDni();
      await getBody(
        subject,
        toCreateRequest({ credentialNumber, beneficiaryId, insurancePlanId: subject.fixtures.plans.accepted }),
        201,
      );
      assert.equal((await list())[0]?.credential_number, String(credentialNumber));
    },
  }),
  defineCase(listBase, 'insurance.carriers.sorted', {
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
