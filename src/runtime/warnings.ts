import { isReloadable, type LoadedConfig } from '../config/read.ts';
import { explainFewDescriptors } from '../http/descriptors.ts';
import { listOwnershipWarnings, type RunningAdapter } from './adapters.ts';
import { listChainWarnings } from './audit.ts';

/**
 * Valid but probably unintended settings of a gateway at this moment, one line each.
 * @param loaded the configuration of its start.
 * @param current the configuration of its last reload.
 */
export function listRunningWarnings(
  loaded: LoadedConfig,
  started: readonly RunningAdapter[],
  current = loaded,
): readonly string[] {
  const { config } = loaded;
  const needsRestart = (key: string) => !isReloadable(key);
  const certificates = [...loaded.listCertificates(needsRestart), ...current.listCertificates(isReloadable)];
  const few = explainFewDescriptors(config.http.maxConnections);
  return [
    ...loaded.listWarnings(needsRestart),
    ...current.listWarnings(isReloadable),
    ...certificates.map(({ detail, fix }) => `${detail}; ${fix}`),
    ...listOwnershipWarnings(loaded, started),
    ...listChainWarnings(config),
    ...(few === undefined ? [] : [loaded.problem(['http', 'maxConnections'], few)]),
  ];
}
