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

/**
 * As `JSON.parse`, and remembers how decimals were written: FHIR says that 0.010 is another value than 0.01
 * (https://hl7.org/fhir/R4/datatypes.html#decimal).
 */
export function parseDecimals(text: string): unknown {
  return fragile.test(text) ? JSON.parse(text, remember) : JSON.parse(text);
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
