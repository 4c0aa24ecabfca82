import { Container } from 'inversify';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/read.ts';
import { createAdaptersModule } from './adapters-module.ts';
import type { Composition } from './composition.ts';
import { gatewayModule } from './gateway-module.ts';
import { httpModule } from './http-module.ts';
import { tokens } from './tokens.ts';

/**
 * The whole gateway, of which nothing is made before it is asked for: `getAsync(tokens.server)` makes what is needed to
 * listen, and `unbindAllAsync()` closes whatever was made.
 */
export function createContainer(
  loaded: LoadedConfig,
  environment: Environment,
  readConfig: () => Promise<LoadedConfig> = async () => loaded,
): Container {
  const container = createAdaptersContainer(loaded);
  container.bind(tokens.readConfig).toConstantValue(readConfig);
  container.bind(tokens.environment).toConstantValue(environment);
  container.load(gatewayModule, httpModule);
  return container;
}

/** The adapters without a gateway around them, for commands that call their ports. */
function createAdaptersContainer(loaded: LoadedConfig): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(tokens.config).toConstantValue(loaded);
  container.load(createAdaptersModule(container));
  return container;
}

/**
 * Starts the adapters alone; `close` lets go of everything that they hold.
 * @throws ConfigProblems as `startAdapters` does; nothing stays open then.
 */
export async function compose(loaded: LoadedConfig): Promise<Composition & { close(): Promise<void> }> {
  const container = createAdaptersContainer(loaded);
  const composition = await container.getAsync(tokens.composition);
  return { ...composition, close: () => container.unbindAllAsync() };
}
