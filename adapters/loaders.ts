import type { Adapter } from './adapter.ts';
import type { CreateCommand } from './command.ts';

/** Loads an adapter. */
export type LoadAdapter = () => Promise<Adapter>;

/** The adapters of `index.ts`, each loaded on first use: one needs an HTTP client, another a database. */
export const loaders = {
  memory: async () => (await import('./memory/index.ts')).memory,
  fhir: async () => (await import('./fhir/index.ts')).fhir,
  local: async () => (await import('./local/index.ts')).local,
  mapping: async () => (await import('./mapping/index.ts')).mapping,
} satisfies Readonly<Record<string, LoadAdapter>>;

/** The commands of the adapters by the word after `puente`, each loaded on first use. */
export const commandLoaders = {
  mapping: async () => (await import('./mapping/commands/index.ts')).createMappingCommand,
  local: async () => (await import('./local/commands.ts')).createLocalCommand,
  sandbox: async () => (await import('./memory/commands/index.ts')).createSandboxCommand,
  'seed-fhir': async () => (await import('./fhir/commands.ts')).createSeedCommand,
} satisfies Readonly<Record<string, () => Promise<CreateCommand>>>;
