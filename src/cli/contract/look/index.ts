import type { Subject } from '../../../contract/index.ts';
import type { Capability } from '../../../ports/index.ts';
import type { Draft } from '../map/write.ts';
import { ApiReader } from './api-reader.ts';
import { FoundFixtures } from './found-fixtures.ts';
import { lookForInsurance } from './insurance.ts';
import { lookForPatients } from './patients.ts';
import { probe } from './probe.ts';
import { lookForServices } from './services.ts';
import { lookForTickets } from './tickets.ts';

/**
 * Finds fixtures by reading, as far as that allows.
 * @param patientIds patients whom a person named, since the API lists none.
 * @param supports undefined when the institution does not say what it offers.
 */
export async function look(
  subject: Pick<Subject, 'send' | 'now'>,
  patientIds: readonly string[],
  supports: ReadonlySet<Capability> | undefined,
): Promise<{
  readonly offers: Draft['offers'];
  readonly findings: FoundFixtures;
  readonly failed: ReadonlySet<string>;
}> {
  const reader = new ApiReader(subject);
  const findings = new FoundFixtures();
  const offers = supports ? undefined : await probe(reader, patientIds[0]);
  const { complete } = await lookForPatients(reader, patientIds, subject.now(), findings);
  await lookForInsurance(reader, complete, findings);
  await lookForServices(reader, complete, findings);
  await lookForTickets(reader, findings);
  return { offers, findings, failed: reader.failed };
}
