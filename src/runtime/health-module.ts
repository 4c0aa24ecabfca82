import { ContainerModule } from 'inversify';
import { watchAudit } from './audit.ts';
import { watchIssuers } from './authentication.ts';
import { Health, watchAdapters, watchOutputs, watchState } from './health.ts';
import { WinstonLog } from './logger.ts';
import { tokens } from './tokens.ts';

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
        return new (await import('../metrics/metrics.ts')).Metrics({ guard, health, audit: audit?.writer });
      },
      [tokens.config, tokens.guard, tokens.health, tokens.audit],
    )
    .onDeactivation((metrics) => metrics?.close());
  bind(tokens.tracing)
    .toResolvedValue(
      async ({ config }, log) => {
        const { url, sampleRatio } = config.tracing;
        if (url === undefined) return undefined;
        return new (await import('../tracing/tracing.ts')).Tracing({ url, sampleRatio }, log);
      },
      [tokens.config, tokens.log],
    )
    .onDeactivation((tracing) => tracing?.close());
});
