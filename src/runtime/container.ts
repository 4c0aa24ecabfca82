import { Container } from 'inversify';
import type { Environment } from '../config/keys.ts';
import type { LoadedConfig } from '../config/read.ts';
import { createNoFiles } from '../database/open-database.ts';
import { listAdapterNotes, listOwnershipWarnings } from './adapters.ts';
import { adaptersModule, callersModule, healthModule, httpModule, recordsModule } from './modules.ts';
import { parts } from './parts.ts';

/**
 * The whole gateway. It creates each part on demand: `getAsync(parts.server)` creates the parts for
 * listening, and `unbindAllAsync()` closes all existing ones.
 */
export function createContainer(
  loaded: LoadedConfig,
  environment: Environment,
  readConfig: () => Promise<LoadedConfig> = async () => loaded,
): Container {
  const container = createAdaptersContainer(loaded);
  container.bind(parts.readConfig).toConstantValue(readConfig);
  container.bind(parts.environment).toConstantValue(environment);
  container.load(healthModule, callersModule, recordsModule, httpModule);
  return container;
}

/** The adapters without a gateway, for commands that call their ports. */
function createAdaptersContainer(loaded: LoadedConfig): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(parts.config).toConstantValue(loaded);
  container.load(adaptersModule);
  return container;
}

export type Composition = Awaited<ReturnType<typeof compose>>;

/**
 * Starts only the adapters, and creates no SQLite file. `close` releases all their resources.
 * @throws ConfigProblems as `startAdapters` does. Nothing then stays open.
 */
export async function compose(loaded: LoadedConfig) {
  const container = createAdaptersContainer(loaded);
  const missingFiles: string[] = [];
  const started = await createNoFiles(missingFiles, () => container.getAsync(parts.adapters));
  return {
    ...container.get(parts.offered),
    adapters: started.map(({ name, offer: { readiness } }) => ({ name, readiness })),
    /** The adapters' notes, and warnings of probably unintended settings, one line each. */
    notes: listAdapterNotes(started, container.get(parts.offered)),
    warnings: listOwnershipWarnings(loaded, started),
    /** The SQLite files that only a gateway creates. Their adapters have an empty database in memory. */
    missingFiles,
    close: () => container.unbindAllAsync(),
  };
}
