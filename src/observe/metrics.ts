import type { TracingChannel } from 'node:diagnostics_channel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Guard, Occupancy } from '../guard/guard.ts';
import type { AdapterImpairment } from '../ports/index.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { buildVersion } from '../toolkit/package.ts';
import { type ConnectionPool, type OutgoingRequest, subscribe, telemetry } from '../toolkit/telemetry.ts';

/** Values that are read with the metrics. */
export interface MetricSources {
  readonly guard: Pick<Guard, 'occupancies' | 'openCircuits' | 'currentAdapter'>;
  readonly health: { readonly impairments: readonly AdapterImpairment[] };
  /** Undefined where no audit trail is kept. */
  readonly audit: UnwrittenRecords | undefined;
}

/** The adapter label of calls for no adapter: calls of the state, of issuers, and of readiness checks. */
const GATEWAY = 'gateway';

/** The gateway's own metrics in the text format of Prometheus. No caller controls a label's value. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #stops: readonly (() => void)[];

  constructor({ guard, health, audit }: MetricSources) {
    const registers = [this.#registry];
    new Gauge({
      name: 'puente_build_info',
      help: 'Always 1, with the versions of Puente and of Node.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version: buildVersion, node: process.versions.node }, 1);
    new Gauge({
      name: 'puente_impairments',
      help: 'Entries of /readyz, except open circuits.',
      labelNames: ['adapter', 'code'],
      registers,
      collect() {
        this.reset();
        for (const { adapter = GATEWAY, code } of health.impairments) this.inc({ adapter, code });
      },
    });
    addAuditMetrics(registers, audit);
    this.#stops = [
      addGuardMetrics(registers, guard),
      ...countRequests(registers),
      ...countBackendCalls(registers, () => guard.currentAdapter ?? GATEWAY),
    ];
  }

  /** The content type of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Returns all current metrics. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  /**
   * Adds the metrics of the process: CPU, memory, garbage collection, delay of the event loop. Their collection never
   * stops.
   */
  addProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Stops counting. */
  close(): void {
    for (const stop of this.#stops) stop();
  }
}

/** Records missing from the audit trail. */
export interface UnwrittenRecords {
  readonly waiting: number;
  readonly lost: number;
  /** Records in the trail that report missing ones. */
  readonly gaps: number;
}

/** Adds metrics of the records that the audit trail could not write. */
function addAuditMetrics(registers: Registry[], unwritten: UnwrittenRecords | undefined): void {
  new Gauge({
    name: 'puente_audit_unwritten_records',
    help: 'Records of the audit trail that wait to be written (waiting), or were lost since the start (lost).',
    labelNames: ['state'],
    registers,
    collect() {
      if (!unwritten) return;
      this.set({ state: 'waiting' }, unwritten.waiting);
      this.set({ state: 'lost' }, unwritten.lost);
    },
  });
  new Gauge({
    name: 'puente_audit_gaps',
    help: 'Gaps that this process recorded in the audit trail, after lost records or a killed process.',
    registers,
    collect() {
      if (unwritten) this.set(unwritten.gaps);
    },
  });
}

/**
 * Counts requests and statements to other systems. Returns a function that stops it.
 * @param findAdapter returns the adapter of the current call.
 */
