import type { Server } from 'node:http';
import { ContainerModule } from 'inversify';
import { groupA, groupB, isWrite, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/operation.ts';
import { Refusals } from '../auth/token-client.ts';
import type { LoadedConfig } from '../config/read.ts';
import { Guard, getOperationClass } from '../guard/guard.ts';
import { Idempotency } from '../guard/idempotency.ts';
import { createApp, createPages, listBeforeRoutes, noPages } from '../http/app.ts';
import { beginAudit, endAudit } from '../http/audit.ts';
import { BodyBudget, readBody } from '../http/body.ts';
import { CallerAddresses, identifyClient, limitClient, requireToken } from '../http/caller.ts';
import {
  attemptOnce,
  beginOperation,
  callPort,
  checkInput,
  executeOnPort,
  protect,
  readKey,
  requireJsonAccepted,
  requireOffered,
  requireRoom,
  sendAnswer,
  serveOperations,
} from '../http/chain.ts';
import { Drain, RunningWrites } from '../http/drain.ts';
import { createProblemReplies, sendProblems } from '../http/errors.ts';
import { createOpsServer, createReadiness, listCapabilities, listGatewayEndpoints } from '../http/gateway-endpoints.ts';
import { ClientLimits } from '../http/limits.ts';
import { OmittedRecords, tellOmitted } from '../http/omitted-records.ts';
import type { Step } from '../http/request.ts';
import { createServer } from '../http/server.ts';
import { WinstonLog } from '../observe/log.ts';
import { type Capability, capabilities, type PortName, ports, splitCapability } from '../ports/index.ts';
import { version } from '../toolkit/package.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import {
  type CallPort,
  closeAdapters,
  createFindOwner,
  type FindOwner,
  listOwnershipProblems,
  type StartedAdapter,
  startAdapters,
} from './adapters.ts';
import { openAudit, watchAudit } from './audit.ts';
import { createAuthentication, createTrialToken, openIssuers, watchIssuers } from './authentication.ts';
import { Health, watchAdapters, watchOutputs, watchState } from './health.ts';
import { importMiddleware, openRateLimiters, openState } from './open.ts';
import { createControlServer, createReload } from './reload.ts';
import { createIdentifier, tokens } from './tokens.ts';

/** Binds the application of Express, the servers that carry it, and their end. */
export const httpModule = new ContainerModule(({ bind }) => {
  // By `Date.now`, so that whatever moves that moves this clock too.
  bind(tokens.clock).toConstantValue({ now: () => new Date(Date.now()) });
  bind(tokens.basePath).toResolvedValue(({ config }) => config.http.basePath, [tokens.config]);
  bind(tokens.middleware).toResolvedValue(importMiddleware, [tokens.config]);
  bind(tokens.beforeRoutes).toResolvedValue(listBeforeRoutes, [
    tokens.clock,
    tokens.log,
    tokens.findAdapter,
    tokens.basePath,
    tokens.middleware,
  ]);

  bind(tokens.lifecycle).toConstantValue({ draining: () => false });
  bind(tokens.readiness).toResolvedValue(createReadiness, [tokens.lifecycle, tokens.impairments, tokens.omitted]);
  bind(tokens.capabilities).toResolvedValue(listCapabilities, [tokens.operations, tokens.findAdapter, tokens.supports]);
  bind(tokens.endpoints).toResolvedValue(
    (readiness, capabilities, metrics, { authenticate }, { config: { auth, ops } }) => {
      const requireOperator = auth.openOps ? [] : requireToken(authenticate, 'ops:read');
      const shown = ops.port === undefined ? metrics : undefined;
      return listGatewayEndpoints(requireOperator, readiness, capabilities, shown);
    },
    [tokens.readiness, tokens.capabilities, tokens.metrics, tokens.authentication, tokens.config],
  );
  bind(tokens.pages).toResolvedValue(
    ({ config }, adapters, operations, supports) => {
      const { basePath, docs } = config.http;
      if (docs !== 'on') return noPages;
      const anonymousGroupA = config.auth.groupA === 'none';
      const idempotencyRequired = new Set(config.idempotency.required);
      const names = adapters.map(({ name }) => name);
      const home = { basePath, version, institution: config.institution, adapters: names, operations, supports };
      return createPages(home, { anonymousGroupA, openOps: config.auth.openOps, idempotencyRequired });
    },
    [tokens.config, tokens.adapters, tokens.operations, tokens.supports],
  );
  bind(tokens.app)
    .toResolvedValue(createApp, [
      tokens.basePath,
      tokens.beforeRoutes,
      tokens.endpoints,
      tokens.operationRoutes,
      tokens.pages,
      tokens.sendProblems,
    ])
    .onActivation(async (context, app) => {
      // It listens to what the gateway does, which does not know it.
      await context.getAsync(tokens.tracing);
      return app;
    });

  bind(tokens.server).toResolvedValue(
    (app, { config }, log) => createServer(app, config.http, log),
    [tokens.app, tokens.config, tokens.log],
  );
  bind(tokens.drain).toResolvedValue(
    (server, runningWrites, lifecycle) => {
      const drain = new Drain(server, runningWrites);
      lifecycle.draining = () => drain.started;
      return drain;
    },
    [tokens.server, tokens.runningWrites, tokens.lifecycle],
  );
  bind(tokens.opsServer)
    .toResolvedValue(
      ({ config }, readiness, refusals, log, metrics) =>
        config.ops.port === undefined ? undefined : createOpsServer(readiness, refusals, log, metrics),
      [tokens.config, tokens.readiness, tokens.refusals, tokens.log, tokens.metrics],
    )
    .onDeactivation(closeServer);
  bind(tokens.reload).toResolvedValue(createReload, [
    tokens.config,
    tokens.readConfig,
    tokens.authentication,
    tokens.clientLimits,
    tokens.health,
    tokens.log,
  ]);
  bind(tokens.controlServer)
    .toResolvedValue(
      ({ config }, reload) => (config.ops.socket === undefined ? undefined : createControlServer(reload)),
      [tokens.config, tokens.reload],
    )
    .onDeactivation(closeServer);
});

