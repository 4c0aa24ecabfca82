import type { Adapter } from './adapter.ts';

/** Loads an adapter. */
export type LoadAdapter = () => Promise<Adapter>;

/** The adapters of `index.ts`, each loaded when it is asked for: one brings an HTTP client along, another a database. */
export const loaders = {
  memory: async () => (await import('./memory/index.ts')).memory,
  fhir: async () => (await import('./fhir/index.ts')).fhir,
  local: async () => (await import('./local/index.ts')).local,
  mapping: async () => (await import('./mapping/index.ts')).mapping,
} satisfies Readonly<Record<string, LoadAdapter>>;
