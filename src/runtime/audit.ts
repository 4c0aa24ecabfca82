import { hostname } from 'node:os';
import type { Audit } from '../audit/audit.ts';
import { Retention } from '../audit/retention.ts';
import { AuditWriter } from '../audit/writer.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Log } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import type { Watched } from './health.ts';

/** An audit trail that works on its own until it is closed. */
export interface RunningAudit extends Audit {
  close(): Promise<void>;
}

/** The audit trail in the state; undefined where none is kept. */
export function openAudit({ config }: LoadedConfig, state: State, log: Log): RunningAudit | undefined {
  const { enabled = true, chain = `${hostname()}:${config.http.port}`, whenUnavailable, retentionDays } = config.audit;
  if (!enabled || !state.audit) return undefined;
  const writer = new AuditWriter({ records: state.audit, chain, log });
  const retention = new Retention({ records: state.audit, days: retentionDays, now: () => state.now(), log });
  retention.start();
  return {
    writer,
    whenUnavailable,
    close: async () => {
      retention.stop();
      await writer.flush();
    },
  };
}

/** What an operator has to know who has not said that there shall be no trail, one line; none where there is one. */
export const listAuditNotes = ({ audit, state }: LoadedConfig['config']): readonly string[] =>
  audit.enabled === undefined && state.kind === 'memory'
    ? ['no audit trail is kept, since state.kind is memory: choose sqlite or postgres, or set audit.enabled to false']
    : [];

/** The audit trail, by what came of its last attempt to write. */
export function watchAudit(audit: Audit | undefined): Watched {
  const detail =
    'The audit trail cannot be written: what may not happen without it is 503, and records of other requests wait in memory. Look after the database or the disk of the state; the log says why.';
  return { list: () => (audit?.writer.failure === undefined ? [] : [{ code: 'audit_unavailable', detail }]) };
}
