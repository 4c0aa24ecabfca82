import assert from 'node:assert/strict';
import { getBody } from './expect.ts';
import type { Query, Request, Subject } from './subject.ts';

/** A page of a list of Group B. */
export interface Paged<T> {
  readonly data: readonly T[];
  readonly pagination: {
    readonly totalPages: number;
    readonly totalElements: number;
    readonly page: number;
    readonly limit: number;
    readonly numberOfElements: number;
  };
}

/**
 * Asserts that a list of Group B has the right pages: together they are the whole list, each says its number, the first
 * is page 0, the default limit is 10, and a page beyond the last is empty with true totals. The list must have 2 to 100
 * rows.
 */
export async function checkPages(subject: Subject, request: Request): Promise<void> {
  const page = (query: Query) =>
    getBody<Paged<unknown>>(subject, { ...request, query: { ...request.query, ...query } });
  const whole = await page({ page: '0', limit: '100' });
  const total = whole.data.length;
  assert.ok(total >= 2, 'the list is too short to show pages: see the fixtures');
  const expected = (limit: number, at: number) => {
    const data = whole.data.slice(at * limit, (at + 1) * limit);
    const totals = { totalPages: Math.ceil(total / limit), totalElements: total };
    return { data, pagination: { ...totals, page: at, limit, numberOfElements: data.length } };
  };
  assert.deepEqual(whole, expected(100, 0));
  assert.deepEqual(await page({}), expected(10, 0));
  for (const limit of [1, 3]) {
    const last = Math.ceil(total / limit);
    for (let at = 0; at < Math.min(last, 12); at++) {
      assert.deepEqual(await page({ page: String(at), limit: String(limit) }), expected(limit, at));
    }
    assert.deepEqual(await page({ page: String(last), limit: String(limit) }), expected(limit, last));
    assert.deepEqual(await page({ page: '9999', limit: String(limit) }), expected(limit, 9999));
  }
}

/** What a list of Group B answers when nothing matches. */
export const emptyPage = {
  data: [],
  pagination: { totalPages: 0, totalElements: 0, page: 0, limit: 10, numberOfElements: 0 },
};
