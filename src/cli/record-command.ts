import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { AuditRecord } from '../audit/record.ts';
import { AuditWriter } from '../audit/writer.ts';
import type { AuditRecords } from '../state/audit.ts';

/** What a command has done, and whose records it has shown or changed. */
export type Recorded = Pick<
  AuditRecord,
  'phase' | 'operation' | 'interaction' | 'client' | 'ids' | 'query' | 'status'
> & { readonly patients?: readonly string[] };

/** A process is one command, which may leave several records. */
const requestId = randomUUID();

/**
 * Records what a command did, as done by the user of this machine: one record for each patient.
 * @throws StateUnavailable when it cannot be written.
 */
export async function recordCommand(records: AuditRecords, { patients = [], ...recorded }: Recorded): Promise<void> {
  const writer = new AuditWriter({ records, chain: `${hostname()}:cli`, log: { write: () => undefined } });
  const record: AuditRecord = {
    at: new Date().toISOString(),
    requestId,
    subject: { issuer: hostname(), id: findUser(process.env.SUDO_USER) },
    address: '127.0.0.1',
    ...recorded,
  };
  const each = [...new Set(patients)].map((patient) => ({ ...record, patient }));
  await writer.write(each.length === 0 ? [record] : each);
}

/**
 * The login of this process, and in front of it who has become that by sudo, e.g. `ana as root`.
 * @param sudoUser as the environment says, which whoever is not root may set to anything.
 */
function findUser(sudoUser = ''): string {
  const login = findLogin();
  return /^[\w.@\\-]{1,64}$/.test(sudoUser) ? `${sudoUser} as ${login}` : login;
}

/** A container may have no name for its user. */
function findLogin(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
