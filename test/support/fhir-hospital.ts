import { beforeEach } from '@jest/globals';
import { type StartedHospital, startHospital } from '../hospital-in-fhir/start.ts';
import { connect, type FhirPorts } from './fhir-adapter.ts';

/** Starts the hospital. Before each test it is as at its start, and the ports are of an adapter that has read nothing yet. */
export async function setUpHospital(
  changes: Record<string, unknown> = {},
): Promise<StartedHospital & { readonly ports: FhirPorts }> {
  const { server, id } = await startHospital();
  const { ports } = await connect(server, changes);
  beforeEach(async () => {
    server.reset();
    Object.assign(ports, (await connect(server, changes)).ports);
  });
  return { server, id, ports };
}
