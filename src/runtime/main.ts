import { adapters } from '../../adapters/index.ts';
import { allScopes } from '../api/index.ts';
import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, readConfig } from '../config/read.ts';
import { Guard } from '../guard/guard.ts';
import { Idempotency } from '../guard/idempotency/idempotency.ts';
import { createApp } from '../http/app.ts';
import { createAuthenticator } from '../http/auth/bearer.ts';
import { RemoteKeys } from '../http/auth/remote-keys.ts';
import { createRequestAuthenticator } from '../http/auth/request-authenticator.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { CallerAddresses } from '../http/caller-address.ts';
import { Drain } from '../http/drain.ts';
import type { Gateway } from '../http/gateway.ts';
import { ClientLimits } from '../http/limits/client-limits.ts';
import { createMemoryRateLimiter } from '../http/limits/rate-limiter.ts';
import { OmittedRecords } from '../http/omitted-records.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { createServer, listen } from '../http/server.ts';
import type { State } from '../state/state.ts';
import { formatBanner } from './banner.ts';
import { type Composition, compose } from './container.ts';
import { Health } from './health.ts';
import { isPretty, WinstonLog } from './logger.ts';
import { version } from './package.ts';
import { shutdownOnSignal } from './shutdown.ts';
import { openState } from './state.ts';
import { createTrialToken, hashToken, type TrialToken } from './trial-token.ts';
import { watchState } from './watched-state.ts';

export interface StartOptions {
  readonly file?: string | undefined;
  readonly port?: string | undefined;
  readonly environment: Environment;
}

/**
 * Reads the configuration, composes the gateway, listens, and shuts down on a signal.
 * @throws ConfigProblems, or the system's error if the gateway cannot listen.
 */
export async function start({ file, port, environment }: StartOptions): Promise<void> {
  const loaded = readConfig({ file, port, environment, adapters });
  const { config, production, warnings } = loaded;
  const composition = await compose(loaded);
  const store = await openState(loaded).catch(async (error: unknown) => {
    await composition.close();
    throw error;
  });
  const log = new WinstonLog(config.log);
  const state = watchState(store, log);
  const trial = createTrialToken(loaded, environment.PUENTE_TOKEN);
  const health = new Health(composition.readiness, config.adapter.name, log);
  const gateway = createGateway(loaded, composition, trial, {
    log,
    state,
    impairments: () => [...health.impairments, ...state.impairments],
    draining: () => drain.started,
  });
  const server = createServer(createApp(gateway), gateway);
  const drain = new Drain(server);

  const ops = config.ops.port === undefined ? undefined : createOpsServer(gateway);
  const listening = await listenOnBoth().catch(async (error: unknown) => {
    ops?.close();
    await Promise.all([composition.close(), state.close()]);
    throw error;
  });
  const address = formatAddress(config.http.host, listening);
  shutdownOnSignal({ drain, ops, health, composition, state, log, shutdown: config.shutdown });
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const pretty = isPretty(config.log);
  const stream = pretty ? process.stdout : process.stderr;
  if (pretty || !production) stream.write(formatBanner({ gateway, address, trial, stream }));
  log.write('info', 'listening', { address, version, adapter: config.adapter.name });
  void health.watch();

  async function listenOnBoth(): Promise<number> {
    const { host, port } = config.ops;
    if (ops && port !== undefined) await listen(ops, { host, port });
    return listen(server, config.http);
  }
}

/** Creates what `src/http` needs from the configuration and the composition. */
export function createGateway(
  { config }: LoadedConfig,
  { operations, port, adapter, supports, resumes }: Composition,
  trial: TrialToken | undefined,
  { state, impairments, ...live }: Pick<Gateway, 'log' | 'impairments' | 'draining'> & { readonly state: State },
): Gateway {
  const tokens = trial ? [{ client: 'trial', sha256: hashToken(trial.token), scopes: allScopes }] : [];
  const { jwt } = config.auth;
  const keys = jwt?.keys instanceof URL ? new RemoteKeys(jwt.keys) : jwt?.keys;
  const addresses = new CallerAddresses(config.http.trustedProxies);
  const guard = new Guard(config.guard, adapter, live.log);
  return {
    version,
    operations,
    port,
    adapter,
    supports,
    ...live,
    impairments: () => [
      ...impairments(),
      ...guard.impairments,
      ...(keys instanceof RemoteKeys ? keys.impairments : []),
    ],
    authenticate: createRequestAuthenticator(
      createAuthenticator({
        tokens: [...config.auth.tokens, ...tokens],
        jwt: jwt && keys && { ...jwt, keys },
      }),
      addresses,
      createMemoryRateLimiter(config.limits.failedTokens),
    ),
    anonymousGroupA: config.auth.groupA === 'none',
    openOps: config.auth.openOps,
    basePath: config.http.basePath,
    limits: config.http,
    guard,
    addresses,
    clientLimits: new ClientLimits(config.limits.clients),
    bodies: new BodyBudget(config.http.maxBodyBytes),
    omittedRecords: new OmittedRecords(),
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
