import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { DatabaseUnavailable, type RunQuery } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { WinstonLog } from '../../src/observe/log.ts';
import type { Readiness, Report } from '../../src/ports/index.ts';
import { Health, watchAdapters, watchState } from '../../src/runtime/health.ts';
import { openDurableState } from '../../src/state/open.ts';
import { StateUnavailable } from '../../src/state/state.ts';
import { Lines } from '../support/lines.ts';

const impairment = { code: 'backend_not_atomic', detail: 'mend it' };

/** A readiness that reports one thing after the other, and the last one from then on. */
class Told implements Readiness {
  readonly #reports: readonly (Report | Error)[];
  readonly #allHeard = Promise.withResolvers<void>();
  #asked = 0;
  constructor(reports: readonly (Report | Error)[]) {
    this.#reports = reports;
  }
  /** Resolves when whoever asks has the last one, and asks on. */
  get allHeard(): Promise<void> {
    return this.#allHeard.promise;
  }
  async report(): Promise<Report> {
    const report = this.#reports[this.#asked++] ?? this.#reports.at(-1);
    if (this.#asked > this.#reports.length) this.#allHeard.resolve();
    if (report instanceof Error) throw report;
    return report ?? { impairments: [] };
  }
}

let health: Health;
afterEach(() => health.stop());

/** What the log holds when all of it was reported. */
async function watchHealth(...reports: (Report | Error)[]): Promise<unknown[]> {
  const lines = new Lines();
  const log = new WinstonLog({ level: 'info', format: 'json', stream: lines });
  const told = new Told(reports);
  health = new Health(watchAdapters([{ name: 'fhir', offer: { readiness: told } }], log), log);
  void health.watch(1);
  await told.allHeard;
  await setImmediate();
  return lines.all.map((line) => {
    const { time: _, ...rest } = JSON.parse(line);
    return rest;
  });
}

describe('the health of an adapter', () => {
  test('is looked at without anybody asking, and every change is one line of the log', async () => {
    const log = await watchHealth(
      { impairments: [{ code: 'backend_unreachable', detail: '' }] },
      { backend: 'medplum', impairments: [impairment] },
      { backend: 'medplum', impairments: [impairment] },
      { backend: 'medplum', impairments: [] },
    );
    expect(health.impairments).toEqual([]);
    expect(log).toEqual([
      { level: 'warn', event: 'adapter impaired', adapter: 'fhir', code: 'backend_unreachable' },
      { level: 'info', event: 'backend found', adapter: 'fhir', backend: 'medplum' },
      { level: 'warn', event: 'adapter impaired', adapter: 'fhir', code: 'backend_not_atomic' },
      { level: 'info', event: 'adapter recovered', adapter: 'fhir' },
    ]);
  });

  test('stays as it was while the check fails', async () => {
    const log = await watchHealth({ impairments: [impairment] }, new TypeError('text of a backend'));
    expect(health.impairments).toEqual([{ adapter: 'fhir', ...impairment }]);
    expect(log).toContainEqual({
      level: 'error',
      event: 'readiness check failed',
      adapter: 'fhir',
      cause: 'TypeError',
    });
  });

  test('is looked at once more after any number of surprises, when a pause is over', async () => {
    const pause = 30;
    const listeners: (() => void)[] = [];
    const asked: number[] = [];
    const report = async () => {
      asked.push(performance.now());
      return { impairments: [] };
    };
    const readiness = { report, onSurprise: (listener: () => void) => listeners.push(listener) };
    const log = new WinstonLog({ level: 'info', format: 'json', stream: new Lines() });
    health = new Health(watchAdapters([{ name: 'fhir', offer: { readiness } }], log), log);
    void health.watch(3_600_000, pause);
    for (let surprises = 0; surprises < 5; surprises++) listeners.at(-1)?.();
    await sleep(3 * pause);
    const [first = 0, second = 0] = asked;
    expect(asked).toHaveLength(2);
    // Timers may be early by a millisecond.
    expect(second - first).toBeGreaterThanOrEqual(pause - 1);
  });

  test('is not looked at again when the gateway stops', async () => {
    await watchHealth({ impairments: [] });
    health.stop();
    await health.watch(1);
    expect(health.impairments).toEqual([]);
  });
});

describe('the store of the state', () => {
  /** A store whose database refuses what `refuses` says. */
  async function openStore(refuses: (sql: string) => boolean) {
    const database = await openSqlite(':memory:');
    const query: RunQuery = async (sql, values) => {
      if (refuses(sql)) throw new DatabaseUnavailable('full', 'SQLITE_FULL');
      return database.query(sql, values);
    };
    const state = await openDurableState({ ...database, query }, Buffer.alloc(32));
    const lines = new Lines();
    health = new Health([watchState(state)], new WinstonLog({ level: 'info', format: 'json', stream: lines }));
    return { ...state, lines };
  }
  const claim = { now: 0, leaseUntil: 1, client: 'a', fingerprint: 'a', expiresAt: 10 };
  const unavailable = [{ code: 'state_unavailable', detail: expect.stringContaining('503') }];

  test('is impaired as soon as a request finds that it does not answer, until one finds that it does', async () => {
    let isFull = false;
    const { idempotency, close } = await openStore(() => isFull);
    await idempotency.claim('a', claim);
    expect(health.impairments).toEqual([]);
    isFull = true;
    await expect(idempotency.claim('b', claim)).rejects.toThrow(StateUnavailable);
    expect(health.impairments).toEqual(unavailable);
    isFull = false;
    await idempotency.claim('c', claim);
    expect(health.impairments).toEqual([]);
    await close();
  });

  test('is looked at without anybody asking, each change is one line of the log, and what has expired is forgotten', async () => {
    let isDown = true;
    const { idempotency, now, close, lines } = await openStore((sql) => isDown && sql.startsWith('DELETE'));
    await idempotency.claim('old', { ...claim, now: now(), expiresAt: now() - 1 });
    void health.watch(1, 1);
    while (health.impairments.length === 0) await sleep(1);
    await sleep(10);
    isDown = false;
    while (health.impairments.length > 0) await sleep(1);
    await sleep(10);
    health.stop();
    expect(lines.all.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', event: 'state unavailable', code: 'state_unavailable', cause: 'SQLITE_FULL' },
      { level: 'info', event: 'state recovered' },
    ]);
    expect(await idempotency.prune(now())).toBe(0);
    await close();
  });

  test('that a request found full is logged, though looks find nothing', async () => {
    const { idempotency, close, lines } = await openStore((sql) => sql.startsWith('INSERT INTO puente_idempotency'));
    await expect(idempotency.claim('a', claim)).rejects.toThrow(StateUnavailable);
    await Promise.race([health.watch(1), sleep(20)]);
    expect(lines.all[0]).toContain('"state unavailable"');
    await close();
  });
});
