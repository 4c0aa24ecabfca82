import type { Container } from 'inversify';
import { loaders } from '../../adapters/loaders.ts';
import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import { version } from '../toolkit/package.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { describeAdapters, listBindings } from './adapter-matrix.ts';
import { listAuditNotes } from './audit.ts';
import { formatAddress, formatBanner } from './banner.ts';
import { listenOnSocket } from './control-socket.ts';
import { isPretty } from './logger.ts';
import { listOwnershipWarnings } from './ownership.ts';
import type { Reload } from './reload.ts';
import { shutdownOnSignal, shutdownWithParent } from './shutdown.ts';
import { tokens } from './tokens.ts';
import { listenOnBoth, makeGateway } from './waiting.ts';

/** Milliseconds after the start. */
const PREPARE_PAGES_MS = 1_000;

export interface StartOptions {
  readonly file?: string | undefined;
  readonly port?: string | undefined;
  readonly environment: Environment;
}

/**
 * Reads the configuration, composes the gateway when all that it needs is there, listens, and shuts down on a signal.
 * @throws ConfigProblems, or the system's error if the gateway cannot listen; its `section` is `ops` when that was for the probes.
 */
export async function start({ file, port, environment }: StartOptions): Promise<void> {
  const running = Promise.withResolvers<Reload>();
  // From the start on, because what is read from now on may change before the gateway listens.
  process.on('SIGHUP', () => void running.promise.then((reload) => reload()));
  const readConfig = () => loadConfig({ file, port, environment, adapters: loaders });
  const loaded = await readConfig();
  if (environment.npm_lifecycle_event !== undefined) shutdownWithParent();
  const { container, listeners } = await makeGateway(loaded, environment, readConfig);
  const servers = { http: container.get(tokens.server), ops: container.get(tokens.opsServer) };
  const listening = await listenAll(container, loaded, () => listenOnBoth(servers, loaded.config, listeners)).catch(
    async (error: unknown) => {
      await container.unbindAllAsync();
      throw error;
    },
  );
  const address = formatAddress(loaded.config.http.host, listening);
  running.resolve(container.get(tokens.reload));
  shutdownOnSignal(container);
  greet(container, loaded, address);
  container.get(tokens.metrics)?.addProcess();
  void container.get(tokens.health).watch();
  // What the first answers do without is made ready behind them, so that no request has to wait for it.
  const pages = container.get(tokens.pages);
  setTimeout(() => void pages.prepare(), PREPARE_PAGES_MS).unref();
}

/** Listens at the socket, if there is one, before callers come. */
async function listenAll(
  container: Container,
  { config, problem }: LoadedConfig,
  listen: () => Promise<number>,
): Promise<number> {
  const control = container.get(tokens.controlServer);
  if (control && config.ops.socket !== undefined) {
    await listenOnSocket(control, config.ops.socket).catch(({ code }: NodeJS.ErrnoException) => {
      throw new ConfigProblems([problem(['ops', 'socket'], `cannot be listened on (${code})`)]);
    });
  }
  return listen();
}

/** Says where the gateway listens, to the log and to who started it. */
function greet(container: Container, loaded: LoadedConfig, address: string): void {
  const { config, production, warnings, certificates } = loaded;
  const started = container.get(tokens.adapters);
  const ending = certificates.map(({ detail, fix }) => `${detail}; ${fix}`);
  for (const warning of [...warnings, ...ending, ...listOwnershipWarnings(loaded, started)])
    process.stderr.write(`warning: ${warning}\n`);
  for (const note of listAuditNotes(config)) process.stderr.write(`note: ${note}\n`);
  const pretty = isPretty(config.log);
  const stream = pretty ? process.stdout : process.stderr;
  const trial = container.get(tokens.trialToken);
  const adapters = started.map(({ name }) => name);
  const matrix = { adapters, findOwner: container.get(tokens.findOwner), supports: container.get(tokens.supports) };
  const described = describeAdapters(matrix, container.get(tokens.operations));
  if (pretty || !production) stream.write(formatBanner(config, address, described, trial, stream));
  const bindings = adapters.length > 1 ? listBindings(matrix) : undefined;
  const { name: adapter } = config.adapter;
  const log = container.get(tokens.log);
  log.write('info', 'listening', { address, version, adapter, ports: bindings });
}
