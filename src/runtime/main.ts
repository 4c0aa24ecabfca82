import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { Container } from 'inversify';
import { loaders } from '../../adapters/loaders.ts';
import type { Environment } from '../config/keys.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import type { Config } from '../config/schema.ts';
import { explainDatabaseCode } from '../database/database.ts';
import { createStartingServer, listen } from '../http/server.ts';
import { isPretty, WinstonLog } from '../observe/log.ts';
import type { Impairment } from '../ports/index.ts';
import { type Backoff, computePause } from '../toolkit/backoff.ts';
import { buildVersion } from '../toolkit/package.ts';
import { ConfigProblems, joinProblems, ListenFailure } from '../toolkit/problems.ts';
import { describeAdapters, listBindings } from './adapters.ts';
import { listAuditNotes } from './audit.ts';
import type { TrialToken } from './authentication.ts';
import { outliveBugs } from './bugs.ts';
import { createContainer } from './container.ts';
import { closeServer } from './modules.ts';
import { listOwnerNotes } from './open.ts';
import { parts } from './parts.ts';
import { listenOnSocket, type Reload } from './reload.ts';
import { shutdownOnSignal, shutdownWithParent } from './shutdown.ts';
import { listRunningWarnings } from './warnings.ts';

interface StartOptions {
  readonly file?: string | undefined;
  readonly port?: string | undefined;
  /** Settings of the sandbox. Each overrides its value in the file and the environment. */
  readonly sandbox?: Readonly<Record<string, unknown>> | undefined;
  readonly environment: Environment;
  /**
   * Called when the gateway listens, with its base URL and the trial token if there is one. Nothing is then printed for
   * people. An error of it ends the gateway.
   */
  readonly onListening?: ((gateway: { readonly url: string; readonly token: string | undefined }) => void) | undefined;
}

/**
 * Reads the configuration, waits for the required resources, composes the gateway, listens, and shuts down on a signal.
 * @throws ConfigProblems, ListenFailure, or the error of `onListening`.
 */
export async function start({ file, port, sandbox, environment, onListening }: StartOptions): Promise<void> {
  const running = Promise.withResolvers<Reload>();
  // Registered at the start, because files may change before the gateway listens.
  process.on('SIGHUP', () => void running.promise.then((reload) => reload()));
  const readConfig = (path = file) => loadConfig({ file: path, port, sandbox, environment, adapters: loaders });
  const loaded = await readConfig();
  if (environment.npm_lifecycle_event !== undefined) shutdownWithParent();
  // The file of the start, even if the search for a default would now find another one.
  const readAgain = () => readConfig(loaded.file);
  const { container, listeners } = await openGateway(loaded, environment, readAgain);
  const listening = startListening(container, loaded, listeners).catch(async (error: unknown) => {
    Object.values(listeners ?? {}).forEach(closeServer);
    // It would repeat the error of the part that failed.
    await container.unbindAllAsync().catch(() => undefined);
    throw error;
  });
  shutdownOnSignal(container, listening);
  const address = formatAddress(loaded.config.http.host, await listening);
  running.resolve(container.get(parts.reload));
  outliveBugs(container.get(parts.log));
  greet(container, loaded, address, onListening === undefined);
  const token = container.get(parts.trialToken)?.token;
  try {
    onListening?.({ url: `${address}${loaded.config.http.basePath}`, token });
  } catch (error) {
    closeServer(container.get(parts.server));
    await container.unbindAllAsync();
    throw error;
  }
  container.get(parts.metrics)?.addProcess();
  void container.get(parts.health).watch();
}

/**
 * Begins the audit trail and makes the rest of the gateway. Then it listens, first at the socket, if there is one.
 * @returns the port of the callers.
 */
async function startListening(
  container: Container,
  { config, problem }: LoadedConfig,
  listeners: Listeners | undefined,
): Promise<number> {
  const servers = { http: await container.getAsync(parts.server), ops: await container.getAsync(parts.opsServer) };
  await container.getAsync(parts.controlServer);
  await container.getAsync(parts.reload);
  const control = container.get(parts.controlServer);
  if (control && config.ops.socket !== undefined) {
    await listenOnSocket(control, config.ops.socket).catch(({ code }: NodeJS.ErrnoException) => {
      const fix = socketFixes[code ?? ''] ?? 'name another file';
      throw new ConfigProblems([problem(['ops', 'socket'], `cannot be listened on (${code}): ${fix}`)]);
    });
  }
  return listenOnBoth(servers, config, listeners);
}

