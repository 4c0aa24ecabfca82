import { buffer } from 'node:stream/consumers';
import { isObject } from '../../src/http-client/answer-size.ts';
import { serve } from './listen.ts';

// Some servers compare what is created with the condition, and refuse it where it lacks what that asks for.
const unsent = ['host', 'connection', 'content-length', 'accept-encoding', 'if-none-exist'];

/**
 * The address of a proxy before a FHIR server that keeps no identifier of what is created, and
 * so finds nothing by a condition.
 * @param takesDeletes whether it passes a DELETE on, or answers 405.
 */
export const startDroppingProxy = (base: string, takesDeletes: boolean): Promise<string> =>
  serve(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    if (method === 'DELETE' && !takesDeletes) return response.writeHead(405).end();
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (!unsent.includes(name)) headers.set(name, String(value));
    }
    const sent = await buffer(request);
    const isCreate = method === 'POST' && !url.includes('_search');
    const body = sent.length === 0 ? null : isCreate ? dropIdentifier(sent) : new Uint8Array(sent);
    const answer = await fetch(base + url, { method, headers, body });
    const kept = ['content-type', 'location', 'etag'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
  });

function dropIdentifier(sent: Buffer): string {
  const resource: unknown = JSON.parse(sent.toString());
  return JSON.stringify(isObject(resource) ? { ...resource, identifier: undefined } : resource);
}
