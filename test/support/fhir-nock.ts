import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import nock from 'nock';
import { connect, type FhirPorts } from './fhir-adapter.ts';

export const origin = 'http://fhir.invalid';
export const url = `${origin}/fhir`;
export const json = { 'content-type': 'application/fhir+json' };
export const emptyBundle = { resourceType: 'Bundle', type: 'searchset' };

export interface NockedServer {
  /** Ports of an adapter that has read nothing yet, before each test. */
  readonly ports: FhirPorts;
  /** What the server answers from now on, each once; a test has to use up all that it prepares. */
  readonly server: () => nock.Scope;
}

/** A FHIR server of which nothing exists but the answers that a test prepares. */
export async function setUpNock(changes: Record<string, unknown>): Promise<NockedServer> {
  const { ports } = await connect({ url }, changes);
  beforeAll(() => nock.disableNetConnect());
  beforeEach(async () => Object.assign(ports, (await connect({ url }, changes)).ports));
  afterEach(() => {
    const pending = nock.pendingMocks();
    nock.cleanAll();
    nock.abortPendingRequests();
    expect(pending).toEqual([]);
  });
  afterAll(() => nock.restore());
  return { ports, server: () => nock(origin) };
}
