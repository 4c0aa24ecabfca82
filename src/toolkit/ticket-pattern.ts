import { createContext, Script } from 'node:vm';
import { RE2JS } from 're2js';
import { Failure } from '../ports/index.ts';
import { getErrorCode } from './failures.ts';

/**
 * Time limits in milliseconds for patterns that the linear-time engine rejects: for one value, and for all values of a
 * ticket. They count this thread's own processor time, so a busy machine rejects no valid value.
 */
const TIMEOUT_MS = 50;
const TOTAL_TIMEOUT_MS = 100;
/**
 * The maximum number of engine instructions for all values of a ticket. At every character the engine may execute each
 * instruction of its program. It executes 20 or more in a microsecond, so the limit is about 25 ms.
 */
const MAX_STEPS = 500_000;
/** The longest pattern. */
const MAX_LENGTH = 1_000;
/** The longest pattern, with its repetitions expanded, for the linear-time engine. */
const MAX_EXPANDED_LENGTH = 10_000;
/**
 * The cost of a Unicode class in characters of a pattern: it has about a thousand ranges, and repetitions copy them.
 */
const UNICODE_CLASS_LENGTH = 2_000;

/** Matches the values of one ticket. Takes about 150 ms at most for all of them, with any pattern. */
export class PatternMatcher {
  #steps = MAX_STEPS;
  #timeLeftMs = TOTAL_TIMEOUT_MS;

  /**
   * True if the whole value matches the institution's pattern. An empty pattern matches any value. A pattern with
   * lookaround or backreferences, or one that is too large for the length of the value, has 50 ms. All patterns
   * together have 100 ms, including the compilation of new ones. After that a value counts as not matching.
   * @throws Failure bad_answer when the pattern is not a regular expression of at most 1,000 characters.
   */
  matches(pattern: string, value: string): boolean {
    if (pattern === '') return true;
    if (pattern.length > MAX_LENGTH) throw createNoPattern();
    if (this.#timeLeftMs < 1) return false;
    const before = process.threadCpuUsage();
    try {
      return this.#match(pattern, value);
    } finally {
      this.#timeLeftMs -= getMsSince(before);
    }
  }

  #match(pattern: string, value: string): boolean {
    const linear = compileLinear(pattern);
    const steps = linear ? linear.programSize() * value.length : Number.POSITIVE_INFINITY;
    if (linear && steps <= this.#steps) {
      this.#steps -= steps;
      return linear.matches(value);
    }
    const flags = parseFlags(pattern);
    const timeout = Math.min(TIMEOUT_MS, Math.floor(this.#timeLeftMs));
    const before = process.threadCpuUsage();
    for (;;) {
      const matches = matchesWithTimeout(pattern, flags, value, timeout);
      // The time limit of a script is wall time: other threads may have used the processor for most of it.
      if (matches !== undefined) return matches;
      if (getMsSince(before) >= timeout) return false;
    }
  }
}

/** Milliseconds of this thread's own time. */
function getMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Limits of the cache of compiled patterns: their number, and their total length with repetitions expanded. Compiling
 * takes milliseconds. An institution has few patterns, but one with many Unicode classes takes megabytes.
 */
const MAX_COMPILED = 500;
const MAX_COMPILED_LENGTH = 200_000;
let compiledLength = 0;
const compiled = new Map<string, RE2JS | undefined>();

/** The pattern for the linear-time engine. Undefined if that engine rejects it. */
function compileLinear(pattern: string): RE2JS | undefined {
  if (!compiled.has(pattern)) {
    const length = Math.min(MAX_EXPANDED_LENGTH, measureExpanded(pattern));
    if (compiled.size === MAX_COMPILED || compiledLength + length > MAX_COMPILED_LENGTH) {
      compiled.clear();
      compiledLength = 0;
    }
    compiledLength += length;
    compiled.set(pattern, compile(pattern));
  }
  return compiled.get(pattern);
}

function compile(pattern: string): RE2JS | undefined {
  if (measureExpanded(pattern) > MAX_EXPANDED_LENGTH) return undefined;
  try {
    return RE2JS.compile(RE2JS.translateRegExp(toLinearPattern(pattern)));
  } catch {
    return undefined;
  }
}

/** `\\s` and `\\S` of ECMAScript as members of a class. The engine's own know ASCII only. */
const SPACES = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const OTHERS =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/**
 * The pattern with the meaning of ECMAScript in the syntax of the linear-time engine, which also knows further escapes.
 * @throws Error for an empty class, which that syntax does not have.
 */
function toLinearPattern(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(/\\.|[.[\]]/gs, (token, at: number) => {
    const rest = pattern.slice(at + token.length);
    switch (token) {
      case '.':
        return isInClass ? token : '[^\\n\\r\\x{2028}\\x{2029}]';
      case '[':
        if (isInClass) return '\\[';
        if (/^\^?\]/.test(rest)) throw new Error('an empty class');
        isInClass = true;
        return token;
      case ']':
        isInClass = false;
        return token;
      case '\\s':
        return isInClass ? SPACES : `[${SPACES}]`;
      case '\\S':
        return isInClass ? OTHERS : `[${OTHERS}]`;
      case '\\p':
      case '\\P':
        return rest.startsWith('{') ? token : token.slice(1);
      case '\\x':
        return /^[\da-f]{2}/i.test(rest) ? token : token.slice(1);
      default:
        return /^\\[ACEQaz]$/.test(token) ? token.slice(1) : token;
    }
  });
}

/** The length of the pattern times all its repetition counts. It is at least the length of the expanded pattern. */
const measureExpanded = (pattern: string): number =>
  [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce(
    (length, [, min, max]) => length * Math.max(1, Number(min), Number(max ?? 0)),
    pattern.length + UNICODE_CLASS_LENGTH * (pattern.match(/\\p/gi)?.length ?? 0),
  );

const sandbox = createContext({ __proto__: null }, { codeGeneration: { strings: false, wasm: false } });
const match = new Script('new RegExp(source, flags).test(value)');

/** Undefined if the time limit was reached first. */
function matchesWithTimeout(pattern: string, flags: 'u' | '', value: string, timeout: number): boolean | undefined {
  Object.assign(sandbox, { source: `^(?:${pattern})$`, flags, value });
  try {
    return match.runInContext(sandbox, { timeout }) === true;
  } catch (error) {
    return getErrorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? undefined : false;
  } finally {
    Object.assign(sandbox, { value: '' });
  }
}

function parseFlags(pattern: string): 'u' | '' {
  const flags = findFlags(pattern);
  if (flags !== undefined) return flags;
  throw createNoPattern();
}

const createNoPattern = (): Failure =>
  new Failure('bad_answer', 'a ticket type has a pattern that is not a regular expression of at most 1,000 characters');

/** Some patterns compile only without Unicode mode, e.g. those that escape a dash. */
const findFlags = (pattern: string): 'u' | '' | undefined =>
  (['u', ''] as const).find((flags) => compiles(pattern, flags));

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

/** True if `PatternMatcher` can match values against the text: a regular expression of ECMAScript, of at most 1,000 characters. */
export const isPattern = (text: string): boolean => text.length <= MAX_LENGTH && findFlags(text) !== undefined;
