import type { LoadedConfig } from '../config/read.ts';
import { explainFewDescriptors } from '../http/descriptors.ts';
import { listOwnershipWarnings, type RunningAdapter } from './adapters.ts';
import { listChainWarnings } from './audit.ts';

/** Valid but probably unintended settings that a start detects, one line each. */
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
