import type { AddressInfo } from 'node:net';
import type { Adapter } from '../../adapters/adapter.ts';
import { adapters as builtIn } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { Guard } from '../../src/guard/guard.ts';
import { createApp } from '../../src/http/app.ts';
import type { Gateway } from '../../src/http/gateway.ts';
import { createServer } from '../../src/http/server.ts';
import type { PortName } from '../../src/ports/index.ts';
import { AdaptersHealth } from '../../src/runtime/adapters-health.ts';
import { compose } from '../../src/runtime/container.ts';
import { openIssuers } from '../../src/runtime/issuers.ts';
import { IssuersHealth } from '../../src/runtime/issuers-health.ts';
import { WinstonLog } from '../../src/runtime/logger.ts';
import { createGateway } from '../../src/runtime/main.ts';
import { createMemoryState } from '../../src/state/memory.ts';
import type { State } from '../../src/state/state.ts';
import { watchAnswers } from './answers.ts';
import { LeakDetector } from './leak-detector.ts';
import { PublishedAnswers } from './published-answers.ts';

export interface RunningGateway {
  /** The address with the base path, without a slash at its end. */
  readonly url: string;
  /** A token with every scope. */
  readonly token: string;
  /** What the log holds so far, JSON, one entry a line. */
  readonly lines: readonly string[];
  /** @throws Error when a log line or a problem body gave away a patient, an id or a token, or an answer was not as published. */
  stop(): Promise<void>;
}

export interface StartGatewayOptions {
  /** A configuration file; default: the one that `npm start` uses. */
  readonly file?: string;
  /** `PUENTE_*` variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What stands in for a port of the adapter. */
  readonly replacePort?: (name: PortName, port: unknown) => unknown;
  /** The adapters that configuration can name; default: those that come with Puente. */
  readonly adapters?: Readonly<Record<string, Adapter>>;
  /** Milliseconds between two looks at the adapter's readiness, and at the issuers; default: nobody looks. */
  readonly lookEvery?: number;
  /** What the gateway remembers, which stays open when it stops; default: a memory of its own. */
  readonly state?: State;
  readonly changeGateway?: (gateway: Gateway) => Gateway;
}

const token = 'puente_00000000_every-scope-for-the-tests-of-this-repository';

/** Longer than any machine takes: what passes a deadline sets one of its own. */
const longDeadlines = { PUENTE_HTTP_READ_DEADLINE: '120000', PUENTE_HTTP_WRITE_DEADLINE: '120000' };

const configs = new Map<string, ReturnType<typeof readConfig>>();

/** Each configuration of the built-in adapters is read once, which takes longer than the rest of a start. */
function readConfigOnce(options: Omit<Parameters<typeof readConfig>[0], 'adapters'>) {
  const key = JSON.stringify(options);
  const config = configs.get(key) ?? readConfig({ ...options, adapters: builtIn });
  configs.set(key, config);
  return config;
}

/** The gateway as `puente serve` builds it, on a free port of this machine, with its log in memory. */
export async function startGateway({
  file,
  environment = {},
  replacePort = (_name, port) => port,
  adapters,
  lookEvery,
  state = createMemoryState(),
  changeGateway = (gateway) => gateway,
}: StartGatewayOptions = {}): Promise<RunningGateway> {
  const options = { file, environment: { PUENTE_TOKEN: token, ...longDeadlines, ...environment } };
  const loaded = adapters ? readConfig({ ...options, adapters }) : readConfigOnce(options);
  const leakDetector = new LeakDetector();
  const log = new WinstonLog({ level: 'debug', format: 'json', stream: leakDetector.log });
  const guard = new Guard(loaded.config.guard, log);
  const composition = await compose(loaded, guard);
  const health = new AdaptersHealth(composition.adapters, log);
  const issuers = await openIssuers(loaded);
  const issuersHealth = new IssuersHealth(issuers, log);
  const gateway = changeGateway(
    createGateway(
      loaded,
      { ...composition, port: (name) => replacePort(name, composition.port(name)) },
      { token, generated: false },
      {
        log,
        guard,
        state,
        issuers,
        impairments: () => [...health.impairments, ...issuersHealth.impairments],
        draining: () => false,
      },
    ),
  );
  const published = new PublishedAnswers(gateway);
  const app = watchAnswers(createApp(gateway), leakDetector.hearAnswer, published.hearAnswer);
  const server = createServer(app, gateway);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (lookEvery !== undefined) {
    health.watch(lookEvery, 1);
    issuersHealth.watch(lookEvery);
  }
  return {
    url: `http://127.0.0.1:${port}${gateway.basePath}`,
    token,
    lines: leakDetector.log.all,
    stop: async () => {
      health.stop();
      issuersHealth.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await composition.close();
      leakDetector.expectNoLeaks();
      published.expectAsPublished();
    },
  };
}
