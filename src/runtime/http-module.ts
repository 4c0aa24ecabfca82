import type { Server } from 'node:http';
import { ContainerModule } from 'inversify';
import { createApp } from '../http/app.ts';
import { Drain } from '../http/drain.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { createPages } from '../http/pages.ts';
import { createServer } from '../http/server.ts';
import { createControlServer } from './control-socket.ts';
import { Reloader } from './reload.ts';
import { tokens } from './tokens.ts';

/** Binds the application of Express, the servers that carry it, and their end. */
export const httpModule = new ContainerModule(({ bind }) => {
  bind(tokens.pages).toResolvedValue(createPages, [tokens.gateway]);
  bind(tokens.app).toResolvedValue(createApp, [tokens.gateway, tokens.pages]);
  bind(tokens.server).toResolvedValue(createServer, [tokens.app, tokens.gateway]);
  bind(tokens.drain).toResolvedValue(
    (server, gateway, lifecycle) => {
      const drain = new Drain(server, gateway.runningWrites);
      lifecycle.draining = () => drain.started;
      return drain;
    },
    [tokens.server, tokens.gateway, tokens.lifecycle],
  );
  bind(tokens.opsServer)
    .toResolvedValue(
      ({ config }, gateway, metrics) => (config.ops.port === undefined ? undefined : createOpsServer(gateway, metrics)),
      [tokens.config, tokens.gateway, tokens.metrics],
    )
    .onDeactivation(closeServer);
  bind(tokens.reloader).toResolvedValue(
    (loaded, read, authentication, { clientLimits }, health, log) =>
      new Reloader({ loaded, read, authentication, clientLimits, health, log }),
    [tokens.config, tokens.readConfig, tokens.authentication, tokens.gateway, tokens.health, tokens.log],
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
