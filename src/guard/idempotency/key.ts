/** 1 to 255 visible ASCII characters. */
const keyPattern = /^[\x21-\x7e]{1,255}$/;
/** A String of RFC 8941, section 3.3.3. */
const stringPattern = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * The key that an `Idempotency-Key` header carries: a String of structured fields, or the bare key, which mean the same.
 * Undefined when it is neither, or is not 1 to 255 visible ASCII characters long.
 */
export function parseIdempotencyKey(header: string): string | undefined {
  const quoted = stringPattern.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  const key = quoted ?? (header.includes('"') ? '' : header);
  return keyPattern.test(key) ? key : undefined;
}
