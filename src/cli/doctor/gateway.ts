import { existsSync } from 'node:fs';
import { z } from 'zod';
import { verifyChains } from '../../audit/verify.ts';
import { examineIssuer, lookAtIssuer } from '../../auth/examine.ts';
import type { LoadedConfig } from '../../config/read.ts';
import type { Config } from '../../config/schema.ts';
import { describeDatabaseCode } from '../../database/database.ts';
import type { Finding } from '../../ports/index.ts';
import { openIssuers } from '../../runtime/issuers.ts';
import { formatAddress } from '../../runtime/main.ts';
import { withState } from '../../runtime/open.ts';
import { type AuditRecords, StateUnavailable } from '../../state/state.ts';
import { findCauseCode } from '../../toolkit/failures.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';

/** Examines the gateway itself: its configuration, its state, and the keys of its callers. */
export async function* examineGateway(loaded: LoadedConfig, warnings: readonly string[]): AsyncGenerator<Finding> {
  yield { check: 'configuration', ok: true, detail: `${loaded.file} is valid` };
  for (const warning of warnings) {
    yield { check: 'configuration', ok: null, detail: warning, fix: 'change it unless it is intended' };
  }
  yield* loaded.listCertificates();
  yield* await examineState(loaded);
  for (const issuer of await openIssuers(loaded)) {
    await lookAtIssuer(issuer);
    yield* examineIssuer(issuer);
  }
  yield* examineRunning(loaded.config);
}

async function examineState(loaded: LoadedConfig): Promise<Finding[]> {
  const check = 'state';
  const { kind, file = '' } = loaded.config.state;
  if (kind === 'memory') {
    return [{ check, ok: true, detail: 'kept in memory: Idempotency-Keys are lost when the gateway stops' }];
  }
  if (kind === 'sqlite' && !existsSync(file)) {
    return [{ check, ok: null, detail: 'the SQLite file does not exist yet: the gateway creates it at its start' }];
  }
  const name = kind === 'sqlite' ? 'SQLite file' : 'PostgreSQL';
  try {
    return await withState(loaded, async ({ idempotency, audit }) => {
      await idempotency.prune(0);
      const answers = { check, ok: true, detail: `the ${name} answers, and its key is right` };
      return [answers, ...(audit ? await examineTrail(audit) : [])];
    });
  } catch (error) {
    if (error instanceof ConfigProblems) {
      const fix = 'correct these settings, or start the database';
      return [{ check, ok: false, detail: error.problems.join('; '), fix }];
    }
    if (!(error instanceof StateUnavailable)) throw error;
    const detail = `the ${kind} does not answer (${describeDatabaseCode(error.code)})`;
    return [{ check, ok: false, detail, fix: 'check the database and the disk' }];
  }
}

/** The maximum records of an audit trail that doctor reads. A longer trail needs `puente audit verify`. */
const MAX_RECORDS = 100_000;

async function examineTrail(records: AuditRecords): Promise<Finding[]> {
  const check = 'audit trail';
  const stored = await records.listChains();
  const length = stored.reduce((sum, { head, pruned }) => sum + (head?.seq ?? 0) - (pruned?.seq ?? 0), 0);
  if (length > MAX_RECORDS)
    return [
      { check, ok: null, detail: `not verified, because it has ${length} records`, fix: 'run puente audit verify' },
    ];
  return (await verifyChains(records)).map(({ chain, count, faults: [first, ...more] }) => {
    if (!first) return { check, ok: true, detail: `${chain}: ${count} records, none missing or changed` };
    const rest = more.length === 0 ? '' : `, and ${more.length} more faults`;
    const place = first.seq === 0 ? 'the chain' : `record ${first.seq}`;
    return { check, ok: false, detail: `${chain}: ${place}: ${first.what}${rest}`, fix: 'run puente audit verify' };
  });
}

const TIMEOUT_MS = 2_000;

/** Anybody can send an invalid token, so a refusal may not be a fault. */
const explanation =
  'see "When a token is refused" in docs/how-to/identity.md, or check one token with puente token inspect';

const readiness = z.object({
  impairments: z.array(z.object({ code: z.string(), detail: z.string() })).default([]),
  refused: z.array(z.object({ reason: z.string(), scope: z.string().optional(), count: z.number() })).default([]),
});

/** Asks a running gateway of this configuration about its state and the tokens that it refused. */
async function* examineRunning({ ops, auth }: Config): AsyncGenerator<Finding> {
  const check = 'running gateway';
  if (ops.port === undefined) {
    const fix = 'set ops.port: a gateway counts its reasons for refusing tokens there';
    if (auth.jwt || auth.issuers.length > 0)
      yield { check, ok: null, detail: 'the numbers of refused tokens are not available', fix };
    return;
  }
  const address = formatAddress(ops.host, ops.port);
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { impairments, refused } = readiness.parse(await response.json());
    if (impairments.length + refused.length === 0) yield { check, ok: true, detail: `${address} reports no problem` };
    for (const { code, detail } of impairments) yield { check, ok: false, detail: `${code}: ${detail}` };
    for (const { reason, scope, count } of refused) {
      const detail = `${reason} (${count})${scope === undefined ? '' : `: ${scope}`}`;
      yield { check: 'refused tokens', ok: null, detail, fix: explanation };
    }
  } catch (error) {
    const detail = `no gateway answers at ${address} (${findCauseCode(error) ?? 'no readiness'})`;
    yield { check, ok: null, detail, fix: 'start it, and run doctor again after a refusal' };
  }
}
