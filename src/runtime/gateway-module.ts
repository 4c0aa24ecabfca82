import { ContainerModule } from 'inversify';
import type { Audit } from '../audit/audit.ts';
import type { LoadedConfig } from '../config/read.ts';
import { Guard } from '../guard/guard.ts';
import { Idempotency } from '../guard/idempotency/idempotency.ts';
import type { JwtSettings } from '../http/auth/jwt.ts';
import { Refusals } from '../http/auth/refusal.ts';
import { CallerAddresses } from '../http/caller-address.ts';
import type { Gateway } from '../http/gateway.ts';
import { ClientLimits } from '../http/limits/client-limits.ts';
import type { RateLimiters } from '../http/limits/shared-rate-limiters.ts';
import { OmittedRecords } from '../http/omitted-records.ts';
import { BodyBudget } from '../http/operations/body-budget.ts';
import { RunningWrites } from '../http/running-writes.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Log } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import { version } from '../toolkit/package.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { openAudit, type RunningAudit, watchAudit } from './audit.ts';
import { Authentication, openIssuers, watchIssuers } from './authentication.ts';
import type { Composition } from './composition.ts';
import { Health, type Watched, watchAdapters, watchOutputs, watchState } from './health.ts';
import { WinstonLog } from './logger.ts';
import { importMiddleware } from './middleware.ts';
import { openRateLimiters } from './rate-limiters.ts';
import { openState } from './state.ts';
import { tokens } from './tokens.ts';
import { createTrialToken } from './trial-token.ts';

/** Binds what stands between HTTP and the ports: log, clock, guard, state, who may call, and what watches other systems. */
export const gatewayModule = new ContainerModule(({ bind }) => {
  bind(tokens.log).toResolvedValue(({ config }) => new WinstonLog(config.log), [tokens.config]);
  bind(tokens.outputs).toResolvedValue(() => watchOutputs([process.stdout, process.stderr]));
  // By `Date.now`, so that whatever moves that moves this clock too.
  bind(tokens.clock).toConstantValue({ now: () => new Date(Date.now()) });
  bind(tokens.guard).toResolvedValue(({ config }, log) => new Guard(config.guard, log), [tokens.config, tokens.log]);
  bind(tokens.state)
    .toResolvedValue(openState, [tokens.config])
    .onDeactivation((state) => state.close());
  bind(tokens.audit)
    .toResolvedValue(openAudit, [tokens.config, tokens.state, tokens.log])
    .onDeactivation((audit) => audit?.close());
  bind(tokens.addresses).toResolvedValue(
    ({ config }) => new CallerAddresses(config.http.trustedProxies),
    [tokens.config],
  );
  bind(tokens.rateLimiters)
    .toResolvedValue(openRateLimiters, [tokens.config, tokens.state, tokens.log])
    .onDeactivation((limiters) => limiters.close());
  bind(tokens.issuers).toResolvedValue((loaded) => openIssuers(loaded), [tokens.config]);
  bind(tokens.health)
    .toResolvedValue(createHealth, [
      tokens.composition,
      tokens.state,
      tokens.audit,
      tokens.issuers,
      tokens.outputs,
      tokens.log,
    ])
    .onDeactivation((health) => health.stop());
  bind(tokens.metrics)
    .toResolvedValue(createMetrics, [tokens.config, tokens.guard, tokens.health, tokens.audit])
    .onDeactivation((metrics) => metrics?.close());
  bind(tokens.tracing)
    .toResolvedValue(createTracing, [tokens.config, tokens.log])
    .onDeactivation((tracing) => tracing?.close());
  bind(tokens.trialToken).toResolvedValue(
    (loaded, environment) => createTrialToken(loaded, environment.PUENTE_TOKEN),
    [tokens.config, tokens.environment],
  );
  bind(tokens.authentication).toResolvedValue(
    (loaded, issuers, trial, clock, addresses, limiters) =>
      new Authentication(loaded, issuers, { trial, clock, addresses, limiters }),
    [tokens.config, tokens.issuers, tokens.trialToken, tokens.clock, tokens.addresses, tokens.rateLimiters],
  );
  bind(tokens.middleware).toResolvedValue(importMiddleware, [tokens.config]);
  bind(tokens.lifecycle).toConstantValue({ draining: () => false });
  bind(tokens.gateway)
    .toResolvedValue(createGateway, [
      tokens.config,
      tokens.composition,
      tokens.log,
      tokens.clock,
      tokens.guard,
      tokens.state,
      tokens.audit,
      tokens.addresses,
      tokens.rateLimiters,
      tokens.authentication,
      tokens.middleware,
      tokens.lifecycle,
      tokens.health,
      tokens.metrics,
    ])
    .onActivation(async (context, gateway) => {
      // It listens to what the gateway does, which does not know it.
      await context.getAsync(tokens.tracing);
      return gateway;
    });
});

