import type { AuditWriter } from './writer.ts';

/** The audit trail of this gateway, and what happens while it cannot be written. */
export interface Audit {
  readonly writer: AuditWriter;
  readonly whenUnavailable: 'refuseWrites' | 'refuseAll' | 'proceed';
}