function closeServer(server: Server | undefined): void {
  server?.close();
  server?.closeAllConnections();
}

const names = Object.keys(ports) as PortName[];

/** Binds the adapters, the token of each port to what they offer of it, and what that makes of the operations. */
export const adaptersModule = new ContainerModule(({ bind }) => {
  bind(tokens.operations).toResolvedValue(
    ({ config }) => [...groupA, ...applyRoutes(groupB, config.api.paths)],
    [tokens.config],
  );
  bind(tokens.findOwner).toResolvedValue(({ config }) => createFindOwner(config), [tokens.config]);
  bind(tokens.adapters)
    .toResolvedValue(start, [
      tokens.config,
      tokens.operations,
      tokens.findOwner,
      { serviceIdentifier: tokens.guard, optional: true },
    ])
    .onDeactivation(closeAdapters);
  for (const name of names) {
    bind<unknown>(ports[name]).toResolvedValue(
      (started: readonly StartedAdapter[], findOwner: FindOwner) => joinPort(name, started, findOwner),
      [tokens.adapters, tokens.findOwner],
    );
  }
  bind(tokens.ports).toResolvedValue(
    (...offered: unknown[]) => Object.fromEntries(names.map((name, i) => [name, offered[i]])),
    names.map((name) => ports[name]),
  );
  bind(tokens.supports).toResolvedValue(
    (started, findOwner) => selectOwned(started, findOwner, ({ offered }) => [...offered]),
    [tokens.adapters, tokens.findOwner],
  );
  bind(tokens.retryableWrites).toResolvedValue(
    (started, findOwner) => selectOwned(started, findOwner, ({ offer }) => offer.retryableWrites ?? []),
    [tokens.adapters, tokens.findOwner],
  );
});

/**
 * Calls the adapters.
 * @param guard protects the calls that one adapter makes of another; without it they are made at once.
 * @throws ConfigProblems when an adapter cannot use its settings, offers what no port has, or lacks what it is named for.
 */
async function start(
  loaded: LoadedConfig,
  operations: readonly Operation[],
  findOwner: FindOwner,
  guard: Guard | undefined,
): Promise<readonly StartedAdapter[]> {
  const callPort: CallPort = (capability, given) => {
    const adapter = findOwner(capability);
    const call = async () => {
      const method = findMethod(started, adapter, capability);
      if (!method) throw new Error(`no adapter offers ${capability}`);
      return method(...given);
    };
    const kind = { adapter, port: splitCapability(capability)[0], class: getOperationClass([capability]) };
    return guard ? guard.protectNested(kind, call) : call();
  };
  const started = await startAdapters(loaded, callPort);
  const problems = listOwnershipProblems(loaded, started, operations);
  if (problems.length === 0) return started;
  await closeAdapters(started);
  throw new ConfigProblems(problems);
}

/** Of what each adapter names, the methods that are its own here. */
const selectOwned = (
  started: readonly StartedAdapter[],
  findOwner: FindOwner,
  list: (adapter: StartedAdapter) => readonly Capability[],
): ReadonlySet<Capability> =>
  new Set(started.flatMap((adapter) => list(adapter).filter((capability) => findOwner(capability) === adapter.name)));

const getPort = (started: readonly StartedAdapter[], adapter: string, port: PortName): object | undefined =>
  started.find(({ name }) => name === adapter)?.offer[port];

