import type { RequestListener, Server } from 'node:http';
import type { ServiceIdentifier } from 'inversify';
import type { Refusals } from '../auth/refusals.ts';
import type { Environment } from '../config/keys.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Guard } from '../guard/guard.ts';
import type { Drain } from '../http/drain.ts';
import type { DescribeReadiness } from '../http/gateway-endpoints.ts';
import type { ClientLimits } from '../http/limits.ts';
import type { OmittedRecords } from '../http/omitted-records.ts';
import type { RecentRequests } from '../http/operator/recent-requests.ts';
import type { Middleware } from '../http/request.ts';
import type { RateLimiters } from '../http/shared-limits.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Tracing } from '../observe/tracing.ts';
import type { AdapterImpairment, Log } from '../ports/index.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../state/state.ts';
import type { Clock } from '../toolkit/zone.ts';
import type { Offered, RunningAdapter } from './adapters.ts';
import type { RunningAudit } from './audit.ts';
import type { Authentication, TrialToken } from './authentication.ts';
import type { ClockWatch } from './clock.ts';
import type { Health, Watched } from './health.ts';
import type { OpenIssuer } from './issuers.ts';
import type { Reload } from './reload.ts';

const createIdentifier = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/**
 * The parts that the container binds, in addition to the ports, whose identifiers are their abstract classes. A part
 * holds a resource, is shared, or is replaced in tests. The container creates each once, on demand.
 */
export const parts = {
  config: createIdentifier<LoadedConfig>('config'),
  environment: createIdentifier<Environment>('environment'),
  readConfig: createIdentifier<() => Promise<LoadedConfig>>('readConfig'),
  clock: createIdentifier<Clock>('clock'),
  log: createIdentifier<Log & { close?(): Promise<void> }>('log'),
  // adaptersModule
  /** The default adapter, followed by those that the configuration names for a port. */
  adapters: createIdentifier<readonly RunningAdapter[]>('adapters'),
  offered: createIdentifier<Offered>('offered'),
  // callersModule
  authentication: createIdentifier<Authentication>('authentication'),
  clientLimits: createIdentifier<ClientLimits>('clientLimits'),
  issuers: createIdentifier<readonly OpenIssuer[]>('issuers'),
  rateLimiters: createIdentifier<RateLimiters>('rateLimiters'),
  /** The reasons for refused requests since the start. */
  refusals: createIdentifier<Refusals>('refusals'),
  trialToken: createIdentifier<TrialToken | undefined>('trialToken'),
  // recordsModule
  /** Undefined without an audit trail. */
  audit: createIdentifier<RunningAudit | undefined>('audit'),
  state: createIdentifier<State>('state'),
  // healthModule
  guard: createIdentifier<Guard>('guard'),
  health: createIdentifier<Health>('health'),
  impairments: createIdentifier<() => readonly AdapterImpairment[]>('impairments'),
  /** Undefined if metrics are off. */
  metrics: createIdentifier<Metrics | undefined>('metrics'),
  /** Records that the lists of this gateway omitted. */
  omitted: createIdentifier<OmittedRecords>('omitted'),
  outputs: createIdentifier<Watched>('outputs'),
  clockWatch: createIdentifier<ClockWatch>('clockWatch'),
  readiness: createIdentifier<DescribeReadiness>('readiness'),
  tracing: createIdentifier<Tracing | undefined>('tracing'),
  // httpModule
  /** The deployer's own middleware. */
  middleware: createIdentifier<readonly Middleware[]>('middleware'),
  /** Undefined unless the gateway is a sandbox. */
  sandbox: createIdentifier<Sandbox | undefined>('sandbox'),
  app: createIdentifier<RequestListener>('app'),
  server: createIdentifier<Server>('server'),
  drain: createIdentifier<Drain>('drain'),
  /** The recent requests for the operator. Undefined without `ops.port`. */
  recent: createIdentifier<RecentRequests | undefined>('recent'),
  /** Serves probes, metrics and the operator's page. Undefined without `ops.port`. */
  opsServer: createIdentifier<Server | undefined>('opsServer'),
  reload: createIdentifier<Reload>('reload'),
  /** Serves `puente reload`. Undefined without `ops.socket`. */
  controlServer: createIdentifier<Server | undefined>('controlServer'),
} as const;
