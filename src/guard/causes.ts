/** An error may lead back to itself, or make a new cause whenever it is asked for one. */
const MAX_CAUSES = 20;

/** What was thrown, its cause, the cause of that, and so on: each once, at most 20. A cause need not be an Error. */
export function listCauses(error: unknown): readonly object[] {
  const causes = new Set<object>();
  let next = error;
  while (typeof next === 'object' && next !== null && causes.size < MAX_CAUSES && !causes.has(next)) {
    causes.add(next);
    next = (next as { cause?: unknown }).cause;
  }
  return [...causes];
}
