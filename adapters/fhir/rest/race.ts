import { randomUUID } from 'node:crypto';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import type { Codes } from '../schema/terminology.ts';
import type { FhirClient } from './client.ts';
import { formatToken } from './query.ts';
import type { ServerCall } from './transport.ts';

/** How many are sent at the same moment: on a server that does not keep them apart, two of so many are made. */
const RACERS = 10;

/** Finds out, once, whether of several conditional creates at the same moment one alone creates; FHIR does not demand it. */
export async function tryRace(client: FhirClient, codes: Codes, call: ServerCall): Promise<void> {
  const { ladder } = client;
  if (ladder.isTried('Basic', 'atomic If-None-Exist')) return;
  const system = codes.sid('probe');
  const value = randomUUID();
  const code = { text: 'probe of a gateway, may be deleted' };
  const draft = { resourceType: 'Basic' as const, code, identifier: [{ system, value }] };
  const query = { identifier: formatToken(system, value) };
  const create = () => client.create(draft, call, query).catch(ignoreFailure);
  await Promise.all(Array.from({ length: RACERS }, create));
  const { matches } = await client.search('Basic', query, call);
  if (matches.length === 1) ladder.confirm('Basic', 'atomic If-None-Exist');
  if (matches.length > 1) ladder.notice('Basic', 'atomic If-None-Exist');
  for (const { id } of matches) await client.remove('Basic', id, call).catch(ignoreFailure);
}
