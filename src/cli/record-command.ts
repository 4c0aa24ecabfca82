import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { AuditRecord } from '../audit/record.ts';
import { AuditWriter } from '../audit/writer.ts';
import type { AuditRecords } from '../state/audit.ts';

type Recorded = Pick<
  AuditRecord,
  'phase' | 'operation' | 'interaction' | 'client' | 'patient' | 'ids' | 'query' | 'status'
>;

/**
 * Records what a command did, as done by the user of this machine.
 * @throws StateUnavailable when it cannot be written.
 */
export async function recordCommand(records: AuditRecords, recorded: Recorded): Promise<void> {
  const writer = new AuditWriter({ records, chain: `${hostname()}:cli`, log: { write: () => undefined } });
  await writer.write([
    {
      at: new Date().toISOString(),
      requestId: randomUUID(),
      // A container may have no name for its user.
      subject: { issuer: hostname(), id: String(process.getuid?.() ?? userInfo().username) },
      address: '127.0.0.1',
      ...recorded,
    },
  ]);
}
