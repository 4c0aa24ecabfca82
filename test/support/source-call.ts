import type { SourceCall, Values } from '../../adapters/mapping/sources/source.ts';

/** A call without an end. */
export const sourceCall = (changes: Partial<SourceCall> = {}): SourceCall => ({
  signal: new AbortController().signal,
  requestId: 'test',
  ...changes,
});

/** One value for each name. */
export const toValues = (given: Readonly<Record<string, string | number | boolean | null>>): Values =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value]]));
