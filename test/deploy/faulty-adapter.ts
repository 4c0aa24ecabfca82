import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { Failure } from '../../src/ports/index.ts';

/** The faults that its methods have, by the id that is asked for. */
const faults: Readonly<Record<string, () => Promise<never>>> = {
  bug: () => Promise.reject(new TypeError('a bug')),
  down: () => Promise.reject(new Failure('unavailable', 'it is down')),
  full: () => Promise.reject(new Failure('overloaded', 'it is full')),
  slow: async () => {
    await sleep(3_000);
    throw new Failure('not_found', 'there is no such patient');
  },
  busy: async () => {
    for (const end = performance.now() + 400; performance.now() < end; );
    throw new Failure('not_found', 'there is no such patient');
  },
};

/** A system with which everything goes wrong that an alert is for. */
export default adapter({
  settings: z.strictObject({}),
  offer: () => ({
    patients: {
      get: async (id) => (faults[id] ?? faults.slow!)(),
      update: () => Promise.reject(new Failure('outcome_unknown', 'the connection was reset')),
      search: async () => [],
    },
    practitioners: {
      list: async (call) => {
        call.omit({ resourceType: 'Practitioner', element: 'name' });
        return [];
      },
    },
    insurance: { carriers: () => faults.down!() },
    readiness: { report: async () => ({ impairments: [{ code: 'night', detail: 'It sleeps.' }] }) },
  }),
});
