import { existsSync } from 'node:fs';
import type { LoadedConfig } from '../../config/read.ts';
import { examineIssuer, lookAtIssuer } from '../../http/auth/examine-issuer.ts';
import type { Finding } from '../../ports/index.ts';
import { openIssuers } from '../../runtime/issuers.ts';
import { openState } from '../../runtime/state.ts';
import { StateUnavailable } from '../../state/state.ts';
import { describeDatabaseCode } from '../../toolkit/database/causes.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { examineRunning } from './examine-running.ts';

/** What is the gateway's own: its configuration, its state, and the keys of its callers. */
export async function* examineGateway(loaded: LoadedConfig, warnings: readonly string[]): AsyncGenerator<Finding> {
  yield { check: 'configuration', ok: true, detail: `${loaded.file} is valid` };
  for (const warning of warnings) {
    yield { check: 'configuration', ok: null, detail: warning, fix: 'change it unless it is meant so' };
  }
  yield* loaded.certificates;
  yield await examineState(loaded);
  for (const issuer of await openIssuers(loaded)) {
    await lookAtIssuer(issuer);
    for (const { check, ok, detail, fix } of examineIssuer(issuer)) {
      yield { check, ok, detail, ...(fix !== undefined && { fix }) };
    }
  }
  yield* examineRunning(loaded.config);
}

async function examineState(loaded: LoadedConfig): Promise<Finding> {
  const check = 'state';
  const { kind, file = '' } = loaded.config.state;
  if (kind === 'memory') {
    return { check, ok: true, detail: 'kept in memory: Idempotency-Keys are forgotten when the gateway stops' };
  }
  // To open it would make the file, of whoever runs this.
  if (kind === 'sqlite' && !existsSync(file)) {
    return { check, ok: null, detail: 'the SQLite file is not there yet: the gateway makes it when it starts' };
  }
  try {
    const state = await openState(loaded);
    try {
      await state.idempotency.prune(0);
    } finally {
      await state.close();
    }
    return {
      check,
      ok: true,
      detail: `the ${kind === 'sqlite' ? 'SQLite file' : 'PostgreSQL'} answers, and its key fits`,
    };
  } catch (error) {
    if (error instanceof ConfigProblems) {
      return {
        check,
        ok: false,
        detail: error.problems.join('; '),
        fix: 'correct these settings, or start the database',
      };
    }
    if (!(error instanceof StateUnavailable)) throw error;
    return {
      check,
      ok: false,
      detail: `the ${kind} does not answer (${describeDatabaseCode(error.code)})`,
      fix: 'look after the database or the disk',
    };
  }
}
