import { adapters } from '../../../adapters/index.ts';
import { findBundledWorld } from '../../../adapters/memory/world-file.ts';
import type { Environment } from '../../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../config/read.ts';
import { createPortsSubject, type PartialFixtures, type Subject, sandbox } from '../../contract/index.ts';
import { type Composition, compose } from '../../runtime/container.ts';
import type { FoundTarget } from './target.ts';

/**
 * The adapters that the configuration composes, called without HTTP.
 * @throws ConfigProblems when the configuration is invalid.
 */
export async function openProcessTarget(file: string | undefined, environment: Environment): Promise<FoundTarget> {
  const loaded = await loadConfig({ file, environment, adapters });
  const composition = await compose(loaded);
  const { timeZone, locale, bookingHorizonDays } = loaded.config.institution;
  const institution = { timeZone, locale, bookingHorizonDays };
  const names = composition.adapters.map(({ name }) => name);
  const { name, module } = loaded.config.adapter;
  const forgets = name === 'memory' && module === undefined && names.length === 1;
  return {
    name: loaded.file,
    how: `in process (${names.join(', ')})`,
    supports: composition.supports,
    institution,
    builtIn: forgets && isBundledWorld(loaded) ? { ...sandbox, ...institution } : undefined,
    forgets,
    curl: {},
    // One hospital for all that only read, and for those that write one of their own where it is gone afterwards.
    start: async ({ level }, fixtures) =>
      createSubject(forgets && level !== 'safe' ? await compose(loaded) : composition, fixtures),
    close: () => composition.close(),
  };
}

const isBundledWorld = ({ config }: LoadedConfig): boolean => {
  const { world } = config.adapter.settings as { readonly world?: string };
  return world === undefined || world === findBundledWorld();
};

const createSubject = ({ ports, supports, retryableWrites }: Composition, fixtures: PartialFixtures): Subject =>
  createPortsSubject({ ports, supports: [...supports], retryableWrites: [...retryableWrites], fixtures });
