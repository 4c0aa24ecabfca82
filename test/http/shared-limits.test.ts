import { describe, expect, jest, test } from '@jest/globals';
import { ClientLimits } from '../../src/http/limits.ts';
import { createSharedRateLimiters, type LimitsStatement } from '../../src/http/shared-limits.ts';
import { Log, type LogFields, type LogLevel } from '../../src/ports/index.ts';

class Lines extends Log {
  readonly all: (string | undefined)[][] = [];
  write(level: LogLevel, event: string, { code }: LogFields = {}): void {
    this.all.push([level, event, code]);
  }
}

const HOUR = 3_600_000;

/** What the statements do, with windows that do not end. */
class Table {
  readonly points = new Map<string, number>();
  asked = 0;
  answer: () => Promise<void> = async () => undefined;

  async query({ values }: LimitsStatement): Promise<unknown> {
    const [key, points, length] = values as [string, number?, number?];
    this.asked += 1;
    await this.answer();
    const known = this.points.get(key);
    if (points === undefined) return { rows: known === undefined ? [] : [{ points: known, ms_left: HOUR }] };
    this.points.set(key, (this.points.get(key) ?? 0) + points);
    return { rows: [{ points: this.points.get(key), ms_left: length }] };
  }

  async end(): Promise<void> {}
}

const quota = { requests: 500, seconds: 3_600 };
const patient = { answerTimeout: 60_000, pause: 3_600_000 };

function setUp(times = patient) {
  const table = new Table();
  const log = new Lines();
  const create = () => createSharedRateLimiters(table, (key) => `digest of ${key}`, log, times).create('read', quota);
  return { table, log, one: create(), two: create() };
}

