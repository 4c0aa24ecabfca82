import { z } from 'zod';
import type { Config } from '../../config/schema.ts';
import type { RefusalReason } from '../../http/auth/refusal.ts';
import { findCauseCode } from '../../http/errors.ts';
import type { Finding } from '../../ports/index.ts';
import { formatAddress } from '../../runtime/banner.ts';

const TIMEOUT_MS = 2_000;

/** What `/readyz` at `ops.port` says. */
const readiness = z.object({
  impairments: z.array(z.object({ code: z.string(), detail: z.string() })).default([]),
  refused: z.array(z.object({ reason: z.string(), scope: z.string().optional(), count: z.number() })).default([]),
});

/** What a gateway of this configuration, if one runs here, knows of its state and of the tokens that it refused. */
export async function* examineRunning({ ops, auth }: Config): AsyncGenerator<Finding> {
  const check = 'running gateway';
  if (ops.port === undefined) {
    const fix = 'set ops.port: a gateway counts there why it refuses tokens';
    if (auth.jwt || auth.issuers.length > 0) yield { check, ok: null, detail: 'no refused tokens can be seen', fix };
    return;
  }
  const address = formatAddress(ops.host, ops.port);
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { impairments, refused } = readiness.parse(await response.json());
    if (impairments.length + refused.length === 0) yield { check, ok: true, detail: `${address} has nothing to tell` };
    for (const { code, detail } of impairments) yield { check, ok: false, detail: `${code}: ${detail}` };
    for (const { reason, scope, count } of refused) {
      const [what, fix] = explanations[reason] ?? unexplained;
      yield { check: 'refused tokens', ok: null, detail: `${reason} (${count}): ${scope ?? ''}${what}`, fix };
    }
  } catch (error) {
    const detail = `no gateway answers at ${address} (${findCauseCode(error) ?? 'no readiness'})`;
    yield { check, ok: null, detail, fix: 'start it, and look again when callers were refused' };
  }
}

/** What was wrong with them, and what to do. Anybody can send a token that is wrong, so that none of it is a fault for certain. */
const explanations: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  wrong_issuer: [
    'they are of another realm or tenant',
    'set issuer to exactly what stands in them as iss, with or without a slash at its end, if that is your provider',
  ],
  wrong_audience: ['they are for somebody else', 'let the provider put audience into its tokens, or correct audience'],
  unknown_key: [
    'the issuer does not publish their key, which was deleted, or is of another realm',
    'let the clients get new tokens; if these are refused too, correct jwksUri or jwksFile',
  ],
  bad_signature: [
    'a key of the same name did not sign them, as that of another realm',
    'correct jwksUri or jwksFile if these tokens are of your provider',
  ],
  issued_ahead: [
    'they were issued later than now',
    'let the provider and this machine take their time from a time server (NTP)',
  ],
  scope_missing: [
    ' is not in them',
    'grant it to the client; a provider that did so does not put it into its tokens (Keycloak: Include in token scope), or in another claim than scopeClaim',
  ],
} satisfies Partial<Record<RefusalReason, readonly [string, string]>>;

const unexplained = [
  'see docs/identity.md',
  'ask puente token inspect about one of these tokens, which shows what it says and every check',
] as const;
