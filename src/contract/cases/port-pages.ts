import assert from 'node:assert/strict';
import type { Page, PageRequest } from '../../ports/index.ts';
import { type Case, definePortCase } from '../case.ts';

/** Asserts that every page is the part of the whole list that it should be, with the number of all rows. */
async function expectPages(list: (page?: PageRequest) => Promise<Page<unknown>>): Promise<void> {
  const { items, total } = await list();
  assert.equal(total, items.length);
  assert.ok(total >= 2, 'the list is too short to show pages: see the fixtures');
  for (const limit of [1, 7, total, 100]) {
    const last = Math.ceil(total / limit);
    for (const page of new Set([0, 1, Math.floor(last / 2), last - 1, last, 9_999])) {
      const expected = { items: items.slice(page * limit, (page + 1) * limit), total };
      assert.deepEqual(await list({ page, limit }), expected);
    }
  }
}

/** A page is a part of the whole list, however an adapter comes by it. */
export const pageCases: readonly Case[] = [
  definePortCase({ level: 'safe', needs: 'appointments.slots', section: '8' }, 'ports.pages.slots', {
    title: 'slots: each page is a part of the whole list, and tells how many slots there are',
    run: (subject) => {
      const call = subject.createCall();
      const query = { serviceId: subject.fixtures.services.bookable };
      return expectPages((page) => subject.getPort('appointments').slots({ ...query, ...(page && { page }) }, call));
    },
  }),
  definePortCase({ level: 'safe', needs: 'appointments.list', section: '8' }, 'ports.pages.appointments', {
    title: 'list: each page is a part of the whole list in its order, and tells how many appointments there are',
    run: async (subject) => {
      const call = subject.createCall();
      const { complete } = subject.fixtures.patients;
      for (const order of ['ascending', 'descending'] as const) {
        await expectPages((page) =>
          subject.getPort('appointments').list(complete, { order, ...(page && { page }) }, call),
        );
      }
    },
  }),
];
