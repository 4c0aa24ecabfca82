import type { LoadedConfig } from '../config/read.ts';
import { explainFewDescriptors } from '../http/descriptors.ts';
import { listOwnershipWarnings, type RunningAdapter } from './adapters.ts';
import { listChainWarnings } from './audit.ts';

/** What is valid but probably unintended, one line each, as far as a start can see it. */
export function listStartWarnings(loaded: LoadedConfig, started: readonly RunningAdapter[]): readonly string[] {
  const { config, warnings, certificates } = loaded;
  const few = explainFewDescriptors(config.http.maxConnections);
  return [
    ...warnings,
    ...certificates.map(({ detail, fix }) => `${detail}; ${fix}`),
    ...listOwnershipWarnings(loaded, started),
    ...listChainWarnings(config),
    ...(few === undefined ? [] : [loaded.problem(['http', 'maxConnections'], few)]),
  ];
}
