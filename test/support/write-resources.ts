import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';

/** Creates the resources on any FHIR server in one transaction, and returns their ids. */
export async function writeResources(baseUrl: string, resources: readonly Resource[]): Promise<string[]> {
  const entry = resources.map((resource) => ({
    fullUrl: `urn:uuid:${randomUUID()}`,
    resource,
    request: { method: 'POST', url: resource.resourceType },
  }));
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
  const reply = await fetch(baseUrl, { method: 'POST', headers: { 'content-type': 'application/fhir+json' }, body });
  expect(reply.status).toBe(200);
  const { entry: written } = (await reply.json()) as { entry: { response: { location: string } }[] };
  return written.map(({ response }) => /([^/]+)\/_history/.exec(response.location)?.[1] ?? '');
}
