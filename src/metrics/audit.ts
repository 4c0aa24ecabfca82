import { Gauge, type Registry } from 'prom-client';

/** What is not in the audit trail. */
export interface UnwrittenRecords {
  readonly waiting: number;
  readonly lost: number;
  /** Places in the trail that say that records are missing there. */
  readonly gaps: number;
}

/** Adds what the audit trail could not write. */
export function addAuditMetrics(registers: Registry[], unwritten: UnwrittenRecords | undefined): void {
  new Gauge({
    name: 'puente_audit_unwritten_records',
    help: 'Records of the audit trail that wait to be written, and those that were lost since the start.',
    labelNames: ['state'],
    registers,
    collect() {
      if (!unwritten) return;
      this.set({ state: 'waiting' }, unwritten.waiting);
      this.set({ state: 'lost' }, unwritten.lost);
    },
  });
  new Gauge({
    name: 'puente_audit_gaps',
    help: 'Gaps that were written into the audit trail since the start: records were lost, or the process before was killed.',
    registers,
    collect() {
      if (unwritten) this.set(unwritten.gaps);
    },
  });
}
