import type { RequestListener, Server } from 'node:http';
import type { ServiceIdentifier } from 'inversify';
import type { Operation } from '../api/index.ts';
import type { JwtSettings } from '../auth/jwt.ts';
import type { Refusals } from '../auth/token-client.ts';
import type { Environment } from '../config/keys.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Guard } from '../guard/guard.ts';
import type { Idempotency } from '../guard/idempotency.ts';
import type { Pages, ServedRoute } from '../http/app.ts';
import type { BodyBudget } from '../http/body.ts';
import type { CallerAddresses } from '../http/caller.ts';
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
import type { State } from '../state/state.ts';
import type { Clock } from '../toolkit/zone.ts';
import type { FindOwner, StartedAdapter } from './adapters.ts';
import type { RunningAudit } from './audit.ts';
import type { Authentication, TrialToken } from './authentication.ts';
import type { Health, Watched } from './health.ts';
import type { Reload } from './reload.ts';

export const createToken = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/**
 * What the container binds, beside the ports: the token of a port is its abstract class. All of it is made once, when it is
 * first asked for; `rebind` puts something else in its place before that.
 */
export const tokens = {
  config: createToken<LoadedConfig>('config'),
  /** Variables of the process. */
  environment: createToken<Environment>('environment'),
  readConfig: createToken<() => Promise<LoadedConfig>>('readConfig'),
  // adapters-module.ts
  /** The default adapter, and after it those that configuration names for a port. */
  adapters: createToken<readonly StartedAdapter[]>('adapters'),
  findOwner: createToken<FindOwner>('findOwner'),
  /** All operations, Group B with its configured routes. */
  operations: createToken<readonly Operation[]>('operations'),
  ports: createToken<Ports>('ports'),
  /** What its adapter lets be sent again when its outcome is unknown. */
  retryableWrites: createToken<ReadonlySet<Capability>>('retryableWrites'),
  supports: createToken<ReadonlySet<Capability>>('supports'),
  // health-module.ts
  health: createToken<Health>('health'),
  impairments: createToken<() => readonly AdapterImpairment[]>('impairments'),
  log: createToken<Log & { close?(): Promise<void> }>('log'),
  /** Undefined when they are off. */
  metrics: createToken<Metrics | undefined>('metrics'),
  tracing: createToken<Tracing | undefined>('tracing'),
  /** Where the log goes. */
  outputs: createToken<Watched>('outputs'),
  // callers-module.ts
  /** Who is behind the trusted proxies. */
  addresses: createToken<CallerAddresses>('addresses'),
  authentication: createToken<Authentication>('authentication'),
  clientLimits: createToken<ClientLimits>('clientLimits'),
  issuers: createToken<readonly JwtSettings[]>('issuers'),
  rateLimiters: createToken<RateLimiters>('rateLimiters'),
  trialToken: createToken<TrialToken | undefined>('trialToken'),
  // operations-module.ts
  /** Undefined where no audit trail is kept. */
  audit: createToken<RunningAudit | undefined>('audit'),
  bodies: createToken<BodyBudget>('bodies'),
  findAdapter: createToken<FindAdapter>('findAdapter'),
  findDeadline: createToken<(operation: Operation) => number>('findDeadline'),
  guard: createToken<Guard>('guard'),
  idempotency: createToken<Idempotency>('idempotency'),
  omitted: createToken<OmittedRecords>('omitted'),
  /** Why requests were refused since the start. */
  refusals: createToken<Refusals>('refusals'),
  /** What a shutdown waits for. */
  runningWrites: createToken<RunningWrites>('runningWrites'),
  state: createToken<State>('state'),
  toProblemReply: createToken<ToProblemReply>('toProblemReply'),
  executeOnPort: createToken<CreateAttempt>('executeOnPort'),
  protect: createToken<CreateAttempt>('protect'),
  attemptOnce: createToken<CreateAttempt>('attemptOnce'),
  sendProblems: createToken<ErrorMiddleware>('sendProblems'),
  operationRoutes: createToken<readonly ServedRoute[]>('operationRoutes'),
  // http-module.ts
  /** Prefix of every path, `` or `/something`. */
  basePath: createToken<string>('basePath'),
  capabilities: createToken<Reply>('capabilities'),
  clock: createToken<Clock>('clock'),
  endpoints: createToken<readonly ServedRoute[]>('endpoints'),
  beforeRoutes: createToken<readonly Middleware[]>('beforeRoutes'),
  /** Whether the process is shutting down. */
  lifecycle: createToken<{ draining: () => boolean }>('lifecycle'),
  /** The deployer's own. */
  middleware: createToken<readonly Middleware[]>('middleware'),
  pages: createToken<Pages>('pages'),
  readiness: createToken<DescribeReadiness>('readiness'),
  app: createToken<RequestListener>('app'),
  server: createToken<Server>('server'),
  drain: createToken<Drain>('drain'),
  /** Serves the probes alone; undefined without `ops.port`. */
  opsServer: createToken<Server | undefined>('opsServer'),
  reload: createToken<Reload>('reload'),
  /** Where `puente reload` asks; undefined without `ops.socket`. */
  controlServer: createToken<Server | undefined>('controlServer'),
} as const;
