import type { RequestListener, Server } from 'node:http';
import type { ServiceIdentifier } from 'inversify';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Guard } from '../guard/guard.ts';
import type { JwtSettings } from '../http/auth/jwt.ts';
import type { CallerAddresses } from '../http/caller-address.ts';
import type { Drain } from '../http/drain.ts';
import type { Gateway } from '../http/gateway.ts';
import type { RateLimiters } from '../http/limits/shared-rate-limiters.ts';
import type { Pages } from '../http/pages.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Log } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import type { Clock } from '../toolkit/clock.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { StartedAdapter } from './adapters.ts';
import type { RunningAudit } from './audit.ts';
import type { Authentication } from './authentication.ts';
import type { Composition } from './composition.ts';
import type { Health, Watched } from './health.ts';
import type { Reloader } from './reload.ts';
import type { TrialToken } from './trial-token.ts';

const createToken = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/**
 * What the container binds, beside the ports: the token of a port is its abstract class. All of it is made once, when it is
 * first asked for; `rebind` puts something else in its place before that.
 */
export const tokens = {
  config: createToken<LoadedConfig>('config'),
  /** Variables of the process. */
  environment: createToken<Environment>('environment'),
  log: createToken<Log & { close?(): Promise<void> }>('log'),
  clock: createToken<Clock>('clock'),
  guard: createToken<Guard>('guard'),
  /** Undefined when they are off. */
  metrics: createToken<Metrics | undefined>('metrics'),
  tracing: createToken<Tracing | undefined>('tracing'),
  state: createToken<State>('state'),
  /** Undefined where no audit trail is kept. */
  audit: createToken<RunningAudit | undefined>('audit'),
  /** Where the log goes. */
  outputs: createToken<Watched>('outputs'),
  /** The default adapter, and after it those that configuration names for a port. */
  adapters: createToken<readonly StartedAdapter[]>('adapters'),
  composition: createToken<Composition>('composition'),
  health: createToken<Health>('health'),
  /** Who is behind the trusted proxies. */
  addresses: createToken<CallerAddresses>('addresses'),
  rateLimiters: createToken<RateLimiters>('rateLimiters'),
  issuers: createToken<readonly JwtSettings[]>('issuers'),
  trialToken: createToken<TrialToken | undefined>('trialToken'),
  authentication: createToken<Authentication>('authentication'),
  /** The deployer's own middleware. */
  middleware: createToken<Gateway['middleware']>('middleware'),
  /** Whether the process is shutting down. */
  lifecycle: createToken<{ draining: () => boolean }>('lifecycle'),
  gateway: createToken<Gateway>('gateway'),
  pages: createToken<Pages>('pages'),
  /** The application of Express. */
  app: createToken<RequestListener>('app'),
  server: createToken<Server>('server'),
  drain: createToken<Drain>('drain'),
  /** Serves the probes alone; undefined without `ops.port`. */
  opsServer: createToken<Server | undefined>('opsServer'),
  /** Reads the configuration again. */
  readConfig: createToken<() => Promise<LoadedConfig>>('readConfig'),
  reloader: createToken<Reloader>('reloader'),
  /** Where `puente reload` asks; undefined without `ops.socket`. */
  controlServer: createToken<Server | undefined>('controlServer'),
} as const;
