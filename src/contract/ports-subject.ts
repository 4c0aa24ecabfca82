import { randomUUID } from 'node:crypto';
import {
  type Answer,
  getPortName,
  isOffered,
  type Operation,
  perform,
  Rejection,
  toProblemBody,
} from '../api/index.ts';
import type { Call, Capability, Offer, PortName, PortOf } from '../ports/index.ts';
import type { Fixtures } from './fixtures.ts';
import type { Request, Response, Subject } from './subject.ts';

export interface PortsOptions {
  readonly ports: Offer;
  readonly operations: readonly Operation[];
  readonly supports: readonly Capability[];
  readonly fixtures: Fixtures;
  /** Default: the real clock. */
  readonly now?: () => Date;
}

/** A subject in this process, which lets its ports be called too. */
export interface PortsSubject extends Subject {
  /** Has the methods that the adapter offers: a case names all that it calls. @throws Error when that is none. */
  port<N extends PortName>(name: N): PortOf<N>;
  /** The context of a call that begins now and may take as long as it likes, unless something else is said. */
  call(other?: Partial<Call>): Call;
}

/** The operations on the ports of an adapter, without HTTP. */
export function createPortsSubject(options: PortsOptions): PortsSubject {
  const { ports, fixtures, now = () => new Date() } = options;
  const offered = new Set(options.supports);
  const byRoute = new Map<string, Operation>(options.operations.map((operation) => [operation.route, operation]));
  const call = (other: Partial<Call> = {}): Call => ({
    requestId: randomUUID(),
    client: 'contract',
    now: now().toISOString(),
    signal: new AbortController().signal,
    omit: () => undefined,
    ...other,
  });
  const answer = ({ route, params = {}, query = {}, body }: Request, context: Call): Promise<Answer> => {
    const operation = byRoute.get(route);
    if (!operation) throw new Rejection('route_unknown');
    if (!isOffered(operation, offered)) throw new Rejection('not_implemented');
    return perform(operation, ports[getPortName(operation)], { params, query, body: toWire(body) }, context);
  };
  return {
    send: async (request): Promise<Response> => {
      const context = call();
      try {
        const { status, body, location } = await answer(request, context);
        return { status, headers: location === undefined ? {} : { location }, body: toWire(body) };
      } catch (error) {
        if (!(error instanceof Rejection)) throw error;
        const problem = toProblemBody(error, context.requestId, '');
        return { status: problem.status, headers: {}, body: toWire(problem) };
      }
    },
    port: <N extends PortName>(name: N) => {
      const port = ports[name];
      if (!port) throw new Error(`the adapter offers nothing of the port ${name}`);
      return port as PortOf<N>;
    },
    call,
    supports: (capability) => offered.has(capability),
    now,
    fixtures,
  };
}

/** As JSON would carry it: nothing is shared between the caller and the ports. */
const toWire = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
