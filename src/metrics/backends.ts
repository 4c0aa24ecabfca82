import { Gauge, Histogram, type Registry } from 'prom-client';
import { type ConnectionPool, type OutgoingRequest, telemetry } from '../toolkit/telemetry.ts';
import { durationBuckets, subscribeToDurations } from './durations.ts';

/**
 * Counts requests and statements to other systems, until what it returns is called.
 * @param findAdapter tells for which adapter the caller makes them.
 */
export function countBackendCalls(registers: Registry[], findAdapter: () => string): (() => void)[] {
  const durations = new Histogram({
    name: 'puente_backend_call_duration_seconds',
    help: 'Requests (system http) and statements of SQL to other systems; the outcome is the class of the status, ok, or what went wrong.',
    labelNames: ['adapter', 'system', 'outcome'],
    buckets: durationBuckets,
    registers,
  });
  const pools = new Map<string, ConnectionPool>();
  const addPoolGauge = (name: string, help: string, count: (pool: ConnectionPool) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['adapter'],
      registers,
      collect() {
        for (const [adapter, pool] of pools) this.set({ adapter }, count(pool));
      },
    });
  addPoolGauge(
    'puente_database_connections_used',
    'Connections of a pool that are in use.',
    ({ totalCount, idleCount }) => totalCount - idleCount,
  );
  addPoolGauge(
    'puente_database_connections_idle',
    'Connections of a pool that wait for use.',
    (pool) => pool.idleCount,
  );
  addPoolGauge(
    'puente_database_waiting',
    'Statements that wait for a connection of a pool.',
    (pool) => pool.waitingCount,
  );
  const waiting = new Map<string, () => number>();
  new Gauge({
    name: 'puente_backend_waiting',
    help: 'Requests that wait for one of the connections to a system.',
    labelNames: ['adapter'],
    registers,
    collect() {
      for (const [adapter, count] of waiting) this.set({ adapter }, count());
    },
  });
  return [
    subscribeToDurations(telemetry.outgoing, (request, seconds) => {
      const adapter = findAdapter();
      if (request.countWaiting) waiting.set(adapter, request.countWaiting);
      durations.observe({ adapter, system: 'http', outcome: describeOutcome(request) }, seconds);
    }),
    subscribeToDurations(telemetry.statement, ({ system, pool, error }, seconds) => {
      const adapter = findAdapter();
      if (pool) pools.set(adapter, pool);
      durations.observe({ adapter, system, outcome: error === undefined ? 'ok' : 'failed' }, seconds);
    }),
  ];
}

/** Few words, whatever the other system sends. */
function describeOutcome({ result, error }: OutgoingRequest): string {
  const status = result?.message.statusCode;
  if (status !== undefined) return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
  const code: unknown = Object(error).code;
  if (code === 'ETIMEDOUT') return 'timeout';
  return code === 'ERR_CANCELED' ? 'cancelled' : 'failed';
}
