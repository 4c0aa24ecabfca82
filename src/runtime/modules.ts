import type { Server } from 'node:http';
import { ContainerModule, type ResolutionContext } from 'inversify';
import { groupA, groupB, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/operation.ts';
import { Refusals } from '../auth/refusals.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Config } from '../config/schema.ts';
import { Guard, getOperationClass } from '../guard/guard.ts';
import { boundConnections } from '../http/descriptors.ts';
import { Drain } from '../http/drain.ts';
import { createOpsServer, createReadiness } from '../http/gateway-endpoints.ts';
import { ClientLimits } from '../http/limits.ts';
import { OmittedRecords } from '../http/omitted-records.ts';
import { RecentRequests } from '../http/operator/recent-requests.ts';
import { createServer } from '../http/server.ts';
import { WinstonLog } from '../observe/log.ts';
import { type Capability, capabilities, type PortName, portNames, ports, splitCapability } from '../ports/index.ts';
import type { Resettable, Sandbox } from '../sandbox/sandbox.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { getField } from '../toolkit/records.ts';
import {
  type CallOwner,
  closeAdapters,
  createFindOwner,
  type FindOwner,
  listOwnershipProblems,
  type Offered,
  type RunningAdapter,
  selectReasons,
  startAdapters,
} from './adapters.ts';
import { composeApplication } from './application.ts';
import { openAudit, watchAudit } from './audit.ts';
import { createAuthentication, createTrialToken, openIssuers } from './authentication.ts';
import { ClockWatch } from './clock.ts';
import { Health, watchAdapters, watchOutputs, watchState } from './health.ts';
import { importMiddleware, openRateLimiters, openState } from './open.ts';
import { describeGateway } from './operator.ts';
import { parts } from './parts.ts';
import { createControlServer, createReload } from './reload.ts';

/** Binds the Express application, its servers, and their shutdown. */
export const httpModule = new ContainerModule(({ bind }) => {
  // By `Date.now`, so that a replacement of it also moves this clock.
  bind(parts.clock).toConstantValue({ now: () => new Date(Date.now()) });
  bind(parts.middleware).toResolvedValue(importMiddleware, [parts.config]);
  bind(parts.sandbox).toDynamicValue(async (context) =>
    openSandbox(context.get(parts.config), await context.getAsync(parts.offered), {
      adapters: await context.getAsync(parts.adapters),
      counts: [context.get(parts.guard), await context.getAsync(parts.clientLimits)],
    }),
  );
  bind(parts.drain).toConstantValue(new Drain());
  bind(parts.app)
    .toDynamicValue(compose)
    .onActivation(async (context, app) => {
      // Starts tracing: it subscribes to the gateway's channels, so no other part requests it.
      await context.getAsync(parts.tracing);
      return app;
    });
  bind(parts.server).toResolvedValue(
    (app, { config }, log, drain) => {
      const maxConnections = boundConnections(config.http.maxConnections);
      const server = createServer(app, { ...config.http, maxConnections }, log);
      drain.watch(server);
      return server;
    },
    [parts.app, parts.config, parts.log, parts.drain],
  );
  bind(parts.recent)
    .toResolvedValue(({ config }) => (config.ops.port === undefined ? undefined : new RecentRequests()), [parts.config])
    .onDeactivation((recent) => recent?.close());
  bind(parts.opsServer).toDynamicValue(openOps).onDeactivation(closeServer);
  bind(parts.reload).toResolvedValue(
    (loaded, read, authentication, clientLimits, health, log) =>
      createReload({ loaded, read, authentication, clientLimits, health, log }),
    [parts.config, parts.readConfig, parts.authentication, parts.clientLimits, parts.health, parts.log],
  );
  bind(parts.controlServer)
    .toResolvedValue(
      ({ config }, reload) => (config.ops.socket === undefined ? undefined : createControlServer(reload)),
      [parts.config, parts.reload],
    )
    .onDeactivation(closeServer);
});

/** Creates the application from its parts. */
async function compose(context: ResolutionContext) {
  const { config } = context.get(parts.config);
  return composeApplication({
    config,
    clock: context.get(parts.clock),
    log: context.get(parts.log),
    offered: await context.getAsync(parts.offered),
    authentication: await context.getAsync(parts.authentication),
    clientLimits: await context.getAsync(parts.clientLimits),
    refusals: context.get(parts.refusals),
    state: await context.getAsync(parts.state),
    audit: await context.getAsync(parts.audit),
    guard: context.get(parts.guard),
    omitted: context.get(parts.omitted),
    readiness: await context.getAsync(parts.readiness),
    metrics: await context.getAsync(parts.metrics),
    middleware: await context.getAsync(parts.middleware),
    sandbox: await context.getAsync(parts.sandbox),
    drain: context.get(parts.drain),
  });
}

/** The operator's server, if a port is configured. */
async function openOps(context: ResolutionContext) {
  const recent = context.get(parts.recent);
  if (!recent) return undefined;
  const refusals = context.get(parts.refusals);
  return createOpsServer({
    describeReadiness: await context.getAsync(parts.readiness),
    refusals,
    log: context.get(parts.log),
    metrics: await context.getAsync(parts.metrics),
    operator: describeGateway({
      loaded: context.get(parts.config),
      started: await context.getAsync(parts.adapters),
      authentication: await context.getAsync(parts.authentication),
      offered: await context.getAsync(parts.offered),
      audit: await context.getAsync(parts.audit),
      clientLimits: await context.getAsync(parts.clientLimits),
      impairments: await context.getAsync(parts.impairments),
      guard: context.get(parts.guard),
      drain: context.get(parts.drain),
      recent,
    }),
  });
}

/** Also ends its connections. */
export function closeServer(server: Server | undefined): void {
  server?.close();
  server?.closeAllConnections();
}

/** Binds the adapters, each port's class to its offered methods, and their combined offer. */
export const adaptersModule = new ContainerModule(({ bind }) => {
  bind(parts.adapters)
    .toResolvedValue(start, [parts.config, { serviceIdentifier: parts.guard, optional: true }])
    .onDeactivation(closeAdapters);
  for (const name of portNames) {
    bind<unknown>(ports[name]).toResolvedValue(
      (started, { config }) => joinPort(name, started, createFindOwner(config)),
      [parts.adapters, parts.config],
    );
  }
  bind(parts.offered).toResolvedValue(
    (started: readonly RunningAdapter[], { config }: LoadedConfig, ...offered: unknown[]) =>
      describeOffered(started, config, Object.fromEntries(portNames.map((name, i) => [name, offered[i]]))),
    [parts.adapters, parts.config, ...portNames.map((name) => ports[name])],
  );
});

const listOperations = (config: Config): readonly Operation[] => [...groupA, ...applyRoutes(groupB, config.api.paths)];

function describeOffered(started: readonly RunningAdapter[], config: Config, ports: Offered['ports']): Offered {
  const findOwner = createFindOwner(config);
  return {
    adapters: started.map(({ name }) => name),
    findOwner,
    operations: listOperations(config),
    ports,
    supports: selectOwned(started, findOwner, ({ offered }) => [...offered]),
    retryableWrites: selectOwned(started, findOwner, ({ offer }) => offer.retryableWrites ?? []),
    reasons: selectReasons(started, findOwner),
  };
}

/**
 * Starts the adapters.
 * @param guard protects the calls between adapters. Without it, they are made directly.
 * @throws ConfigProblems if an adapter cannot use its settings, offers unknown methods, or lacks a configured one.
 */
async function start(loaded: LoadedConfig, guard: Guard | undefined): Promise<readonly RunningAdapter[]> {
  const findOwner = createFindOwner(loaded.config);
  const callOwner: CallOwner = (capability, given) => {
    const adapter = findOwner(capability);
    const call = async () => {
      const method = findMethod(started, adapter, capability);
      if (!method) throw new Error(`no adapter offers ${capability}`);
      return method(...given);
    };
    const kind = { adapter, port: splitCapability(capability)[0], class: getOperationClass([capability]) };
    return guard ? guard.protectNested(kind, call) : call();
  };
  const started = await startAdapters(loaded, callOwner);
  const problems = listOwnershipProblems(loaded, started, listOperations(loaded.config));
  if (problems.length === 0) return started;
  await closeAdapters(started);
  throw new ConfigProblems(problems);
}

/** The methods that an adapter names and also has here. */
const selectOwned = (
  started: readonly RunningAdapter[],
  findOwner: FindOwner,
  list: (adapter: RunningAdapter) => readonly Capability[],
): ReadonlySet<Capability> =>
  new Set(started.flatMap((adapter) => list(adapter).filter((capability) => findOwner(capability) === adapter.name)));

const getPort = (started: readonly RunningAdapter[], adapter: string, port: PortName): object | undefined =>
  started.find(({ name }) => name === adapter)?.offer[port];

/** The port of its only owner, or an object with the methods of several owners. */
function joinPort(name: PortName, started: readonly RunningAdapter[], findOwner: FindOwner): object | undefined {
  const owned = capabilities.filter((capability) => splitCapability(capability)[0] === name);
  const [owner = '', ...others] = new Set(owned.map(findOwner));
  if (others.length === 0) return getPort(started, owner, name);
  const methods = owned.map((each) => [splitCapability(each)[1], findMethod(started, findOwner(each), each)] as const);
  return Object.fromEntries(methods.filter(([, method]) => method));
}

function findMethod(started: readonly RunningAdapter[], adapter: string, capability: Capability) {
  const [name, method] = splitCapability(capability);
  const port = getPort(started, adapter, name);
  const found = getField(port, method);
  return typeof found === 'function'
    ? (...given: readonly unknown[]): unknown => Reflect.apply(found, port, given)
    : undefined;
}

/** Binds the authentication and the limits of callers. */
export const callersModule = new ContainerModule(({ bind }) => {
  bind(parts.rateLimiters)
    .toResolvedValue(openRateLimiters, [parts.config, parts.state, parts.log])
    .onDeactivation((limiters) => limiters.close());
  bind(parts.clientLimits).toResolvedValue(
    ({ config }, { create }) => new ClientLimits(config.limits.clients, create),
    [parts.config, parts.rateLimiters],
  );
  bind(parts.issuers).toResolvedValue((loaded) => openIssuers(loaded), [parts.config]);
  bind(parts.refusals).toConstantValue(new Refusals());
  bind(parts.trialToken).toResolvedValue(
    (loaded, environment) => createTrialToken(loaded, environment.PUENTE_TOKEN),
    [parts.config, parts.environment],
  );
  bind(parts.authentication).toResolvedValue(
    (loaded, issuers, trial, clock, limiters) => createAuthentication({ loaded, issuers, trial, clock, limiters }),
    [parts.config, parts.issuers, parts.trialToken, parts.clock, parts.rateLimiters],
  );
});

/** Binds the persistent records. */
export const recordsModule = new ContainerModule(({ bind }) => {
  bind(parts.state)
    .toResolvedValue((loaded) => openState(loaded), [parts.config])
    .onDeactivation((state) => state.close());
  bind(parts.audit)
    .toResolvedValue(openAudit, [parts.config, parts.state, parts.log])
    .onDeactivation((audit) => audit?.close());
});

/** Binds the protection of the backend, and the observation of the gateway: log, health, metrics, traces. */
export const healthModule = new ContainerModule(({ bind }) => {
  bind(parts.guard).toResolvedValue(({ config }, log) => new Guard(config.guard, log), [parts.config, parts.log]);
  bind(parts.omitted).toConstantValue(new OmittedRecords());
  bind(parts.readiness).toResolvedValue(createReadiness, [parts.drain, parts.impairments, parts.omitted]);
  bind(parts.log).toResolvedValue(({ config }) => new WinstonLog(config.log), [parts.config]);
  bind(parts.clockWatch)
    .toResolvedValue((state) => new ClockWatch(state), [parts.state])
    .onDeactivation((watch) => watch.close());
  bind(parts.outputs).toResolvedValue(() => watchOutputs([process.stdout, process.stderr]));
  bind(parts.health)
    .toResolvedValue(
      async (adapters, state, audit, issuers, outputs, clock, log) => {
        const watched = [
          ...watchAdapters(adapters, log),
          watchState(state),
          watchAudit(audit),
          ...issuers.map((issuer) => issuer.watched),
        ];
        return new Health([...watched, outputs, clock], log);
      },
      [parts.adapters, parts.state, parts.audit, parts.issuers, parts.outputs, parts.clockWatch, parts.log],
    )
    .onDeactivation((health) => health.stop());
  bind(parts.impairments).toResolvedValue(
    (adapters, health, guard) => () => {
      const all = [...health.impairments, ...guard.impairments];
      return adapters.length > 1 ? all : all.map(({ code, detail }) => ({ code, detail }));
    },
    [parts.adapters, parts.health, parts.guard],
  );
  bind(parts.metrics)
    .toResolvedValue(
      async ({ config }, guard, health, audit) => {
        if (!config.ops.metrics) return undefined;
        return new (await import('../observe/metrics.ts')).Metrics({ guard, health, audit: audit?.writer });
      },
      [parts.config, parts.guard, parts.health, parts.audit],
    )
    .onDeactivation((metrics) => metrics?.close());
  bind(parts.tracing)
    .toResolvedValue(
      async ({ config }, log) => {
        const { url, sampleRatio } = config.tracing;
        if (url === undefined) return undefined;
        return new (await import('../observe/tracing.ts')).Tracing({ url, sampleRatio }, log);
      },
      [parts.config, parts.log],
    )
    .onDeactivation((tracing) => tracing?.close());
});

/** Loads scenarios only if the default adapter is a sandbox. */
async function openSandbox(
  { config }: LoadedConfig,
  { operations }: Offered,
  {
    adapters: [started],
    counts,
  }: { readonly adapters: readonly RunningAdapter[]; readonly counts: readonly Resettable[] },
): Promise<Sandbox | undefined> {
  // A gateway with another adapter does not load this one's code.
  if (started?.name !== 'memory') return undefined;
  const hospital = (await import('../../adapters/memory/sandbox.ts')).findSandbox(started.offer);
  return hospital && new (await import('../sandbox/sandbox.ts')).Sandbox(hospital, operations, config, counts);
}
