import type { Instant } from '../../src/ports/index.ts';

/** Compares instants: the latest comes first. */
export const compareNewestFirst = (a: { readonly createdAt: Instant }, b: { readonly createdAt: Instant }): number =>
  a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? 1 : -1;
