import { randomUUID } from 'node:crypto';
import {
  type Answer,
  operations as allOperations,
  getPortName,
  isOffered,
  type Operation,
  perform,
  Rejection,
  toProblemBody,
} from '../api/index.ts';
import { type Call, type Capability, listOffered, type Offer, type PortName, type PortOf } from '../ports/index.ts';
import type { Fixtures } from './fixtures.ts';
import type { Line } from './line.ts';
import type { Fail } from './outage.ts';
import type { PartialFixtures } from './promised-fixtures.ts';
import type { Request, Response, Subject } from './subject.ts';
import { Thrown } from './thrown.ts';
import { watchFailures } from './watch-failures.ts';

export interface PortsOptions {
  readonly ports: Offer;
  /** Default: every operation. */
  readonly operations?: readonly Operation[];
  /** Default: what the ports offer. */
  readonly supports?: readonly Capability[];
  /** Default: what the ports name. */
  readonly retryableWrites?: readonly Capability[];
  readonly fixtures: PartialFixtures;
  /** Default: the real clock. */
  readonly now?: () => Date;
  /** Default: that of the line; without one the system never fails, and cases of an outage are skipped. */
  readonly fail?: Fail | undefined;
  /** What stands between the adapter and its system. Default: nothing, and cases of what passes there are skipped. */
  readonly line?: Pick<Line, 'fail' | 'maxRequests' | 'takeRequests'> | undefined;
}

/** A subject in this process, whose ports can be called too. */
export interface PortsSubject extends Subject {
  /**
   * The port with the methods that the adapter offers; a case names all that it calls.
   * @throws Error when the adapter offers none.
   */
  getPort<N extends PortName>(name: N): PortOf<N>;
  /** Whether the adapter names it in `Offer.retryableWrites`. */
  isRetryable(capability: Capability): boolean;
  /** The context of a call that begins now and has no deadline, with what is given in `other` instead. */
  createCall(other?: Partial<Call>): Call;
  readonly fail: Fail;
  readonly line: PortsOptions['line'];
  /** What went wrong in the adapter so far. */
  readonly thrown: Thrown;
}

/** Whether the ports of a subject can be called. */
export const isPortsSubject = (subject: Subject): subject is PortsSubject =>
  'getPort' in subject && 'createCall' in subject;

/**
 * A subject that performs the operations on the ports of an adapter, without HTTP. A Failure that says a value which a port
 * was given fails the case.
 */
export function createPortsSubject(options: PortsOptions): PortsSubject {
  const { fixtures, operations = allOperations, now = () => new Date(), line, fail = line?.fail ?? {} } = options;
  const thrown = new Thrown();
  const ports = watchFailures(options.ports, (error, method) => thrown.add(error, method), [
    fixtures.identity,
    fixtures.passport,
    fixtures.records?.patients,
  ]);
  const offered = new Set(options.supports ?? listOffered(options.ports));
  const retryable = new Set(options.retryableWrites ?? options.ports.retryableWrites);
  const byRoute = new Map<string, Operation>(operations.map((operation) => [operation.route, operation]));
  const createCall = (other: Partial<Call> = {}): Call => ({
    requestId: randomUUID(),
    client: 'contract',
    now: now().toISOString(),
    signal: new AbortController().signal,
    omit: () => undefined,
    ...other,
  });
  const performRequest = ({ route, params = {}, query = {}, body }: Request, context: Call): Promise<Answer> => {
    const operation = byRoute.get(route);
    if (!operation) throw new Rejection('route_unknown');
    if (!isOffered(operation, offered)) throw new Rejection('not_implemented');
    return perform(operation, ports[getPortName(operation)], { params, query, body: copyAsJson(body) }, context);
  };
  return {
    send: async (request): Promise<Response> => {
      const context = createCall();
      try {
        const { status, body, location } = await performRequest(request, context);
        return { status, headers: location === undefined ? {} : { location }, body: copyAsJson(body) };
      } catch (error) {
        if (!(error instanceof Rejection)) throw error;
        if (error.code === 'backend_invalid_response' && error.cause) thrown.add(error.cause);
        const problem = toProblemBody(error, context.requestId, '');
        return { status: problem.status, headers: {}, body: copyAsJson(problem) };
      }
    },
    getPort: <N extends PortName>(name: N) => {
      const port = ports[name];
      if (!port) throw new Error(`the adapter offers nothing of the port ${name}`);
      return port as PortOf<N>;
    },
    createCall,
    isRetryable: (capability) => retryable.has(capability),
    supports: (capability) => offered.has(capability),
    now,
    fixtures: fixtures as Fixtures,
    fail,
    line,
    thrown,
  };
}

/** A copy by way of JSON, so that the caller and the ports share nothing. */
const copyAsJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