/** A missing folder is `EACCES` too. */
const socketFixes: Readonly<Record<string, string>> = {
  EACCES: 'create its folder, and let this user write there',
  EADDRINUSE: 'another process listens there, or the file is no socket: stop it, or name another file',
};

function greet(container: Container, loaded: LoadedConfig, address: string, toPeople: boolean): void {
  const { config, production } = loaded;
  const started = container.get(parts.adapters);
  for (const warning of listRunningWarnings(loaded, started)) process.stderr.write(`warning: ${warning}\n`);
  const notes = [...listAuditNotes(config), ...listOwnerNotes(config)];
  for (const note of toPeople ? notes : []) process.stderr.write(`note: ${note}\n`);
  const pretty = isPretty(config.log);
  const stream = pretty ? process.stdout : process.stderr;
  const trial = container.get(parts.trialToken);
  const offered = container.get(parts.offered);
  const described = describeAdapters(offered, offered.operations);
  if (toPeople && (pretty || !production))
    stream.write(
      formatBanner(
        config,
        { address, adapters: described, trial, isSandbox: container.get(parts.sandbox) !== undefined },
        stream,
      ),
    );
  const bindings = started.length > 1 ? listBindings(offered) : undefined;
  const { name: adapter } = config.adapter;
  const log = container.get(parts.log);
  log.write('info', 'listening', { address, version: buildVersion, adapter, ports: bindings });
}

/** The banner of a started gateway. */
interface Greeting {
  /** The gateway's address without the base path, e.g. `http://127.0.0.1:8080`. */
  readonly address: string;
  /** As `describeAdapters` returns them. */
  readonly adapters: readonly string[];
  readonly trial: TrialToken | undefined;
  readonly isSandbox: boolean;
}

/**
 * The text at the start: address, documentation, adapter, trial token, and commands to paste.
 * @param stream the output of the banner, which determines its colors.
 */
function formatBanner(
  { http, auth }: Config,
  { address, adapters, trial, isSandbox }: Greeting,
  stream: NodeJS.WriteStream,
): string {
  const base = `${address}${http.basePath}`;
  const rows = [
    ['Address', base],
    ...(http.docs === 'on' ? [['Documentation', `${base}/docs`]] : []),
    ...(http.docs === 'on' && isSandbox ? [['Sandbox', `${base}/sandbox`]] : []),
    ...formatAdapterRows(adapters),
    ...(trial?.generated ? [['Token', `${trial.token}  (generated for this run, not shown again)`]] : []),
  ];
  return [
    '',
    styleText('bold', `  Puente ${buildVersion}`, { stream }),
    '',
    ...rows.map(([name = '', value = '']) => `  ${styleText('dim', name.padEnd(15), { stream })}${value}`),
    '',
    ...listCommands(base, auth.groupA === 'none', trial).map((line) => `  ${line}`),
    '',
    '',
  ].join('\n');
}

/** An example request. If this run has a token, it follows the variables that the README's commands use. */
function listCommands(base: string, anonymous: boolean, trial: TrialToken | undefined): string[] {
  const path = 'practitioner/';
  if (anonymous) return [`curl -s ${base}/${path}`];
  if (!trial?.generated) {
    return [`curl -s -H "Authorization: Bearer ${trial ? '$PUENTE_TOKEN' : '$TOKEN'}" ${base}/${path}`];
  }
  return [
    `export TOKEN=${trial.token} PUENTE_URL=${base}`,
    `curl -s -H "Authorization: Bearer $TOKEN" $PUENTE_URL/${path}`,
  ];
}

/** The rows of the adapters, at most 80 columns wide. */
export function formatAdapterRows([first = '', ...further]: readonly string[]): string[][] {
  const rows = further.flatMap((line) => wrap(line).map((part) => ['', part]));
  return [[rows.length > 0 ? 'Adapters' : 'Adapter', first], ...rows];
}

function wrap(line: string): string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (last.length + 1 + word.length <= 80 - 17) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

