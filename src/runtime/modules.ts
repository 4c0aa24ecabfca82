import type { Server } from 'node:http';
import { ContainerModule } from 'inversify';
import { groupA, groupB, isWrite, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/operation.ts';
import { Refusals } from '../auth/refusals.ts';
import type { LoadedConfig } from '../config/read.ts';
import { Guard, getOperationClass } from '../guard/guard.ts';
import { Idempotency } from '../guard/idempotency.ts';
import { CallerAddresses } from '../http/addresses.ts';
import { createApp, createPages, listBeforeRoutes, noPages } from '../http/app.ts';
import { RequestTrail } from '../http/audit.ts';
import { BodyBudget, readBody } from '../http/body.ts';
import { identifyClient, limitClient, requireToken } from '../http/caller.ts';
import {
  attemptOnce,
  beginOperation,
  callPort,
  checkInput,
  executeOnPort,
  protect,
  readKey,
  requireAdmission,
  requireJsonAccepted,
  requireOffered,
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
import type { Sandbox } from '../sandbox/sandbox.ts';
import { version } from '../toolkit/package.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import {
  type CallOwner,
  closeAdapters,
  createFindOwner,
  type FindOwner,
  listOwnershipProblems,
  type RunningAdapter,
  startAdapters,
} from './adapters.ts';
import { openAudit, watchAudit } from './audit.ts';
import { createAuthentication, createTrialToken, openIssuers, watchIssuers } from './authentication.ts';
import { Health, watchAdapters, watchOutputs, watchState } from './health.ts';
import { importMiddleware, openRateLimiters, openState } from './open.ts';
import { createIdentifier, parts } from './parts.ts';
import { createControlServer, createReload } from './reload.ts';

/** Binds the application of Express, the servers that carry it, and their end. */
export const httpModule = new ContainerModule(({ bind }) => {
  // By `Date.now`, so that whatever moves that moves this clock too.
  bind(parts.clock).toConstantValue({ now: () => new Date(Date.now()) });
  bind(parts.basePath).toResolvedValue(({ config }) => config.http.basePath, [parts.config]);
  bind(parts.middleware).toResolvedValue(importMiddleware, [parts.config]);
  bind(parts.beforeRoutes).toResolvedValue(listBeforeRoutes, [
    parts.clock,
    parts.log,
    parts.findAdapter,
    parts.basePath,
    parts.middleware,
  ]);

  bind(parts.lifecycle).toConstantValue({ draining: () => false });
  bind(parts.readiness).toResolvedValue(createReadiness, [parts.lifecycle, parts.impairments, parts.omitted]);
  bind(parts.capabilities).toResolvedValue(
    (operations, findAdapter, supports, { config }) =>
      listCapabilities(operations, findAdapter, supports, config.institution.timeZone),
    [parts.operations, parts.findAdapter, parts.supports, parts.config],
  );
  bind(parts.endpoints).toResolvedValue(
    (readiness, capabilities, metrics, { authenticate }, { config: { auth, ops } }) => {
      const requireOperator = auth.openOps ? [] : requireToken(authenticate, 'ops:read');
      const shown = ops.port === undefined ? metrics : undefined;
      return listGatewayEndpoints(requireOperator, readiness, capabilities, shown);
    },
    [parts.readiness, parts.capabilities, parts.metrics, parts.authentication, parts.config],
  );
  bind(parts.pages).toResolvedValue(
    ({ config }, adapters, operations, supports, sandbox) => {
      const { basePath, docs } = config.http;
      if (docs !== 'on') return noPages;
      const anonymousGroupA = config.auth.groupA === 'none';
      const idempotencyRequired = new Set(config.idempotency.required);
      const names = adapters.map(({ name }) => name);
      const home = { basePath, version, institution: config.institution, adapters: names, operations, supports };
      const rules = { anonymousGroupA, openOps: config.auth.openOps, idempotencyRequired };
      return createPages({ ...home, sandbox }, rules, sandbox?.documentation);
    },
    [parts.config, parts.adapters, parts.operations, parts.supports, parts.sandbox],
  );
  bind(parts.app)
    .toResolvedValue(createApp, [
      parts.basePath,
      parts.beforeRoutes,
      parts.endpoints,
      parts.operationRoutes,
      parts.sandboxRoutes,
      parts.pages,
      parts.sendProblems,
    ])
    .onActivation(async (context, app) => {
      // It listens to what the gateway does, which does not know it.
      await context.getAsync(parts.tracing);
      return app;
    });

  bind(parts.server).toResolvedValue(
    (app, { config }, log) => createServer(app, config.http, log),
    [parts.app, parts.config, parts.log],
  );
  bind(parts.drain).toResolvedValue(
    (server, runningWrites, lifecycle) => {
      const drain = new Drain(server, runningWrites);
      lifecycle.draining = () => drain.started;
      return drain;
    },
    [parts.server, parts.runningWrites, parts.lifecycle],
  );
  bind(parts.opsServer)
    .toResolvedValue(
      ({ config }, readiness, refusals, log, metrics) =>
        config.ops.port === undefined ? undefined : createOpsServer(readiness, refusals, log, metrics),
      [parts.config, parts.readiness, parts.refusals, parts.log, parts.metrics],
    )
    .onDeactivation(closeServer);
  bind(parts.reload).toResolvedValue(createReload, [
    parts.config,
    parts.readConfig,
    parts.authentication,
    parts.clientLimits,
    parts.health,
    parts.log,
  ]);
  bind(parts.controlServer)
    .toResolvedValue(
      ({ config }, reload) => (config.ops.socket === undefined ? undefined : createControlServer(reload)),
      [parts.config, parts.reload],
    )
    .onDeactivation(closeServer);
});

/** Ends its connections, too. */
export function closeServer(server: Server | undefined): void {
  server?.close();
  server?.closeAllConnections();
}

const names = Object.keys(ports) as PortName[];

/** Binds the adapters, the class of each port to what they offer of it, and what that makes of the operations. */
export const adaptersModule = new ContainerModule(({ bind }) => {
  bind(parts.operations).toResolvedValue(
    ({ config }) => [...groupA, ...applyRoutes(groupB, config.api.paths)],
    [parts.config],
  );
  bind(parts.findOwner).toResolvedValue(({ config }) => createFindOwner(config), [parts.config]);
  bind(parts.adapters)
    .toResolvedValue(start, [
      parts.config,
      parts.operations,
      parts.findOwner,
      { serviceIdentifier: parts.guard, optional: true },
    ])
    .onDeactivation(closeAdapters);
  for (const name of names) {
    bind<unknown>(ports[name]).toResolvedValue(
      (started: readonly RunningAdapter[], findOwner: FindOwner) => joinPort(name, started, findOwner),
      [parts.adapters, parts.findOwner],
    );
  }
  bind(parts.ports).toResolvedValue(
    (...offered: unknown[]) => Object.fromEntries(names.map((name, i) => [name, offered[i]])),
    names.map((name) => ports[name]),
  );
  bind(parts.supports).toResolvedValue(
    (started, findOwner) => selectOwned(started, findOwner, ({ offered }) => [...offered]),
    [parts.adapters, parts.findOwner],
  );
  bind(parts.retryableWrites).toResolvedValue(
    (started, findOwner) => selectOwned(started, findOwner, ({ offer }) => offer.retryableWrites ?? []),
    [parts.adapters, parts.findOwner],
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
): Promise<readonly RunningAdapter[]> {
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
  const problems = listOwnershipProblems(loaded, started, operations);
  if (problems.length === 0) return started;
  await closeAdapters(started);
  throw new ConfigProblems(problems);
}

/** Of what each adapter names, the methods that are its own here. */
const selectOwned = (
  started: readonly RunningAdapter[],
  findOwner: FindOwner,
  list: (adapter: RunningAdapter) => readonly Capability[],
): ReadonlySet<Capability> =>
  new Set(started.flatMap((adapter) => list(adapter).filter((capability) => findOwner(capability) === adapter.name)));

const getPort = (started: readonly RunningAdapter[], adapter: string, port: PortName): object | undefined =>
  started.find(({ name }) => name === adapter)?.offer[port];

/** The port as its one owner made it, or an object with the methods of several. */
function joinPort(name: PortName, started: readonly RunningAdapter[], findOwner: FindOwner): object | undefined {
  const owned = capabilities.filter((capability) => splitCapability(capability)[0] === name);
  const [owner = '', ...others] = new Set(owned.map(findOwner));
  if (others.length === 0) return getPort(started, owner, name);
  const methods = owned.map((each) => [splitCapability(each)[1], findMethod(started, findOwner(each), each)]);
  return Object.fromEntries(methods.filter(([, method]) => method));
}

function findMethod(started: readonly RunningAdapter[], adapter: string, capability: Capability) {
  const [name, method] = splitCapability(capability);
  const port = getPort(started, adapter, name);
  const found: unknown = port && Reflect.get(port, method);
  return typeof found === 'function' ? (found.bind(port) as (...given: readonly unknown[]) => unknown) : undefined;
}

/** Binds who may call, and how much. */
export const callersModule = new ContainerModule(({ bind }) => {
  bind(parts.addresses).toResolvedValue(
    ({ config }) => new CallerAddresses(config.http.trustedProxies),
    [parts.config],
  );
  bind(parts.rateLimiters)
    .toResolvedValue(openRateLimiters, [parts.config, parts.state, parts.log])
    .onDeactivation((limiters) => limiters.close());
  bind(parts.clientLimits).toResolvedValue(
    ({ config }, { create }) => new ClientLimits(config.limits.clients, create),
    [parts.config, parts.rateLimiters],
  );
  bind(parts.issuers).toResolvedValue((loaded) => openIssuers(loaded), [parts.config]);
  bind(parts.trialToken).toResolvedValue(
    (loaded, environment) => createTrialToken(loaded, environment.PUENTE_TOKEN),
    [parts.config, parts.environment],
  );
  bind(parts.authentication).toResolvedValue(createAuthentication, [
    parts.config,
    parts.issuers,
    parts.trialToken,
    parts.clock,
    parts.addresses,
    parts.rateLimiters,
  ]);
});

/** Binds what tells how the gateway does: log, health, metrics, traces. */
export const healthModule = new ContainerModule(({ bind }) => {
  bind(parts.log).toResolvedValue(({ config }) => new WinstonLog(config.log), [parts.config]);
  bind(parts.outputs).toResolvedValue(() => watchOutputs([process.stdout, process.stderr]));
  bind(parts.health)
    .toResolvedValue(
      async (adapters, state, audit, issuers, outputs, log) => {
        const watchedIssuers = await watchIssuers(issuers);
        const watched = [...watchAdapters(adapters, log), watchState(state), watchAudit(audit), ...watchedIssuers];
        return new Health([...watched, outputs], log);
      },
      [parts.adapters, parts.state, parts.audit, parts.issuers, parts.outputs, parts.log],
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

/** What a request to an operation passes, from top to bottom. */
export const steps = {
  beginOperation: createIdentifier<Step>('beginOperation'),
  identifyClient: createIdentifier<Step>('identifyClient'),
  requireOffered: createIdentifier<Step>('requireOffered'),
  requireJsonAccepted: createIdentifier<Step>('requireJsonAccepted'),
  limitClient: createIdentifier<Step>('limitClient'),
  readKey: createIdentifier<Step>('readKey'),
  playScenario: createIdentifier<Step>('playScenario'),
  requireAdmission: createIdentifier<Step>('requireAdmission'),
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
  bind(parts.guard).toResolvedValue(({ config }, log) => new Guard(config.guard, log), [parts.config, parts.log]);
  bind(parts.state)
    .toResolvedValue(openState, [parts.config])
    .onDeactivation((state) => state.close());
  bind(parts.audit)
    .toResolvedValue(openAudit, [parts.config, parts.state, parts.log])
    .onDeactivation((audit) => audit?.close());
  bind(parts.idempotency).toResolvedValue(
    (state, log, { config }) => new Idempotency(state, log, config.idempotency.retention),
    [parts.state, parts.log, parts.config],
  );
  bind(parts.findAdapter).toResolvedValue(
    (findOwner) => (operation) => findOwner(operation.uses[0]),
    [parts.findOwner],
  );
  bind(parts.bodies).toResolvedValue(({ config }) => new BodyBudget(config.http.maxBodyBytes), [parts.config]);
  bind(parts.runningWrites).toConstantValue(new RunningWrites());
  bind(parts.omitted).toConstantValue(new OmittedRecords());
  bind(parts.refusals).toConstantValue(new Refusals());

  bind(steps.beginOperation).toResolvedValue(beginOperation, [parts.runningWrites]);
  bind(steps.identifyClient).toResolvedValue(
    ({ authenticate }, { config }) => identifyClient(authenticate, config.auth.groupA === 'none'),
    [parts.authentication, parts.config],
  );
  bind(steps.requireOffered).toResolvedValue(requireOffered, [parts.supports]);
  bind(steps.requireJsonAccepted).toConstantValue(requireJsonAccepted);
  bind(steps.limitClient).toResolvedValue(limitClient, [parts.clientLimits, parts.addresses]);
  bind(steps.readKey).toResolvedValue(({ config }) => readKey(config.idempotency.required), [parts.config]);
  bind(steps.playScenario).toResolvedValue((sandbox) => sandbox?.step ?? (() => []), [parts.sandbox]);
  bind(steps.requireAdmission).toResolvedValue(requireAdmission, [parts.guard, parts.findAdapter]);
  bind(steps.readBody).toResolvedValue(
    (bodies, { config }) => readBody(bodies, config.http.packedBodies),
    [parts.bodies, parts.config],
  );
  bind(steps.checkInput).toResolvedValue(({ config }) => checkInput(config.compat), [parts.config]);
  bind(parts.requestTrail).toResolvedValue(
    (audit, addresses) => new RequestTrail(audit, addresses),
    [parts.audit, parts.addresses],
  );
  bind(steps.beginAudit).toResolvedValue(({ begin }) => begin, [parts.requestTrail]);
  bind(parts.executeOnPort).toResolvedValue(
    (ports, basePath, sandbox) => {
      const createAttempt = executeOnPort(ports, basePath);
      return sandbox?.wrap(createAttempt) ?? createAttempt;
    },
    [parts.ports, parts.basePath, parts.sandbox],
  );
  bind(parts.protect).toResolvedValue(protect, [parts.executeOnPort, parts.guard, parts.findAdapter]);
  bind(parts.attemptOnce).toResolvedValue(attemptOnce, [
    parts.protect,
    parts.idempotency,
    parts.retryableWrites,
    parts.toProblemReply,
  ]);
  bind(parts.findDeadline).toResolvedValue(
    ({ config: { guard, http } }) =>
      (operation) =>
        guard.operations[operation.name]?.deadline ?? (isWrite(operation) ? http.writeDeadline : http.readDeadline),
    [parts.config],
  );
  bind(steps.callPort).toResolvedValue(callPort, [parts.attemptOnce, parts.findDeadline, parts.runningWrites]);
  bind(steps.tellOmitted).toResolvedValue(tellOmitted, [parts.omitted, parts.log, parts.findAdapter]);
  bind(steps.endAudit).toResolvedValue(({ end }) => end, [parts.requestTrail]);
  bind(steps.sendAnswer).toConstantValue(sendAnswer);

  bind(parts.sandbox).toResolvedValue(openSandbox, [parts.config, parts.operations, parts.adapters]);
  bind(parts.toProblemReply).toResolvedValue(
    (basePath, { config }) => createProblemReplies(basePath, config.compat.strictStatusCodes),
    [parts.basePath, parts.config],
  );
  bind(parts.sendProblems).toResolvedValue(sendProblems, [
    parts.toProblemReply,
    parts.requestTrail,
    parts.addresses,
    parts.refusals,
    parts.log,
  ]);
  bind(parts.operationRoutes).toResolvedValue(serveOperations, [
    parts.operations,
    parts.sendProblems,
    ...Object.values(steps),
  ]);
  bind(parts.sandboxRoutes).toResolvedValue(
    (sandbox, sendProblems, findDeadline, runningWrites, { authenticate }, begin, limit, ...read) => {
      const call = callPort(executeOnPort({}, ''), findDeadline, runningWrites);
      const whole = [begin, identifyClient(authenticate, false), limit, ...read, call, sendAnswer];
      return serveOperations(sandbox?.operations ?? [], sendProblems, ...whole);
    },
    [
      parts.sandbox,
      parts.sendProblems,
      parts.findDeadline,
      parts.runningWrites,
      parts.authentication,
      steps.beginOperation,
      steps.limitClient,
      steps.readBody,
      steps.checkInput,
    ],
  );
});

/** Loads scenarios only where the default adapter is a sandbox. */
async function openSandbox(
  { config }: LoadedConfig,
  operations: readonly Operation[],
  [started]: readonly RunningAdapter[],
): Promise<Sandbox | undefined> {
  // A gateway on another adapter does without the code of this one.
  if (started?.name !== 'memory') return undefined;
  const hospital = (await import('../../adapters/memory/sandbox.ts')).findSandbox(started.offer);
  return hospital && new (await import('../sandbox/sandbox.ts')).Sandbox(hospital, operations, config);
}