async function createHealth(
  { adapters }: Composition,
  state: State,
  audit: RunningAudit | undefined,
  issuers: readonly JwtSettings[],
  outputs: Watched,
  log: Log,
): Promise<Health> {
  const watchedIssuers = await watchIssuers(issuers);
  return new Health(
    [...watchAdapters(adapters, log), watchState(state), watchAudit(audit), ...watchedIssuers, outputs],
    log,
  );
}

async function createMetrics(
  { config }: LoadedConfig,
  guard: Guard,
  health: Health,
  audit: Audit | undefined,
): Promise<Metrics | undefined> {
  if (!config.ops.metrics) return undefined;
  return new (await import('../metrics/metrics.ts')).Metrics({ guard, health, audit: audit?.writer });
}

async function createTracing({ config }: LoadedConfig, log: Log): Promise<Tracing | undefined> {
  const { url, sampleRatio } = config.tracing;
  if (url === undefined) return undefined;
  return new (await import('../tracing/tracing.ts')).Tracing({ url, sampleRatio }, log);
}

/** What `src/http` needs of all others. */
function createGateway(
  { config }: LoadedConfig,
  { operations, port, adapters, findOwner, supports, retryableWrites }: Composition,
  log: Log,
  clock: Gateway['clock'],
  guard: Guard,
  state: State,
  audit: Audit | undefined,
  addresses: CallerAddresses,
  rateLimiters: RateLimiters,
  authentication: Authentication,
  middleware: Gateway['middleware'],
  lifecycle: { draining: () => boolean },
  health: Health,
  metrics: Metrics | undefined,
): Gateway {
  return {
    version,
    institution: config.institution,
    operations,
    port,
    adapters: adapters.map(({ name }) => name),
    findOwner,
    supports,
    log,
    clock,
    guard,
    impairments: () => {
      const all = [...health.impairments, ...guard.impairments];
      return adapters.length > 1 ? all : all.map(({ code, detail }) => ({ code, detail }));
    },
    draining: () => lifecycle.draining(),
    authenticate: authentication.authenticate,
    middleware,
    anonymousGroupA: config.auth.groupA === 'none',
    openOps: config.auth.openOps,
    metrics: config.ops.port === undefined ? metrics : undefined,
    docs: config.http.docs === 'on',
    basePath: config.http.basePath,
    limits: config.http,
    addresses,
    clientLimits: new ClientLimits(config.limits.clients, rateLimiters.create),
    bodies: new BodyBudget(config.http.maxBodyBytes),
    packedBodies: new Set(config.http.packedBodies),
    runningWrites: new RunningWrites(),
    omittedRecords: new OmittedRecords(),
    refusals: new Refusals(),
    idempotency: new Idempotency({ state, log, retention: config.idempotency.retention }),
    audit,
    idempotencyRequired: new Set(config.idempotency.required),
    retryableWrites,
    compat: config.compat,
  };
}
