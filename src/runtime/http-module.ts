import type { Server } from 'node:http';
import { ContainerModule } from 'inversify';
import { createApp, listBeforeRoutes } from '../http/app.ts';
import { Drain } from '../http/drain.ts';
import { createReadiness, listCapabilities, listGatewayEndpoints } from '../http/gateway-endpoints.ts';
import { requireToken } from '../http/operations/caller.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { createPages, noPages } from '../http/pages.ts';
import { createServer } from '../http/server.ts';
import { version } from '../toolkit/package.ts';
import { createControlServer } from './control-socket.ts';
import { importMiddleware } from './middleware.ts';
import { createReload } from './reload.ts';
import { tokens } from './tokens.ts';

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