/** The port as its one owner made it, or an object with the methods of several. */
function joinPort(name: PortName, started: readonly StartedAdapter[], findOwner: FindOwner): object | undefined {
  const owned = capabilities.filter((capability) => splitCapability(capability)[0] === name);
  const [owner = '', ...others] = new Set(owned.map(findOwner));
  if (others.length === 0) return getPort(started, owner, name);
  const methods = owned.map((each) => [splitCapability(each)[1], findMethod(started, findOwner(each), each)]);
  return Object.fromEntries(methods.filter(([, method]) => method));
}

function findMethod(started: readonly StartedAdapter[], adapter: string, capability: Capability) {
  const [name, method] = splitCapability(capability);
  const port = getPort(started, adapter, name);
  const found: unknown = port && Reflect.get(port, method);
  return typeof found === 'function' ? (found.bind(port) as (...given: readonly unknown[]) => unknown) : undefined;
}

/** Binds who may call, and how much. */
export const callersModule = new ContainerModule(({ bind }) => {
  bind(tokens.addresses).toResolvedValue(
    ({ config }) => new CallerAddresses(config.http.trustedProxies),
    [tokens.config],
  );
  bind(tokens.rateLimiters)
    .toResolvedValue(openRateLimiters, [tokens.config, tokens.state, tokens.log])
    .onDeactivation((limiters) => limiters.close());
  bind(tokens.clientLimits).toResolvedValue(
    ({ config }, { create }) => new ClientLimits(config.limits.clients, create),
    [tokens.config, tokens.rateLimiters],
  );
  bind(tokens.issuers).toResolvedValue((loaded) => openIssuers(loaded), [tokens.config]);
  bind(tokens.trialToken).toResolvedValue(
    (loaded, environment) => createTrialToken(loaded, environment.PUENTE_TOKEN),
    [tokens.config, tokens.environment],
  );
  bind(tokens.authentication).toResolvedValue(createAuthentication, [
    tokens.config,
    tokens.issuers,
    tokens.trialToken,
    tokens.clock,
    tokens.addresses,
    tokens.rateLimiters,
  ]);
});

/** Binds what tells how the gateway does: log, health, metrics, traces. */
export const healthModule = new ContainerModule(({ bind }) => {
  bind(tokens.log).toResolvedValue(({ config }) => new WinstonLog(config.log), [tokens.config]);
  bind(tokens.outputs).toResolvedValue(() => watchOutputs([process.stdout, process.stderr]));
  bind(tokens.health)
    .toResolvedValue(
      async (adapters, state, audit, issuers, outputs, log) => {
        const watchedIssuers = await watchIssuers(issuers);
        const watched = [...watchAdapters(adapters, log), watchState(state), watchAudit(audit), ...watchedIssuers];
        return new Health([...watched, outputs], log);
      },
      [tokens.adapters, tokens.state, tokens.audit, tokens.issuers, tokens.outputs, tokens.log],
    )
    .onDeactivation((health) => health.stop());
  bind(tokens.impairments).toResolvedValue(
    (adapters, health, guard) => () => {
      const all = [...health.impairments, ...guard.impairments];
      return adapters.length > 1 ? all : all.map(({ code, detail }) => ({ code, detail }));
    },
    [tokens.adapters, tokens.health, tokens.guard],
  );
  bind(tokens.metrics)
    .toResolvedValue(
      async ({ config }, guard, health, audit) => {
        if (!config.ops.metrics) return undefined;
        return new (await import('../observe/metrics.ts')).Metrics({ guard, health, audit: audit?.writer });
      },
      [tokens.config, tokens.guard, tokens.health, tokens.audit],
    )
    .onDeactivation((metrics) => metrics?.close());
  bind(tokens.tracing)
    .toResolvedValue(
      async ({ config }, log) => {
        const { url, sampleRatio } = config.tracing;
        if (url === undefined) return undefined;
        return new (await import('../observe/tracing.ts')).Tracing({ url, sampleRatio }, log);
      },
      [tokens.config, tokens.log],
    )
    .onDeactivation((tracing) => tracing?.close());
});

/** What a request to an operation passes, from top to bottom. */
export const steps = {
  beginOperation: createIdentifier<Step>('beginOperation'),
  identifyClient: createIdentifier<Step>('identifyClient'),
  requireOffered: createIdentifier<Step>('requireOffered'),
  requireJsonAccepted: createIdentifier<Step>('requireJsonAccepted'),
  limitClient: createIdentifier<Step>('limitClient'),
  readKey: createIdentifier<Step>('readKey'),
  requireRoom: createIdentifier<Step>('requireRoom'),
  readBody: createIdentifier<Step>('readBody'),
  checkInput: createIdentifier<Step>('checkInput'),
  beginAudit: createIdentifier<Step>('beginAudit'),
  callPort: createIdentifier<Step>('callPort'),
  tellOmitted: createIdentifier<Step>('tellOmitted'),
  endAudit: createIdentifier<Step>('endAudit'),
  sendAnswer: createIdentifier<Step>('sendAnswer'),
};