/** An address that can be opened on this machine, even if the gateway listens on all addresses. */
export function formatAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

const betweenTries: Backoff = { first: 250, longest: 5_000 };

/** Both servers. The gateway's servers take over the listeners from the time of the wait. */
interface Listeners {
  readonly http: Server;
  readonly ops: Server | undefined;
}

/**
 * Opens what the gateway requires, as soon as its state and its adapters are available. Meanwhile both ports report the
 * awaited resource.
 * @returns the container, and the listeners from the time of the wait. Undefined without a wait.
 * @throws ConfigProblems if only another configuration helps.
 */
async function openGateway(
  loaded: LoadedConfig,
  environment: Environment,
  readConfig: () => Promise<LoadedConfig>,
): Promise<{ readonly container: Container; readonly listeners: Listeners | undefined }> {
  let waiting: Awaited<ReturnType<typeof startWaiting>> | undefined;
  for (let tries = 1; ; tries++) {
    const container = createContainer(loaded, environment, readConfig);
    try {
      await openAll(container);
      return { container, listeners: waiting?.end() };
    } catch (error) {
      // It would repeat the error of the part that failed.
      await container.unbindAllAsync().catch(() => undefined);
      const awaited = error instanceof ConfigProblems ? error.awaited : [];
      if (awaited.length === 0) {
        waiting?.close();
        throw error;
      }
      waiting ??= await startWaiting(loaded.config);
      waiting.tell(awaited);
      await sleep(computePause(betweenTries, tries));
    }
  }
}

/** Opens independent parts first, each regardless of the others, so that all problems are shown at once. */
async function openAll(container: Container): Promise<void> {
  const needed = [parts.adapters, parts.state, parts.issuers, parts.middleware];
  const made = await Promise.allSettled(needed.map((part) => container.getAsync<unknown>(part)));
  const errors = made.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length > 0) throw joinProblems(errors);
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Listens, and reports the awaited resource; a signal ends the process with 0. */
async function startWaiting(config: Config) {
  const { http, ops } = config;
  const log = new WinstonLog(config.log);
  let awaited: readonly Impairment[] = [];
  const listeners: Listeners = {
    http: createStartingServer(http.basePath, () => awaited, log),
    ops: ops.port === undefined ? undefined : createStartingServer('', () => awaited, log, true),
  };
  const end = (): Listeners => {
    for (const signal of signals) process.off(signal, stop);
    return listeners;
  };
  const close = (): void => Object.values(end()).forEach(closeServer);
  const stop = (signal: string): void => {
    close();
    log.write('info', 'drain started', { signal });
    log.write('info', 'drain completed');
    void log.close().finally(() => process.exit(0));
  };
  for (const signal of signals) process.once(signal, stop);
  const listening = await listenOnBoth(listeners, config).catch((error: unknown) => {
    close();
    throw error;
  });
  const address = formatAddress(http.host, listening);
  /** Logs the awaited resource, unless it was logged before. */
  const tell = (impairments: readonly Impairment[]): void => {
    const known = awaited.map(({ detail }) => detail);
    awaited = impairments;
    for (const { detail, cause } of awaited.filter((each) => !known.includes(each.detail))) {
      log.write('warn', 'waiting', { address, at: findSetting(detail), cause, hint: explainDatabaseCode(cause ?? '') });
    }
  };
  return { tell, end, close };
}

/** The path of a setting at the beginning of its sentence. */
const findSetting = (detail: string): string => detail.slice(0, detail.indexOf(' '));

/**
 * Listens on the port of the probes, if there is one, and on that of the callers.
 * @param at the existing listeners, which hand over to these.
 * @returns the port of the callers.
 * @throws ListenFailure
 */
async function listenOnBoth({ http, ops }: Listeners, config: Config, at?: Listeners): Promise<number> {
  const { host, port, maxConnections } = config.http;
  if (ops && config.ops.port !== undefined) {
    await listen(ops, at?.ops ?? { host: config.ops.host, port: config.ops.port }).catch(
      (error: NodeJS.ErrnoException) => {
        throw new ListenFailure('ops', error);
      },
    );
  }
  return listen(http, at?.http ?? { host, port, backlog: maxConnections }).catch((error: NodeJS.ErrnoException) => {
    throw new ListenFailure('http', error);
  });
}
