import { ContainerModule } from 'inversify';
import { CallerAddresses } from '../http/caller-address.ts';
import { ClientLimits } from '../http/limits/client-limits.ts';
import { createAuthentication, openIssuers } from './authentication.ts';
import { openRateLimiters } from './rate-limiters.ts';
import { tokens } from './tokens.ts';
import { createTrialToken } from './trial-token.ts';

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
