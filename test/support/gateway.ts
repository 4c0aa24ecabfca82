import type { AddressInfo } from 'node:net';
import type { Container } from 'inversify';
import type { Adapter } from '../../adapters/adapter.ts';
import { adapters as builtIn } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { WinstonLog } from '../../src/observe/log.ts';
import { type AdapterImpairment, type PortName, ports } from '../../src/ports/index.ts';
import { createContainer } from '../../src/runtime/container.ts';
import { parts } from '../../src/runtime/parts.ts';
import { createMemoryState } from '../../src/state/open.ts';
import type { State } from '../../src/state/state.ts';
import { watchAnswers } from './answers.ts';
import { LeakDetector } from './leak-detector.ts';
import { PublishedAnswers } from './published-answers.ts';
import { type RawAnswer, send } from './raw-request.ts';

export interface RunningGateway {
  /** The address with the base path, without a slash at its end. */
  readonly url: string;
  /** A token with every scope. */
  readonly token: string;
  /** A request with that token, unless the headers have another; a body goes out as JSON. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>;
  /** What the log holds so far, JSON, one entry a line. */
  readonly lines: readonly string[];
  /** What limits it now, as `/readyz` has it at `ops.port`. */
  readonly impairments: () => readonly AdapterImpairment[];
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
  /** Puts something else in the place of what the container binds, before anything is made. */
  readonly rebind?: (container: Container) => void;
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
  replacePort,
  adapters,
  lookEvery,
  state = createMemoryState(),
  rebind,
}: StartGatewayOptions = {}): Promise<RunningGateway> {
  const options = { file, environment: { PUENTE_TOKEN: token, ...longDeadlines, ...environment } };
  const loaded = adapters ? readConfig({ ...options, adapters }) : readConfigOnce(options);
  const leakDetector = new LeakDetector();
  const container = createContainer(loaded, options.environment);
  container
    .rebind(parts.log)
    .toConstantValue(new WinstonLog({ level: 'debug', format: 'json', stream: leakDetector.log }));
  container.rebind(parts.outputs).toConstantValue({ list: () => [] });
  container.rebind(parts.state).toConstantValue(state);
  if (replacePort) {
    for (const [name, port] of Object.entries(ports) as [PortName, (typeof ports)[PortName]][]) {
      container.onActivation<unknown>(port, (_, made) => replacePort(name, made));
    }
  }
  rebind?.(container);
  const { basePath } = loaded.config.http;
  const { operations } = await container.getAsync(parts.offered);
  const published = new PublishedAnswers(operations, basePath);
  container.onActivation(parts.app, (_, app) => watchAnswers(app, leakDetector.hearAnswer, published.hearAnswer));
  const server = await container.getAsync(parts.server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (lookEvery !== undefined) {
    void container.get(parts.health).watch(lookEvery, 1);
  }
  const url = `http://127.0.0.1:${port}${basePath}`;
  const ask: RunningGateway['ask'] = (method, path, body, headers = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const all = { authorization: `Bearer ${token}`, ...type, ...headers };
    return send(url, method, path, all, body === undefined ? undefined : JSON.stringify(body));
  };
  return {
    url,
    token,
    ask,
    lines: leakDetector.log.all,
    impairments: container.get(parts.impairments),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      const metrics = await container.get(parts.metrics)?.render();
      await container.unbindAllAsync();
      leakDetector.expectNoLeaks(metrics);
      published.expectAsPublished();
    },
  };
}
