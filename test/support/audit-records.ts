import type { AuditRecord } from '../../src/audit/record.ts';

/** A record of a read of Ana, in the year 2026. */
export const createRecord = (requestId: string, differing: Partial<AuditRecord> = {}): AuditRecord => ({
  at: '2026-11-23T12:00:00.000Z',
  phase: 'ended',
  requestId,
  operation: 'getPatient',
  interaction: 'read',
  client: 'patient-app',
  address: '192.0.2.7',
  patient: 'ana',
  ids: { id: 'ana' },
  status: 200,
  ...differing,
});
