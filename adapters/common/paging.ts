import type { Instant } from '../../src/ports/index.ts';

/** Compares instants: the latest comes first. */
export const compareNewestFirst = (a: { readonly createdAt: Instant }, b: { readonly createdAt: Instant }): number =>
  Date.parse(b.createdAt) - Date.parse(a.createdAt);