/** Binds the steps of a request to an operation, each with the parts that it takes, and those parts. */
export const operationsModule = new ContainerModule(({ bind }) => {
  bind(tokens.guard).toResolvedValue(({ config }, log) => new Guard(config.guard, log), [tokens.config, tokens.log]);
  bind(tokens.state)
    .toResolvedValue(openState, [tokens.config])
    .onDeactivation((state) => state.close());
  bind(tokens.audit)
    .toResolvedValue(openAudit, [tokens.config, tokens.state, tokens.log])
    .onDeactivation((audit) => audit?.close());
  bind(tokens.idempotency).toResolvedValue(
    (state, log, { config }) => new Idempotency(state, log, config.idempotency.retention),
    [tokens.state, tokens.log, tokens.config],
  );
  bind(tokens.findAdapter).toResolvedValue(
    (findOwner) => (operation) => findOwner(operation.uses[0]),
    [tokens.findOwner],
  );
  bind(tokens.bodies).toResolvedValue(({ config }) => new BodyBudget(config.http.maxBodyBytes), [tokens.config]);
  bind(tokens.runningWrites).toConstantValue(new RunningWrites());
  bind(tokens.omitted).toConstantValue(new OmittedRecords());
  bind(tokens.refusals).toConstantValue(new Refusals());

  bind(steps.beginOperation).toResolvedValue(beginOperation, [tokens.runningWrites]);
  bind(steps.identifyClient).toResolvedValue(
    ({ authenticate }, { config }) => identifyClient(authenticate, config.auth.groupA === 'none'),
    [tokens.authentication, tokens.config],
  );
  bind(steps.requireOffered).toResolvedValue(requireOffered, [tokens.supports]);
  bind(steps.requireJsonAccepted).toConstantValue(requireJsonAccepted);
  bind(steps.limitClient).toResolvedValue(limitClient, [tokens.clientLimits, tokens.addresses]);
  bind(steps.readKey).toResolvedValue(({ config }) => readKey(config.idempotency.required), [tokens.config]);
  bind(steps.requireRoom).toResolvedValue(requireRoom, [tokens.guard, tokens.findAdapter]);
  bind(steps.readBody).toResolvedValue(
    (bodies, { config }) => readBody(bodies, config.http.packedBodies),
    [tokens.bodies, tokens.config],
  );
  bind(steps.checkInput).toResolvedValue(({ config }) => checkInput(config.compat), [tokens.config]);
  bind(steps.beginAudit).toResolvedValue(beginAudit, [tokens.audit, tokens.addresses]);
  bind(tokens.executeOnPort).toResolvedValue(executeOnPort, [tokens.ports, tokens.basePath]);
  bind(tokens.protect).toResolvedValue(protect, [tokens.executeOnPort, tokens.guard, tokens.findAdapter]);
  bind(tokens.attemptOnce).toResolvedValue(attemptOnce, [
    tokens.protect,
    tokens.idempotency,
    tokens.retryableWrites,
    tokens.toProblemReply,
  ]);
  bind(tokens.findDeadline).toResolvedValue(
    ({ config: { guard, http } }) =>
      (operation) =>
        guard.operations[operation.name]?.deadline ?? (isWrite(operation) ? http.writeDeadline : http.readDeadline),
    [tokens.config],
  );
  bind(steps.callPort).toResolvedValue(callPort, [tokens.attemptOnce, tokens.findDeadline, tokens.runningWrites]);
  bind(steps.tellOmitted).toResolvedValue(tellOmitted, [tokens.omitted, tokens.log, tokens.findAdapter]);
  bind(steps.endAudit).toResolvedValue(endAudit, [tokens.audit, tokens.addresses]);
  bind(steps.sendAnswer).toConstantValue(sendAnswer);

  bind(tokens.toProblemReply).toResolvedValue(
    (basePath, { config }) => createProblemReplies(basePath, config.compat.strictStatusCodes),
    [tokens.basePath, tokens.config],
  );
  bind(tokens.sendProblems).toResolvedValue(sendProblems, [
    tokens.toProblemReply,
    tokens.audit,
    tokens.addresses,
    tokens.refusals,
    tokens.log,
  ]);
  bind(tokens.operationRoutes).toResolvedValue(serveOperations, [
    tokens.operations,
    tokens.sendProblems,
    ...Object.values(steps),
  ]);
});