function countBackendCalls(registers: Registry[], findAdapter: () => string): (() => void)[] {
  const durations = new Histogram({
    name: 'puente_backend_call_duration_seconds',
    help: 'Duration of requests (system `http`) and statements (`sqlite`, `postgresql` ...) to other systems.',
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
    'Connections of a pool in use.',
    ({ totalCount, idleCount }) => totalCount - idleCount,
  );
  addPoolGauge('puente_database_connections_idle', 'Idle connections of a pool.', (pool) => pool.idleCount);
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

/** Returns one of a few words, with any answer of the other system. */
function describeOutcome({ result, error }: OutgoingRequest): string {
  const status = result?.message.statusCode;
  if (status !== undefined) return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
  const code = getErrorCode(error);
  if (code === 'ETIMEDOUT') return 'timeout';
  return code === 'ERR_CANCELED' ? 'cancelled' : 'failed';
}

/** Seconds, up to the deadlines of a request. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Calls the listener with each ended event of the channel and its seconds. Returns a function that stops it. */
function subscribeToDurations<C extends object>(
  { start, asyncEnd }: TracingChannel<unknown, C>,
  listen: (ended: C, seconds: number) => void,
): () => void {
  const startTimes = new WeakMap<C, number>();
  const stops = [
    subscribe(start, (begun) => void startTimes.set(begun, performance.now())),
    subscribe(asyncEnd, (ended) => {
      const startedAt = startTimes.get(ended);
      if (startedAt !== undefined) listen(ended, (performance.now() - startedAt) / 1_000);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

const partLabels = ['adapter', 'port', 'class'] as const;

/** Adds the guard's metrics, and measures waits in it. Returns a function that stops it. */
function addGuardMetrics(registers: Registry[], guard: Pick<Guard, 'occupancies' | 'openCircuits'>): () => void {
  const addOccupancy = (name: string, help: string, count: (occupancy: Occupancy) => number) =>
    new Gauge({
      name,
      help: `${help} in each bulkhead. operation is empty unless it has its own bulkhead.`,
      labelNames: [...partLabels, 'operation'],
      registers,
      collect() {
        for (const each of guard.occupancies) {
          const { adapter, port, class: name, operation = '' } = each.kind;
          this.set({ adapter, port, class: name, operation }, count(each));
        }
      },
    });
  addOccupancy('puente_guard_running_calls', 'Running calls', ({ running }) => running);
  addOccupancy('puente_guard_queued_calls', 'Queued calls', ({ queued }) => queued);
  new Gauge({
    name: 'puente_guard_open_circuits',
    help: 'Clients whose circuit is open because the backend fails their calls.',
    labelNames: partLabels,
    registers,
    collect() {
      this.reset();
      for (const { adapter, port, class: name } of guard.openCircuits) this.inc({ adapter, port, class: name });
    },
  });
  const waits = new Histogram({
    name: 'puente_guard_wait_duration_seconds',
    help: 'Time that calls were queued in a bulkhead, until they ran or were canceled.',
    labelNames: partLabels,
    buckets: durationBuckets,
    registers,
  });
  return subscribeToDurations(telemetry.guardWait, ({ adapter, port, class: name }, seconds) =>
    waits.observe({ adapter, port, class: name }, seconds),
  );
}

/** Counts the callers' requests. Returns a function that stops it. */
function countRequests(registers: Registry[]): (() => void)[] {
  const durations = new Histogram({
    name: 'puente_http_request_duration_seconds',
    help: 'Duration of the requests of callers.',
    labelNames: ['operation', 'status'],
    buckets: durationBuckets,
    registers,
  });
  const problems = new Counter({
    name: 'puente_http_problems_total',
    help: 'Requests that ended in a problem, by its code.',
    labelNames: ['operation', 'adapter', 'code'],
    registers,
  });
  const refusals = new Counter({
    name: 'puente_refusals_total',
    help: 'Requests with a missing or rejected token, by reason, including those beyond the limit of their address.',
    labelNames: ['reason'],
    registers,
  });
  const replays = new Counter({
    name: 'puente_idempotency_replays_total',
    help: 'Responses replayed for a known Idempotency-Key.',
    labelNames: ['operation'],
    registers,
  });
  const omitted = new Counter({
    name: 'puente_omitted_records_total',
    help: 'Records that lists omitted because they are invalid.',
    labelNames: ['operation', 'adapter'],
    registers,
  });
  let running = 0;
  new Gauge({
    name: 'puente_http_requests_in_flight',
    help: 'Requests in flight.',
    registers,
    collect() {
      this.set(running);
    },
  });
  const begin = () => {
    running += 1;
  };
  return [
    subscribe(telemetry.request.start, begin),
    subscribe(telemetry.request.asyncEnd, (request) => {
      const { operation = '*', adapter = '', status = 0, seconds = 0, code, refusal } = request;
      running -= 1;
      durations.observe({ operation, status: `${Math.floor(status / 100)}xx` }, seconds);
      if (code !== undefined) problems.inc({ operation, adapter, code });
      if (refusal !== undefined) refusals.inc({ reason: refusal });
      if (request.replayed) replays.inc({ operation });
      if (request.omitted) omitted.inc({ operation, adapter }, request.omitted);
    }),
  ];
}
