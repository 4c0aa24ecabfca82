import { randomUUID } from 'node:crypto';
import { type Answer, type Operation, perform, portOf, problemBody, Rejection } from '../api/index.ts';
import type { Call, Capability, PortName, PortOf } from '../ports/index.ts';
import type { Fixtures } from './fixtures.ts';
import type { Request, Response, Subject } from './subject.ts';

/** The ports that an adapter binds, by name. */
export type Ports = { readonly [N in PortName]: PortOf<N> };

export interface PortsOptions {
  readonly ports: Partial<Ports>;
  readonly operations: readonly Operation[];
  readonly supports: readonly Capability[];
  readonly fixtures: Fixtures;
  /** Default: the real clock. */
  readonly now?: () => Date;
}

/** The call context of a request that arrives at that moment and may take as long as it likes. */
export const callAt = (now: Date, signal: AbortSignal = new AbortController().signal): Call => ({
  requestId: randomUUID(),
  client: 'contract',
  now: now.toISOString(),
  signal,
});

/** A subject in this process: the operations on the ports of an adapter, without HTTP. */
export function portsSubject(options: PortsOptions): Subject {
  const { ports, supports, fixtures, now = () => new Date() } = options;
  const offered = new Set(supports);
  const byRoute = new Map(options.operations.map((operation) => [operation.route, operation]));
  const answer = (operation: Operation, request: Request, call: Call): Promise<Answer> => {
    if (!offered.has(operation.uses)) throw new Rejection('not_implemented');
    const { params = {}, query = {}, body } = request;
    return perform(operation, ports[portOf(operation)], { params, query, body: overTheWire(body) }, call);
  };
  const send = async (request: Request): Promise<Response> => {
    const operation = byRoute.get(request.route);
    const call = callAt(now());
    try {
      if (!operation) throw new Rejection('route_unknown');
      const { status, body, location } = await answer(operation, request, call);
      return { status, headers: location === undefined ? {} : { location }, body: overTheWire(body) };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      const problem = problemBody(error, call.requestId, '');
      return { status: problem.status, headers: {}, body: overTheWire(problem) };
    }
  };
  return { send, supports: (capability) => offered.has(capability), now, fixtures };
}

/** As JSON would carry it: nothing is shared between the caller and the ports. */
const overTheWire = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
