import { Container } from 'inversify';
import { SettingsProblem } from '../../adapters/adapter.ts';
import { groupA, groupB, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/routes.ts';
import { ConfigProblems } from '../config/problems.ts';
import type { LoadedConfig } from '../config/read.ts';
import { type Capability, listOffered, type Offer, type PortName, ports, type Readiness } from '../ports/index.ts';
import { listOfferProblems } from './offer-problems.ts';
import { createOtherPorts } from './other-ports.ts';

/** The adapter that configuration names, ready to work. */
export interface Composition {
  /** Every operation, with the routes that configuration gives to Group B. */
  readonly operations: readonly Operation[];
  /** What the adapter offers of a port; undefined when that is nothing. */
  port(name: PortName): unknown;
  /** The adapter's name. */
  readonly adapter: string;
  readonly supports: ReadonlySet<Capability>;
  /** The writes that may be sent again when their outcome is unknown. */
  readonly resumes: ReadonlySet<Capability>;
  /** Undefined when the adapter has nothing to find out. */
  readonly readiness: Readiness | undefined;
  /** Lets go of everything that the adapter holds. */
  close(): Promise<void>;
}

/**
 * Calls the adapter and binds each port's token to what it offers of that port.
 * @throws ConfigProblems when the adapter cannot use its settings, or offers what no port has.
 */
export async function compose(loaded: LoadedConfig): Promise<Composition> {
  const { name } = loaded.config.adapter;
  const offer = await createOffer(loaded);
  const close = async () => offer.close?.();
  const unknown = listOfferProblems(offer);
  if (unknown.length > 0) {
    await close();
    throw new ConfigProblems(
      unknown.map((what) => loaded.problem(['adapter', 'name'], `the adapter ${name} offers an ${what}`)),
    );
  }
  const container = new Container();
  for (const port of Object.keys(ports) as PortName[]) {
    if (offer[port]) container.bind<unknown>(ports[port]).toConstantValue(offer[port]);
  }
  return {
    operations: [...groupA, ...applyRoutes(groupB, loaded.config.api.paths)],
    port: (port) => container.get<unknown>(ports[port], { optional: true }),
    adapter: name,
    supports: new Set(listOffered(offer)),
    resumes: new Set(offer.resumes),
    readiness: offer.readiness,
    close,
  };
}

async function createOffer({ config, adapter, problem }: LoadedConfig): Promise<Offer> {
  const { name } = config.adapter;
  if (adapter.needs?.length) {
    const what = `the adapter ${name} needs ${adapter.needs.join(', ')} of another adapter, and there is none`;
    throw new ConfigProblems([problem(['adapter', 'name'], what)]);
  }
  try {
    const others = createOtherPorts([], () => Promise.reject(new Error('there is no other adapter')));
    return await adapter.offer(config.adapter.settings, config.institution, others);
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    const path = ['adapter', 'settings', ...error.setting.split('.')];
    throw new ConfigProblems(error.problems.map((what) => problem(path, what)));
  }
}
