import type { RequestListener, Server } from 'node:http';
import type { ServiceIdentifier } from 'inversify';
import type { Operation } from '../api/index.ts';
import type { JwtSettings } from '../auth/jwt.ts';
import type { Refusals } from '../auth/refusals.ts';
import type { Environment } from '../config/keys.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Guard } from '../guard/guard.ts';
import type { Idempotency } from '../guard/idempotency.ts';
import type { CallerAddresses } from '../http/addresses.ts';
import type { ServedRoute } from '../http/app.ts';
import type { RequestTrail } from '../http/audit.ts';
import type { BodyBudget } from '../http/body.ts';
import type { CreateAttempt, Ports } from '../http/chain.ts';
import type { Drain, RunningWrites } from '../http/drain.ts';
import type { ToProblemReply } from '../http/errors.ts';
import type { DescribeReadiness } from '../http/gateway-endpoints.ts';
import type { ClientLimits } from '../http/limits.ts';
import type { OmittedRecords } from '../http/omitted-records.ts';
import type { ErrorMiddleware, FindAdapter, Middleware } from '../http/request.ts';
import type { Reply } from '../http/send.ts';
import type { RateLimiters } from '../http/shared-limits.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Tracing } from '../observe/tracing.ts';
import type { AdapterImpairment, Capability, Log } from '../ports/index.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../state/state.ts';
import type { Clock } from '../toolkit/zone.ts';
import type { FindOwner, RunningAdapter } from './adapters.ts';
import type { RunningAudit } from './audit.ts';
import type { Authentication, TrialToken } from './authentication.ts';
import type { Health, Watched } from './health.ts';
import type { Reload } from './reload.ts';

export const createIdentifier = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/**
 * What the container binds, beside the ports, whose identifier is their abstract class. All of it is made once, when it is
 * first asked for; `rebind` puts something else in its place before that.
 */
export const parts = {
  config: createIdentifier<LoadedConfig>('config'),
  environment: createIdentifier<Environment>('environment'),
  readConfig: createIdentifier<() => Promise<LoadedConfig>>('readConfig'),
  // adaptersModule
  /** The default adapter, and after it those that configuration names for a port. */
  adapters: createIdentifier<readonly RunningAdapter[]>('adapters'),
  findOwner: createIdentifier<FindOwner>('findOwner'),
  /** All operations, Group B with its configured routes. */
  operations: createIdentifier<readonly Operation[]>('operations'),
  ports: createIdentifier<Ports>('ports'),
  /** What its adapter lets be sent again when its outcome is unknown. */
  retryableWrites: createIdentifier<ReadonlySet<Capability>>('retryableWrites'),
  supports: createIdentifier<ReadonlySet<Capability>>('supports'),
  // healthModule
  health: createIdentifier<Health>('health'),
  impairments: createIdentifier<() => readonly AdapterImpairment[]>('impairments'),
  log: createIdentifier<Log & { close?(): Promise<void> }>('log'),
  /** Undefined when they are off. */
  metrics: createIdentifier<Metrics | undefined>('metrics'),
  tracing: createIdentifier<Tracing | undefined>('tracing'),
  outputs: createIdentifier<Watched>('outputs'),
  // callersModule
  /** Who is behind the trusted proxies. */
  addresses: createIdentifier<CallerAddresses>('addresses'),
  authentication: createIdentifier<Authentication>('authentication'),
  clientLimits: createIdentifier<ClientLimits>('clientLimits'),
  issuers: createIdentifier<readonly JwtSettings[]>('issuers'),
  rateLimiters: createIdentifier<RateLimiters>('rateLimiters'),
  trialToken: createIdentifier<TrialToken | undefined>('trialToken'),
  // operationsModule
  /** Undefined where no audit trail is kept. */
  audit: createIdentifier<RunningAudit | undefined>('audit'),
  /** What records requests in the audit trail. */
  requestTrail: createIdentifier<RequestTrail>('requestTrail'),
  bodies: createIdentifier<BodyBudget>('bodies'),
  findAdapter: createIdentifier<FindAdapter>('findAdapter'),
  findDeadline: createIdentifier<(operation: Operation) => number>('findDeadline'),
  guard: createIdentifier<Guard>('guard'),
  idempotency: createIdentifier<Idempotency>('idempotency'),
  omitted: createIdentifier<OmittedRecords>('omitted'),
  /** Why requests were refused since the start. */
  refusals: createIdentifier<Refusals>('refusals'),
  /** What a shutdown waits for. */
  runningWrites: createIdentifier<RunningWrites>('runningWrites'),
  /** Undefined where there is none, which is everywhere but where a platform is tried out. */
  sandbox: createIdentifier<Sandbox | undefined>('sandbox'),
  state: createIdentifier<State>('state'),
  toProblemReply: createIdentifier<ToProblemReply>('toProblemReply'),
  executeOnPort: createIdentifier<CreateAttempt>('executeOnPort'),
  protect: createIdentifier<CreateAttempt>('protect'),
  attemptOnce: createIdentifier<CreateAttempt>('attemptOnce'),
  sendProblems: createIdentifier<ErrorMiddleware>('sendProblems'),
  operationRoutes: createIdentifier<readonly ServedRoute[]>('operationRoutes'),
  sandboxRoutes: createIdentifier<readonly ServedRoute[]>('sandboxRoutes'),
  // httpModule
  /** Prefix of every path, `` or `/something`. */
  basePath: createIdentifier<string>('basePath'),
  capabilities: createIdentifier<Reply>('capabilities'),
  clock: createIdentifier<Clock>('clock'),
  endpoints: createIdentifier<readonly ServedRoute[]>('endpoints'),
  beforeRoutes: createIdentifier<readonly Middleware[]>('beforeRoutes'),
  /** Whether the process is shutting down. */
  lifecycle: createIdentifier<{ draining: () => boolean }>('lifecycle'),
  middleware: createIdentifier<readonly Middleware[]>('middleware'),
  pages: createIdentifier<Middleware>('pages'),
  readiness: createIdentifier<DescribeReadiness>('readiness'),
  app: createIdentifier<RequestListener>('app'),
  server: createIdentifier<Server>('server'),
  drain: createIdentifier<Drain>('drain'),
  /** Serves the probes alone; undefined without `ops.port`. */
  opsServer: createIdentifier<Server | undefined>('opsServer'),
  reload: createIdentifier<Reload>('reload'),
  /** Where `puente reload` asks; undefined without `ops.socket`. */
  controlServer: createIdentifier<Server | undefined>('controlServer'),
} as const;
