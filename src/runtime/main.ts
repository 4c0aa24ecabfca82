import { loaders } from '../../adapters/loaders.ts';
import { allScopes } from '../api/index.ts';
import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import { Guard } from '../guard/guard.ts';
import { Idempotency } from '../guard/idempotency/idempotency.ts';
import { createApp, createPagesLoader } from '../http/app.ts';
import { createAuthenticator } from '../http/auth/bearer.ts';
import type { JwtSettings } from '../http/auth/jwt.ts';
import { Refusals } from '../http/auth/refusal.ts';
import { createRequestAuthenticator } from '../http/auth/request-authenticator.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { CallerAddresses } from '../http/caller-address.ts';
import { Drain } from '../http/drain.ts';
import type { Gateway } from '../http/gateway.ts';
import { ClientLimits } from '../http/limits/client-limits.ts';
import { createMemoryRateLimiter } from '../http/limits/rate-limiter.ts';
import { OmittedRecords } from '../http/omitted-records.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { RunningWrites } from '../http/running-writes.ts';
import { createServer, listen } from '../http/server.ts';
import type { AdapterImpairment, Log } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import { listBindings } from './adapter-matrix.ts';
import { AdaptersHealth } from './adapters-health.ts';
import { formatBanner } from './banner.ts';
import { type Composition, compose } from './container.ts';
import { isPretty, WinstonLog } from './logger.ts';
import { watchOutputs } from './outputs.ts';
import { version } from './package.ts';
import { shutdownOnSignal, shutdownWithParent } from './shutdown.ts';
import { openState } from './state.ts';
import { createTrialToken, hashToken, type TrialToken } from './trial-token.ts';
import { watchState } from './watched-state.ts';

/** Milliseconds after the start. */
const PREPARE_PAGES_MS = 1_000;

export interface StartOptions {
  readonly file?: string | undefined;
  readonly port?: string | undefined;
  readonly environment: Environment;
}

/**
 * Reads the configuration, composes the gateway, listens, and shuts down on a signal.
 * @throws ConfigProblems, or the system's error if the gateway cannot listen; its `section` is `ops` when that was for the probes.
 */
export async function start({ file, port, environment }: StartOptions): Promise<void> {
  const loaded = await loadConfig({ file, port, environment, adapters: loaders });
  const { config, production, warnings } = loaded;
  const outputs = watchOutputs([process.stdout, process.stderr]);
  const log = new WinstonLog(config.log);
  const guard = new Guard(config.guard, log);
  const { issuers, issuersHealth } = await openIssuers(loaded, log);
  const composition = await compose(loaded, guard);
  const store = await openState(loaded).catch(async (error: unknown) => {
    await composition.close();
    throw error;
  });
  const state = watchState(store, log);
  const trial = createTrialToken(loaded, environment.PUENTE_TOKEN);
  const health = new AdaptersHealth(composition.adapters, log);
  const gateway = createGateway(loaded, composition, trial, {
    log,
    guard,
    state,
    issuers,
    impairments: () => [
      ...health.impairments,
      ...state.impairments,
      ...(issuersHealth?.impairments ?? []),
      ...outputs.impairments,
    ],
    draining: () => drain.started,
  });
  const loadPages = createPagesLoader(gateway);
  const server = createServer(createApp(gateway, loadPages), gateway);
  const drain = new Drain(server, gateway.runningWrites);

  const ops = config.ops.port === undefined ? undefined : createOpsServer(gateway);
  const listening = await listenOnBoth().catch(async (error: unknown) => {
    ops?.close();
    await Promise.all([composition.close(), state.close()]);
    throw error;
  });
  const address = formatAddress(config.http.host, listening);
  shutdownOnSignal({
    drain,
    ops,
    health: issuersHealth ? [health, issuersHealth] : [health],
    composition,
    state,
    log,
    shutdown: config.shutdown,
  });
  if (environment.npm_lifecycle_event !== undefined) shutdownWithParent();
  for (const warning of [...warnings, ...composition.warnings]) process.stderr.write(`warning: ${warning}\n`);
  const pretty = isPretty(config.log);
  const stream = pretty ? process.stdout : process.stderr;
  if (pretty || !production) stream.write(formatBanner({ gateway, address, trial, stream }));
  const adapter = config.adapter.name;
  const several = gateway.adapters.length > 1;
  log.write('info', 'listening', { address, version, adapter, ...(several && { ports: listBindings(gateway) }) });
  health.watch();
  issuersHealth?.watch();
  // What the first answers do without is made ready behind them, so that no request has to wait for it.
  setTimeout(async () => (await loadPages()).prepare(), PREPARE_PAGES_MS).unref();

  async function listenOnBoth(): Promise<number> {
    const { port: opsPort } = config.ops;
    if (ops && opsPort !== undefined) {
      await listen(ops, { host: config.ops.host, port: opsPort }).catch((error: Error) => {
        throw Object.assign(error, { section: 'ops' });
      });
    }
    const { host, port, maxConnections } = config.http;
    return listen(server, { host, port, backlog: maxConnections });
  }
}

/** The issuers of tokens and what watches them. Without any, the HTTP client and the cryptography for them are not loaded. */
async function openIssuers(loaded: LoadedConfig, log: Log) {
  const { jwt, issuers: further } = loaded.config.auth;
  if (!jwt && further.length === 0) return { issuers: [] };
  const [opening, watching] = await Promise.all([import('./issuers.ts'), import('./issuers-health.ts')]);
  const issuers = await opening.openIssuers(loaded);
  return { issuers, issuersHealth: new watching.IssuersHealth(issuers, log) };
}

/** Creates what `src/http` needs from the configuration and the composition. */
export function createGateway(
  { config }: LoadedConfig,
  { operations, port, adapters, findOwner, supports, resumes }: Composition,
  trial: TrialToken | undefined,
  {
    state,
    issuers,
    impairments,
    ...live
  }: Pick<Gateway, 'log' | 'guard' | 'impairments' | 'draining'> & {
    readonly state: State;
    readonly issuers: readonly JwtSettings[];
  },
): Gateway {
  const tokens = trial ? [{ client: 'trial', sha256: hashToken(trial.token), scopes: allScopes }] : [];
  const addresses = new CallerAddresses(config.http.trustedProxies);
  return {
    version,
    institution: config.institution,
    operations,
    port,
    adapters: adapters.map(({ name }) => name),
    findOwner,
    supports,
    ...live,
    impairments: () => {
      const all: AdapterImpairment[] = [...impairments(), ...live.guard.impairments];
      return adapters.length > 1 ? all : all.map(({ code, detail }) => ({ code, detail }));
    },
    authenticate: createRequestAuthenticator(
      createAuthenticator({
        tokens: [...config.auth.tokens, ...tokens],
        issuers,
        maxTokenLength: config.auth.maxTokenLength,
      }),
      addresses,
      createMemoryRateLimiter(config.limits.failedTokens),
    ),
    anonymousGroupA: config.auth.groupA === 'none',
    openOps: config.auth.openOps,
    basePath: config.http.basePath,
    limits: config.http,
    addresses,
    clientLimits: new ClientLimits(config.limits.clients),
    bodies: new BodyBudget(config.http.maxBodyBytes),
    runningWrites: new RunningWrites(),
    omittedRecords: new OmittedRecords(),
    refusals: new Refusals(),
    idempotency: new Idempotency({ state, log: live.log, retention: config.idempotency.retention }),
    idempotencyRequired: new Set(config.idempotency.required),
    resumes,
    compat: config.compat,
  };
}

/** An address that can be opened on this machine, also if the gateway listens on all addresses. */
function formatAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
