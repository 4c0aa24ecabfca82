import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Readiness, Report } from '../../src/ports/index.ts';
import { Health } from '../../src/runtime/health.ts';
import { WinstonLog } from '../../src/runtime/logger.ts';
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
  health = new Health(told, 'fhir', log);
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
    expect(health.impairments).toEqual([impairment]);
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
    health = new Health(readiness, 'fhir', new WinstonLog({ level: 'info', format: 'json', stream: new Lines() }));
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

  test('is good when the adapter has nothing to find out', async () => {
    health = new Health(undefined, 'memory', new WinstonLog({ level: 'info', format: 'json', stream: new Lines() }));
    await health.watch(1);
    expect(health.impairments).toEqual([]);
  });
});
