import { z } from 'zod';
import type { Config } from '../../config/schema.ts';
import type { Finding } from '../../ports/index.ts';
import { formatAddress } from '../../runtime/banner.ts';
import { findCauseCode } from '../../toolkit/causes.ts';

const TIMEOUT_MS = 2_000;

/** Anybody can send a token that is wrong, so that none of it is a fault for certain. */
const explanation =
  'docs/identity.md, "When a token is refused", has what each reason means and what to do; puente token inspect checks one token';

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
      const detail = `${reason} (${count})${scope === undefined ? '' : `: ${scope}`}`;
      yield { check: 'refused tokens', ok: null, detail, fix: explanation };
    }
  } catch (error) {
    const detail = `no gateway answers at ${address} (${findCauseCode(error) ?? 'no readiness'})`;
    yield { check, ok: null, detail, fix: 'start it, and look again when callers were refused' };
  }
}
