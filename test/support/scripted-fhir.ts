import { afterAll, afterEach, beforeEach, expect } from '@jest/globals';
import { connect, type FhirPorts } from './fhir-adapter.ts';
import { ScriptedServer } from './scripted-server.ts';

export const json = { 'content-type': 'application/fhir+json' };
export const emptyBundle = { resourceType: 'Bundle', type: 'searchset' };
export const ana = {
  resourceType: 'Patient',
  id: 'ana',
  meta: { versionId: '1' },
  birthDate: '1985-11-30',
  gender: 'female',
  name: [{ family: 'Muñoz', given: ['Ana'] }],
};

export interface ScriptedFhir {
  /** Ports of an adapter that has read nothing yet, before each test. */
  readonly ports: FhirPorts;
  /** What it answers from now on, each once; a test has to use up all that it prepares. */
  readonly server: ScriptedServer;
  /** Its base. */
  readonly url: string;
}

/** A FHIR server of which nothing exists but the answers that a test prepares. */
export async function setUpScript(changes: Record<string, unknown>): Promise<ScriptedFhir> {
  const server = await ScriptedServer.start();
  const url = `${server.url}/fhir`;
  const { ports } = await connect({ url }, changes);
  beforeEach(async () => Object.assign(ports, (await connect({ url }, changes)).ports));
  afterEach(() => {
    const pending = server.listPending();
    server.forget();
    expect(pending).toEqual([]);
  });
  afterAll(() => server.stop());
  return { ports, server, url };
}
