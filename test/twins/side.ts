import { getPortName, operations, perform, Rejection, toProblemBody } from '../../src/api/index.ts';
import type { Request, Response } from '../../src/contract/index.ts';
import type { Offer, PortName } from '../../src/ports/index.ts';
import { Omissions } from '../../src/toolkit/omissions.ts';

/** A request, and the `Idempotency-Key` that it carries. */
export interface KeyedRequest extends Request {
  readonly key?: string | undefined;
}

/** Sends a request to one of the two hospitals, at a moment of a clock that stands still. */
export type Side = (request: KeyedRequest, now: Date) => Promise<Response>;

const byRoute = new Map<string, (typeof operations)[number]>(
  operations.map((operation) => [operation.route, operation]),
);

/** The operations of the API on these ports, without HTTP. */
export function createSide(ports: Pick<Offer, PortName>): Side {
  return async ({ route, params = {}, query = {}, body, key }, now) => {
    const operation = byRoute.get(route);
    if (!operation) throw new Error(`there is no operation ${route}`);
    const omissions = new Omissions();
    const call = {
      requestId: 'twins',
      client: 'twins',
      now: now.toISOString(),
      signal: new AbortController().signal,
      omit: omissions.add,
      ...(key !== undefined && { idempotencyKey: key }),
    };
    try {
      const answer = await perform(operation, ports[getPortName(operation)], { params, query, body: copy(body) }, call);
      const { status, location = '' } = answer;
      return { status, headers: { location, omitted: String(omissions.list.length) }, body: copy(answer.body) };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      const problem = toProblemBody(error, call.requestId, '');
      return { status: problem.status, headers: {}, body: copy(problem) };
    }
  };
}

/** As JSON would carry it. */
const copy = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