describe('rate limiters that share their counts', () => {
  test('let in what the quota says, and ask once for a fiftieth of it', async () => {
    const { table, one } = setUp();
    for (let i = 0; i < quota.requests; i++) expect((await one.take('app')).allowed).toBe(true);
    expect(table.asked).toBe(50);
    const refused = await one.take('app');
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.msLeft).toBeGreaterThan(3_000_000);
    expect(refused.msLeft).toBeLessThanOrEqual(3_600_000);
    expect(await one.look('app')).toMatchObject({ allowed: false, remaining: 0 });
  });

  test('say what is left of the whole quota, not of the portion that one gateway has taken of it', async () => {
    const { table } = setUp();
    const create = () => createSharedRateLimiters(table, (key) => key, new Lines(), patient).create;
    const of = { ...quota, concurrent: 1 };
    const quotas = { read: of, write: of, slotSearch: of, patientSearch: of };
    const [one, two] = [new ClientLimits(quotas, create()), new ClientLimits(quotas, create())];
    const [first] = await one.listRemaining('app');
    expect(first).toEqual({ name: 'read', remaining: 500, requests: 500 });
    for (let i = 0; i < 13; i++) (await one.enter('app', 'read'))(true);
    expect((await one.listRemaining('app'))[0]?.remaining).toBe(487);
    // The other gateway cannot send what is left of a portion.
    expect((await two.listRemaining('app'))[0]?.remaining).toBe(480);
    for (let i = 13; i < quota.requests; i++) (await one.enter('app', 'read'))(true);
    expect((await one.listRemaining('app'))[0]?.remaining).toBe(0);
  });

  test('say what is left of the quota, and no more than it, while the database fails', async () => {
    const { table, one } = setUp();
    await one.take('app');
    table.answer = async () => Promise.reject(new Error('away'));
    expect(await one.countLeft('app')).toBe(500);
  });

  test('ask no more in this window about a key that has used it up', async () => {
    const { table, one, two } = setUp();
    for (let i = 0; i <= quota.requests; i++) await one.take('app');
    expect((await two.take('app')).allowed).toBe(false);
    const { asked } = table;
    for (let i = 0; i < 100; i++) expect((await two.take('app')).allowed).toBe(false);
    expect(table.asked).toBe(asked);
    expect((await two.take('portal')).allowed).toBe(true);
  });

  test('let in the quota, or up to a tenth less, of requests that come at once', async () => {
    const { one, two } = setUp();
    const taken = await Promise.all(Array.from({ length: 1_000 }, (_, i) => (i % 2 ? one : two).take('app')));
    const allowed = taken.filter((each) => each.allowed).length;
    expect(allowed).toBeLessThanOrEqual(quota.requests);
    expect(allowed).toBeGreaterThanOrEqual(0.9 * quota.requests);
  });

  test('tell what is refused first in a window, and what is more of it, wherever the last portion ends', async () => {
    for (const used of [0, 5]) {
      const { table, one } = setUp();
      table.points.set('read:digest of app', used);
      for (let i = used; i < quota.requests; i++) expect((await one.take('app')).allowed).toBe(true);
      const refused = [await one.take('app'), await one.take('app'), await one.take('app')];
      expect(refused.map(({ allowed, repeated }) => [allowed, repeated])).toEqual([
        [false, false],
        [false, true],
        [false, true],
      ]);
    }
  });

  test('keep digests of their keys alone', async () => {
    const { table, one } = setUp();
    await one.take('192.0.2.1');
    expect([...table.points.keys()]).toEqual(['read:digest of 192.0.2.1']);
  });

  test('name no statement, which a pooler may send over another connection than the one that knows it', async () => {
    const { table, one } = setUp();
    const sent = jest.spyOn(table, 'query');
    await one.take('app');
    await one.look('portal');
    expect(sent.mock.calls.flatMap(([statement]) => Object.keys(statement))).toEqual([
      'text',
      'values',
      'text',
      'values',
    ]);
  });

  test('count for themselves while the database fails, say so once, and leave it alone', async () => {
    const { table, log, one } = setUp();
    table.answer = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    for (let i = 0; i < quota.requests; i++) expect((await one.take('app')).allowed).toBe(true);
    expect((await one.take('app')).allowed).toBe(false);
    expect(table.asked).toBe(1);
    expect(log.all).toEqual([['warn', 'limits not shared', 'ECONNREFUSED']]);
  });

  test('do not wait for a database that does not answer', async () => {
    const { table, log, one } = setUp({ ...patient, answerTimeout: 1 });
    table.answer = () => new Promise(() => undefined);
    for (let i = 0; i < 100; i++) expect((await one.take('app')).allowed).toBe(true);
    expect(table.asked).toBe(1);
    expect(log.all).toEqual([['warn', 'limits not shared', 'timeout']]);
  });

  test('share again as soon as what was late is answered', async () => {
    const { table, log, one, two } = setUp({ ...patient, answerTimeout: 5 });
    const late = Promise.withResolvers<void>();
    table.answer = () => late.promise;
    await one.take('app');
    expect(log.all.map(([, event]) => event)).toEqual(['limits not shared']);
    table.answer = async () => undefined;
    late.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 600; i++) await one.take('app');
    expect((await two.take('app')).allowed).toBe(false);
    expect(log.all.map(([, event]) => event)).toEqual(['limits not shared', 'limits shared again']);
  });

  test('let in one more for each that is given back', async () => {
    const { one } = setUp();
    for (let i = 0; i < quota.requests; i++) await one.take('app');
    expect((await one.take('app')).allowed).toBe(false);
    one.refund('app');
    expect((await one.take('app')).allowed).toBe(true);
    expect((await one.take('app')).allowed).toBe(false);
  });

  test('share again when it answers again', async () => {
    const { table, log, one, two } = setUp({ ...patient, pause: 0 });
    table.answer = () => Promise.reject(new Error('refused'));
    await one.take('app');
    table.answer = async () => undefined;
    for (let i = 0; i < 600; i++) await one.take('app');
    expect((await two.take('app')).allowed).toBe(false);
    expect(log.all.map(([, event]) => event)).toEqual(['limits not shared', 'limits shared again']);
  });
});
