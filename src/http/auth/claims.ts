import type { JWTPayload } from 'jose';

export const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** The words of a claim that is a space-separated string or a list. */
export const readWords = (claim: unknown): readonly string[] =>
  (typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : []).filter(
    (word: unknown): word is string => typeof word === 'string' && word !== '',
  );

/** `a.b` is the claim b in a, unless a claim has that very name. */
export function findClaim(claims: JWTPayload, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((value, name) => {
    const isRecord = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isRecord ? Reflect.get(value, name) : undefined;
  }, claims);
}
