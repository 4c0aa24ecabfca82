import { z } from 'zod';
import type { createHttpClient } from '../toolkit/http-client/axios.ts';
import { badAnswer } from '../toolkit/http-client/failures.ts';
import { parseJsonObject } from '../toolkit/http-client/json.ts';
import type { Credentials } from '../toolkit/http-client/oauth.ts';
import { toAuditEvent } from './audit-event.ts';
import type { PlacedRecord } from './chain.ts';
import type { Destination } from './forwarder.ts';

/** How many records are sent with one request. */
const MAX_ENTRIES = 100;

/**
 * A FHIR server that keeps AuditEvents. Each is put under an id of its own, so that one that is sent twice is there once.
 * @param http with the server's base, for which no status is an error, and bodies are bytes.
 */
export function createFhirDestination(
  http: ReturnType<typeof createHttpClient>,
  credentials: Credentials,
): Destination {
  return {
    name: 'fhir',
    send: async (records, signal) => {
      for (let i = 0; i < records.length; i += MAX_ENTRIES) {
        const body = JSON.stringify(toBundle(records.slice(i, i + MAX_ENTRIES)));
        let header = await credentials.header(signal);
        let response = await post(body, header, signal);
        if (response.status === 401) {
          header = await credentials.renew(header, signal);
          response = await post(body, header, signal);
        }
        requireTaken(response);
      }
    },
  };

  function post(body: string, header: string | undefined, signal: AbortSignal) {
    const headers = {
      Accept: 'application/fhir+json',
      'Content-Type': 'application/fhir+json',
      ...(header !== undefined && { Authorization: header }),
    };
    return http.post<Uint8Array>('', body, { headers, signal });
  }
}

const toBundle = (records: readonly PlacedRecord[]) => ({
  resourceType: 'Bundle',
  type: 'batch',
  entry: records.map(toAuditEvent).map((resource) => ({
    resource,
    request: { method: 'PUT', url: `AuditEvent/${resource.id}` },
  })),
});

const answerSchema = z.object({ entry: z.array(z.object({ response: z.object({ status: z.string() }) })) });

/** @throws Failure unless the server has taken every entry. */
function requireTaken({ status, data }: { readonly status: number; readonly data: Uint8Array }): void {
  if (status !== 200) throw badAnswer(`HTTP_${status}`);
  const { data: answer } = answerSchema.safeParse(parseJson(data));
  const refused = answer
    ? answer.entry.find(({ response }) => !response.status.startsWith('2'))
    : { response: { status: 'none' } };
  if (refused) throw badAnswer(`HTTP_${refused.response.status.slice(0, 3)}`);
}

function parseJson(data: Uint8Array): unknown {
  try {
    return parseJsonObject(data, 'application/json');
  } catch {
    return undefined;
  }
}
