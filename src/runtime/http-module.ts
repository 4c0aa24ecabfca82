import type { Server } from 'node:http';
import { ContainerModule } from 'inversify';
import { createApp, listBeforeRoutes } from '../http/app.ts';
import { Drain } from '../http/drain.ts';
import { createReadiness, describeCapabilities, listGatewayEndpoints } from '../http/gateway-endpoints.ts';
import { requireToken } from '../http/operations/caller.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { createPages, noPages } from '../http/pages.ts';
import { createServer } from '../http/server.ts';
import { version } from '../toolkit/package.ts';
import { createControlServer } from './control-socket.ts';
import { importMiddleware } from './middleware.ts';
import { Reloader } from './reload.ts';
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
  bind(tokens.describeReadiness).toResolvedValue(createReadiness, [
    tokens.lifecycle,
    tokens.impairments,
    tokens.omittedRecords,
  ]);
  bind(tokens.capabilities).toResolvedValue(describeCapabilities, [
    tokens.operations,
    tokens.findAdapter,
    tokens.supports,
  ]);
  bind(tokens.requireOperator).toResolvedValue(
    ({ authenticate }, { config }) => (config.auth.openOps ? [] : requireToken(authenticate, 'ops:read')),
    [tokens.authentication, tokens.config],
  );
  bind(tokens.endpoints).toResolvedValue(
    (requireOperator, describeReadiness, capabilities, metrics, { config }) =>
      listGatewayEndpoints(
        requireOperator,
        describeReadiness,
        capabilities,
        config.ops.port === undefined ? metrics : undefined,
      ),
    [tokens.requireOperator, tokens.describeReadiness, tokens.capabilities, tokens.metrics, tokens.config],
  );
  bind(tokens.pages).toResolvedValue(
    ({ config }, adapters, operations, supports) => {
      const { http, institution, auth, idempotency } = config;
      if (http.docs !== 'on') return noPages;
      const names = adapters.map(({ name }) => name);
      return createPages(
        { basePath: http.basePath, version, institution, adapters: names, operations, supports },
        {
          anonymousGroupA: auth.groupA === 'none',
          openOps: auth.openOps,
          idempotencyRequired: new Set(idempotency.required),
        },
      );
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
      ({ config }, describeReadiness, refusals, log, metrics) =>
        config.ops.port === undefined ? undefined : createOpsServer(describeReadiness, refusals, log, metrics),
      [tokens.config, tokens.describeReadiness, tokens.refusals, tokens.log, tokens.metrics],
    )
    .onDeactivation(closeServer);
  bind(tokens.reloader).toResolvedValue(
    (loaded, read, authentication, clientLimits, health, log) =>
      new Reloader({ loaded, read, authentication, clientLimits, health, log }),
    [tokens.config, tokens.readConfig, tokens.authentication, tokens.clientLimits, tokens.health, tokens.log],
  );
  bind(tokens.controlServer)
    .toResolvedValue(
      ({ config }, reloader) =>
        config.ops.socket === undefined ? undefined : createControlServer(() => reloader.reload()),
      [tokens.config, tokens.reloader],
    )
    .onDeactivation(closeServer);
});

function closeServer(server: Server | undefined): void {
  server?.close();
  server?.closeAllConnections();
}
