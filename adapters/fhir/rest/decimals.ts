import { requireSize } from '../../../src/toolkit/http-client/answer-size.ts';
import { measureJson } from '../../../src/toolkit/measure-json.ts';

declare global {
  // ECMAScript 2026, which the types of the compiler do not have yet.
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** Numbers by the objects and arrays they stand in, as they were written. */
const written = new WeakMap<object, Map<string, string>>();

/** A number that JavaScript may write otherwise: with a zero at its end, an exponent, very small, or of more digits than it keeps. */
const fragile = /[:[,]\s*-?(?:\d+\.\d*0|0\.0{6}\d+|\d[\d.]*[eE][+-]?\d+|\d[\d.]{15,})\s*[,}\]]/;

/** Most values of a text with such numbers: each takes ten times as long. What is written again is a few resources. */
const MAX_VALUES = 20_000;

/**
 * As `JSON.parse`, and remembers how decimals were written: FHIR says that 0.010 is another value than 0.01
 * (https://hl7.org/fhir/R4/datatypes.html#decimal).
 * @throws Failure bad_answer `TOO_LARGE` for more than 20,000 values with such numbers among them.
 */
export function parseDecimals(text: string): unknown {
  if (!fragile.test(text)) return JSON.parse(text);
  const { values } = measureJson(Buffer.from(text), { depth: Number.POSITIVE_INFINITY, values: MAX_VALUES });
  requireSize(values, MAX_VALUES);
  return JSON.parse(text, remember);
}

function remember(this: object, key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined || source === String(value)) return value;
  const known = written.get(this) ?? new Map<string, string>();
  written.set(this, known.set(key, source));
  return value;
}

/** As `JSON.stringify`; what was parsed by `parseDecimals` and not changed since is written as it was. */
export const stringifyDecimals = (value: unknown): string => JSON.stringify(value, writeAgain);

function writeAgain(this: object, key: string, value: unknown): unknown {
  const source = typeof value === 'number' ? written.get(this)?.get(key) : undefined;
  return source !== undefined && Number(source) === value ? JSON.rawJSON(source) : value;
}
