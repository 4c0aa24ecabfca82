import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { fhir } from '../../adapters/fhir/index.ts';
import { connect } from '../../adapters/fhir/rest/client.ts';
import { parseLocation } from '../../adapters/fhir/rest/decode.ts';
import type { LiveServer } from './live-gateway.ts';

const logins = new Map<string, ReturnType<typeof connect>>();

/** The headers by which a server lets us in; none where it asks for nothing. */
export async function logIn({ baseUrl, auth }: LiveServer): Promise<Record<string, string>> {
  const login = logins.get(baseUrl) ?? connect(fhir.settings.parse({ baseUrl, ...(auth && { auth }) }));
  logins.set(baseUrl, login);
  const authorization = await (await login).credentials.header(AbortSignal.timeout(30_000));
  return authorization === undefined ? {} : { authorization };
}

/** Creates the resources on any FHIR server in one transaction, and returns their ids. */
export async function writeResources(server: LiveServer, resources: readonly Resource[]): Promise<string[]> {
  const entry = resources.map((resource) => ({
    fullUrl: `urn:uuid:${randomUUID()}`,
    resource,
    request: { method: 'POST', url: resource.resourceType },
  }));
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
  const headers = { 'content-type': 'application/fhir+json', ...(await logIn(server)) };
  const reply = await fetch(server.baseUrl, { method: 'POST', headers, body });
  expect(reply.status).toBe(200);
  const { entry: written } = (await reply.json()) as { entry: { response: { location: string } }[] };
  return written.map(({ response }) => parseLocation(response.location).id ?? '');
}
