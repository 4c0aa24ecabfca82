import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { subscribe, telemetry } from '../toolkit/telemetry.ts';
import { durationBuckets } from './durations.ts';

/** Counts the requests of callers, until what it returns is called. */
export function countRequests(registers: Registry[]): (() => void)[] {
  const durations = new Histogram({
    name: 'puente_http_request_duration_seconds',
    help: 'Requests by operation (or route) and class of their status; 4xx includes 499, callers who left.',
    labelNames: ['operation', 'status'],
    buckets: durationBuckets,
    registers,
  });
  const problems = new Counter({
    name: 'puente_http_problems_total',
    help: 'Requests that ended in a problem, by its code: limits, sheds, open circuits, unknown outcomes and all others.',
    labelNames: ['operation', 'adapter', 'code'],
    registers,
  });
  const refusals = new Counter({
    name: 'puente_refusals_total',
    help: 'Requests whose token was refused or missing, by why, those beyond the limit of their address too.',
    labelNames: ['reason'],
    registers,
  });
  const replays = new Counter({
    name: 'puente_idempotency_replays_total',
    help: 'Writes whose Idempotency-Key was known, and whose first response was repeated.',
    labelNames: ['operation'],
    registers,
  });
  const omitted = new Counter({
    name: 'puente_omitted_records_total',
    help: 'Records that lists left out because they cannot be shown.',
    labelNames: ['operation', 'adapter'],
    registers,
  });
  let running = 0;
  new Gauge({
    name: 'puente_http_requests_in_flight',
    help: 'Requests that are not over.',
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
