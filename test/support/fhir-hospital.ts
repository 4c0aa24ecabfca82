import { beforeEach } from '@jest/globals';
import { type StartedHospital, startHospital } from '../hospital-in-fhir/start.ts';
import { connect, type FhirPorts } from './fhir-adapter.ts';

/**
 * Starts the hospital. Before each test it is as at its start, and the ports are of an adapter that has read nothing yet. The
 * adapter trusts the transactions of the server unless the changes say otherwise: to probe them takes sixty requests.
 * @param isReady whether the adapter has looked at the server, as it does when a gateway starts.
 */
export async function setUpHospital(
  changes: Record<string, unknown> = {},
  { isReady = false } = {},
): Promise<StartedHospital & { readonly ports: FhirPorts }> {
  const { server, id } = await startHospital();
  const settings = { transactions: 'trust', ...changes };
  const { ports } = await connect(server, settings);
  beforeEach(async () => {
    server.reset();
    const { ports: fresh, readiness } = await connect(server, settings);
    if (isReady) await readiness.report(new AbortController().signal);
    server.requests.reset();
    Object.assign(ports, fresh);
  });
  return { server, id, ports };
}
