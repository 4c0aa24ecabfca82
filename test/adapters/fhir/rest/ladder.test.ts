import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { parseOutcome, toStatusFailure } from '../../../../adapters/fhir/rest/errors.ts';
import { Ladder } from '../../../../adapters/fhir/rest/ladder.ts';
import type { SearchQuery } from '../../../../adapters/fhir/rest/query.ts';
import { badAnswer, TOO_LARGE } from '../../../../src/http-client/failures.ts';

afterEach(() => void jest.useRealTimers());

const refuse = (status: number, diagnostics?: string) => {
  const issue = [{ severity: 'error', code: 'not-supported', diagnostics }];
  return toStatusFailure(status, parseOutcome({ resourceType: 'OperationOutcome', issue }), 'read');
};

const wanted = {
  _include: 'Slot:schedule',
  _revinclude: 'Appointment:slot',
  _total: 'accurate',
  _sort: 'start',
  _count: '200',
};

/** Asks until a server takes the search, which refuses these parameters, and returns what was asked last. */
function climb(ladder: Ladder, refused: readonly string[], { names = true, query = wanted as SearchQuery } = {}) {
  let asked = ladder.begin('Slot', query);
  for (let requests = 1; ; requests++) {
    const found = refused.find((name) => asked.query[name] !== undefined);
    if (found === undefined) {
      ladder.learn('Slot', asked);
      return { requests, query: asked.query };
    }
    const next = ladder.lower('Slot', query, asked, refuse(400, names ? `Unknown parameter ${found}` : undefined));
    if (!next) throw new Error('the ladder ends');
    asked = next;
  }
}

describe('a search', () => {
  test('goes without the parameter that the server names, and so do those after it', () => {
    const ladder = new Ladder();
    const { _revinclude, ...rest } = wanted;
    expect(climb(ladder, ['_revinclude'])).toEqual({ requests: 2, query: rest });
    expect(climb(ladder, ['_revinclude'])).toEqual({ requests: 1, query: rest });
    expect(ladder.heeds('Slot', '_revinclude')).toBe(false);
    expect(ladder.heeds('Patient', '_revinclude')).toBe(true);
  });

  test('goes without one after the other where the server names none, and only what was at fault is remembered', () => {
    const ladder = new Ladder();
    expect(climb(ladder, ['_total'], { names: false })).toMatchObject({ requests: 4, query: { _sort: 'start' } });
    const { _total, ...rest } = wanted;
    expect(climb(ladder, ['_total'], { names: false })).toEqual({ requests: 1, query: rest });
  });

  test('finds out about each of several that are refused and not named', () => {
    const ladder = new Ladder();
    const refused = ['_include', '_sort', '_total'];
    const requests = Array.from({ length: 4 }, () => climb(ladder, refused, { names: false }).requests);
    expect(requests.at(-1)).toBe(1);
    expect(ladder.list().map(({ part, code }) => [part, code])).toEqual(
      expect.arrayContaining(refused.map((part) => [part, 'HTTP_400'])),
    );
    expect(ladder.heeds('Slot', '_revinclude')).toBe(true);
  });

  test('asks for all of it again after an hour', () => {
    jest.useFakeTimers({ now: 0 });
    const ladder = new Ladder();
    climb(ladder, ['_total']);
    jest.setSystemTime(3_599_000);
    expect(ladder.begin('Slot', wanted).query).not.toHaveProperty('_total');
    jest.setSystemTime(3_601_000);
    expect(ladder.begin('Slot', wanted).query).toEqual(wanted);
  });

  test.each([422, 501])('that is answered with %i was refused, too', (status) => {
    const ladder = new Ladder();
    const next = ladder.lower('Slot', wanted, ladder.begin('Slot', wanted), refuse(status, 'bad _sort value'));
    expect(next?.query).not.toHaveProperty('_sort');
  });

  test.each([403, 404, 429, 503])('that is answered with %i was not refused for what it asks', (status) => {
    const ladder = new Ladder();
    expect(ladder.lower('Slot', wanted, ladder.begin('Slot', wanted), refuse(status))).toBeUndefined();
  });

  test('goes without includes this once where the server fails over them', () => {
    const ladder = new Ladder();
    const next = ladder.lower('Slot', wanted, ladder.begin('Slot', wanted), refuse(500));
    expect(next?.query).not.toHaveProperty('_include');
    if (next) ladder.learn('Slot', next);
    expect(ladder.begin('Slot', wanted).query).toEqual(wanted);
  });

  test('whose answer is too large brings less, and only one of its kind does later', () => {
    const ladder = new Ladder();
    const next = ladder.lower('Slot', wanted, ladder.begin('Slot', wanted), badAnswer(TOO_LARGE));
    expect(next?.query).not.toHaveProperty('_include');
    expect(ladder.begin('Slot', wanted).query).not.toHaveProperty('_include');
    const other = { _include: 'Slot:schedule' };
    expect(ladder.begin('Slot', other).query).toEqual(other);
  });

  test('is not asked for what the server accepts and does not obey', () => {
    const ladder = new Ladder();
    ladder.confirm('Slot', '_total');
    ladder.notice('Slot', '_total');
    expect(ladder.begin('Slot', wanted).query).not.toHaveProperty('_total');
    expect([ladder.obeys('Slot', '_total'), ladder.isTried('Slot', '_total')]).toEqual([false, true]);
  });
});
