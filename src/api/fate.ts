import { type ProblemCode, problems } from './problem-types.ts';

/** The server errors after which it is certain that nothing was changed. */
const untouched: ReadonlySet<ProblemCode> = new Set([
  'not_implemented',
  'backend_unavailable',
  'overloaded',
  'backend_circuit_open',
  'draining',
  'idempotency_store_unavailable',
  'auth_provider_unavailable',
  'backend_timeout',
]);

/** What is known of a write that ended in a problem: it was refused, may be sent again as it was, or may have taken effect. */
export function getFate(code: ProblemCode): 'done' | 'untouched' | 'unknown' {
  if (problems[code].status < 500) return 'done';
  return untouched.has(code) ? 'untouched' : 'unknown';
}
