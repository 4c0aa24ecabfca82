import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Guard, Occupancy } from '../guard/guard.ts';
import { telemetry } from '../toolkit/telemetry.ts';
import { durationBuckets, subscribeToDurations } from './durations.ts';

const partLabels = ['adapter', 'port', 'class'] as const;

/** Adds what the guard knows, and counts how long calls wait in it until what it returns is called. */
export function addGuardMetrics(registers: Registry[], guard: Pick<Guard, 'occupancies' | 'openCircuits'>): () => void {
  const addOccupancy = (name: string, help: string, count: (occupancy: Occupancy) => number) =>
    new Gauge({
      name,
      help: `${help}, by bulkhead; operation is empty unless it has one of its own.`,
      labelNames: [...partLabels, 'operation'],
      registers,
      collect() {
        for (const each of guard.occupancies) {
          const { adapter, port, class: name, operation = '' } = each.kind;
          this.set({ adapter, port, class: name, operation }, count(each));
        }
      },
    });
  addOccupancy('puente_guard_running_calls', 'Calls of adapters that run', ({ running }) => running);
  addOccupancy('puente_guard_queued_calls', 'Calls of adapters that wait', ({ queued }) => queued);
  new Gauge({
    name: 'puente_guard_open_circuits',
    help: 'Circuits that are open: of how many clients calls are refused because the backend fails them.',
    labelNames: partLabels,
    registers,
    collect() {
      this.reset();
      for (const { adapter, port, class: name } of guard.openCircuits) this.inc({ adapter, port, class: name });
    },
  });
  const waits = new Histogram({
    name: 'puente_guard_wait_duration_seconds',
    help: 'Waits of calls that found all rooms of their bulkhead taken, until they ran or were given up.',
    labelNames: partLabels,
    buckets: durationBuckets,
    registers,
  });
  return subscribeToDurations(telemetry.guardWait, ({ adapter, port, class: name }, seconds) =>
    waits.observe({ adapter, port, class: name }, seconds),
  );
}
