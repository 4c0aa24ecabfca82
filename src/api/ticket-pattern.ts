import { createContext, Script } from 'node:vm';
import { RE2JS } from 're2js';
import { Failure } from '../ports/index.ts';

/** The time limit, in milliseconds, for a pattern that the linear-time engine refuses. */
const TIMEOUT_MS = 50;

/**
 * Whether the whole value matches the institution's pattern; an empty pattern takes any value. Takes time linear in the
 * value; for a pattern with lookaround or backreferences at most 50 ms, after which the value counts as not matching.
 * @throws Failure bad_answer when the pattern is not a regular expression.
 */
export function matchesPattern(pattern: string, value: string): boolean {
  if (pattern === '') return true;
  return compileLinear(pattern)?.matches(value) ?? matchesWithTimeout(pattern, value);
}

/** The maximum number of patterns that stay compiled: compiling takes milliseconds, and an institution has few. */
const MAX_COMPILED = 500;
const compiled = new Map<string, RE2JS | undefined>();

/** The pattern for the linear-time engine; undefined when that refuses it. */
function compileLinear(pattern: string): RE2JS | undefined {
  if (!compiled.has(pattern)) {
    if (compiled.size === MAX_COMPILED) compiled.clear();
    compiled.set(pattern, compile(pattern));
  }
  return compiled.get(pattern);
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

const sandbox = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
const match = new Script('new RegExp(source, flags).test(value)');

function matchesWithTimeout(pattern: string, value: string): boolean {
  const flags = parseFlags(pattern);
  Object.assign(sandbox, { source: `^(?:${pattern})$`, flags, value });
  try {
    return match.runInContext(sandbox, { timeout: TIMEOUT_MS }) === true;
  } catch {
    return false;
  } finally {
    Object.assign(sandbox, { value: '' });
  }
}

/** Some patterns compile only without Unicode mode, e.g. those that escape a dash. */
function parseFlags(pattern: string): 'u' | '' {
  for (const flags of ['u', ''] as const) {
    try {
      new RegExp(pattern, flags);
      return flags;
    } catch {
      // The next flags may do.
    }
  }
  throw new Failure('bad_answer', 'a ticket type has a pattern that is not a regular expression');
}
