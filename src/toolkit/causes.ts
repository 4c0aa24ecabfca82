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

/** The form of a code, e.g. `ECONNREFUSED`, `HTTP_401` or `no_birth_date`; text about a person does not match. */
const codePattern = /^(?:[A-Z][A-Z0-9_]{1,40}|[a-z]+(?:_[a-z]+)+)$/;

/** The code of the innermost cause that has one, never a message. A cause need not be an Error. */
export function findCauseCode(error: unknown): string | undefined {
  const codes = listCauses(error).map((each) => (each as { code?: unknown }).code);
  return codes.findLast((code): code is string => typeof code === 'string' && codePattern.test(code));
}

/** The stack frames of our own code, e.g. `src/api/perform.ts:38:20`. Leaves out the message, which may contain patient data. */
export const listFrames = (error: unknown): string[] =>
  error instanceof Error
    ? [
        ...(error.stack ?? '').matchAll(
          /^ +at (?!.*node_modules).*\b((?:src|adapters)\/[\w./-]+\.[jt]s:\d+:\d+)\)?$/gm,
        ),
      ].map(([, frame]) => frame!)
    : [];
