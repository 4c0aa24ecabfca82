import { type ProblemCode, problems } from './problem-types.ts';

/** The problems of a request that was not executed, so that it may come again, as it was or corrected. */
const untouched: ReadonlySet<ProblemCode> = new Set([
  'validation',
  'not_implemented',
  'forbidden',
  'backend_unavailable',
  'overloaded',
  'backend_circuit_open',
  'starting',
  'draining',
  'idempotency_store_unavailable',
  'audit_unavailable',
  'auth_provider_unavailable',
  'backend_timeout',
]);

/** What is known of a write that ended in a problem: it was refused, may be sent again as it was, or may have taken effect. */
export function getFate(code: ProblemCode): 'done' | 'untouched' | 'unknown' {
  if (untouched.has(code)) return 'untouched';
  return problems[code].status < 500 ? 'done' : 'unknown';
}
