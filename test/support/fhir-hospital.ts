import { beforeEach } from '@jest/globals';
import type { Institution } from '../../adapters/adapter.ts';
import type { FhirServer } from '../fhir-server/server.ts';
import { type StartedHospital, startHospital } from '../hospital-in-fhir/start.ts';
import { createFhirAdapter, type FhirPorts, makeSettings } from './fhir-adapter.ts';

/** An adapter in front of the server, with the settings of the hospital but for these changes; it has read nothing yet. */
export const connect = (server: Pick<FhirServer, 'url'>, changes: Record<string, unknown> = {}, where?: Institution) =>
  createFhirAdapter(makeSettings(server, changes), where);

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
