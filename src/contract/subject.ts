import assert from 'node:assert/strict';
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
import { getField, getFields } from '../toolkit/records.ts';
import type { Request, Respondent, Response, Route } from './exchange.ts';
import type { FixtureName, Fixtures, PartialFixtures } from './fixtures.ts';
import type { Fail, Line } from './line.ts';
import { Skipped, Thrown } from './thrown.ts';
import { watchFailures } from './watch.ts';

export type { Query, Request, Response, Route } from './exchange.ts';

/** Answers the documented API for one institution, with the fixtures of that institution. */
export interface Subject extends Respondent {
  /** True if the institution offers the capability. */
  supports(capability: Capability): boolean;
  /** The subject's clock. */
  now(): Date;
  /** A case reads the fixtures that its capabilities promise, and those that it names. Others may be missing. */
  readonly fixtures: Fixtures;
  /** Problems of fixtures, by name: a case that reads one of these fixtures is skipped. Default: none. */
  readonly wrongFixtures?: ReadonlyMap<string, string>;
  /** How to make the system behind the subject fail. */
  readonly fail?: Fail | undefined;
}

export interface HttpOptions {
  /** The gateway's address with the base path, without a slash at the end. */
  readonly baseUrl: string;
  /** A bearer token with every scope. Default: requests carry no token. */
  readonly token?: string | undefined;
  readonly supports: readonly Capability[];
  readonly fixtures: PartialFixtures;
  /** The routes that differ from the document. */
  readonly routes?: ReadonlyMap<string, Route>;
  /** Default: the system never fails, and cases of an outage are skipped. */
  readonly fail?: Fail | undefined;
  /** Milliseconds to wait for an answer. Default: a minute. */
  readonly timeout?: number;
}

/** Creates a subject that sends its requests to a gateway over HTTP. A body that is not JSON is undefined. */
export function createHttpSubject(options: HttpOptions): Subject {
  const { supports, fixtures, fail } = options;
  const send = async (request: Request): Promise<Response> => {
    const response = await sendRequest(options, request);
    const isWrite = !/^GET |-slots$/.test(request.route) && response.status < 300;
    if (isWrite) await waitForLag(fixtures);
    return response;
  };
  return {
    send,
    supports: (capability) => supports.includes(capability),
    now: () => new Date(),
    fixtures: fixtures as Fixtures,
    fail,
  };
}

/** Waits until reads show the last write. */
const waitForLag = async ({ lag }: Pick<PartialFixtures, 'lag'>): Promise<void> => {
  if (lag !== undefined) await new Promise((resolve) => setTimeout(resolve, lag));
};

/** Sends the request to a gateway over HTTP. */
export async function sendRequest(
  { baseUrl, token, routes, timeout = 60_000 }: Omit<HttpOptions, 'supports' | 'fixtures' | 'fail'>,
  request: Request,
): Promise<Response> {
  const route = routes?.get(request.route) ?? request.route;
  const answer = await fetch(`${baseUrl}${fillPath(route, request)}`, {
    method: route.slice(0, route.indexOf(' ')),
    headers: {
      ...request.headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(timeout),
  });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: parseJson(await answer.text()) };
}

/** Path and query of a request to that route. */
export function fillPath(route: Route, { params = {}, query = {} }: Pick<Request, 'params' | 'query'>): string {
  const path = route.slice(route.indexOf(' ') + 1);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface PortsOptions {
  readonly ports: Offer;
  /** Default: every operation. */
  readonly operations?: readonly Operation[];
  /** Default: the capabilities that the ports offer. */
  readonly supports?: readonly Capability[];
  /** Default: the writes that the ports name. */
  readonly retryableWrites?: readonly Capability[];
  readonly fixtures: PartialFixtures;
  /** Default: the real clock. */
  readonly now?: () => Date;
  /** Default: `fail` of the line. Without a line, the system never fails, and cases of an outage are skipped. */
  readonly fail?: Fail | undefined;
  /** Further properties of calls, such as a deadline. Default: none. */
  readonly call?: Partial<Call> | undefined;
  /** The line between the adapter and its system. Default: none. Cases of the line are then skipped. */
  readonly line?: Pick<Line, 'fail' | 'maxRequests' | 'takeRequests'> | undefined;
}

/** A subject in this process. Cases can also call its ports. */
export interface PortsSubject extends Subject {
  /**
   * Returns the port with the methods that the adapter offers. A case must name every method that it calls.
   * @throws Error if the adapter offers no method of it.
   */
  getPort<N extends PortName>(name: N): PortOf<N>;
  /** True if `Offer.retryableWrites` names the capability. */
  isRetryable(capability: Capability): boolean;
  /** Creates the context of a call that begins now, without a deadline. `other` replaces some of its properties. */
  createCall(other?: Partial<Call>): Call;
  readonly fail: Fail;
  readonly line: PortsOptions['line'];
  /** The adapter's errors so far. */
  readonly thrown: Thrown;
}

/** True if the subject's ports can be called. */
export const isPortsSubject = (subject: Subject): subject is PortsSubject =>
  'getPort' in subject && 'createCall' in subject;

/** Starts the adapter once more. */
export async function startPorts(start: () => Promise<Subject>): Promise<PortsSubject> {
  const subject = await start();
  assert.ok(isPortsSubject(subject), 'another start has no ports in this process');
  return subject;
}

/**
 * Creates a subject that performs the operations on an adapter's ports, without HTTP. A Failure that contains a value
 * of a call fails the case.
 */
export function createPortsSubject(options: PortsOptions): PortsSubject {
  const { fixtures, operations = allOperations, now = () => new Date(), line, fail = line?.fail ?? {} } = options;
  const thrown = new Thrown();
  const ports = watchFailures(
    options.ports,
    (error, method) => thrown.add(error, method),
    [fixtures.identity, fixtures.passport, fixtures.records?.patients],
    () => waitForLag(fixtures),
  );
  const offered = new Set(options.supports ?? listOffered(options.ports));
  const retryable = new Set(options.retryableWrites ?? options.ports.retryableWrites);
  const byRoute = new Map<string, Operation>(operations.map((operation) => [operation.route, operation]));
  const createCall = (other: Partial<Call> = {}): Call => ({
    requestId: randomUUID(),
    client: 'contract',
    now: now().toISOString(),
    signal: new AbortController().signal,
    omit: () => undefined,
    ...options.call,
    ...other,
  });
  const performRequest = async (
    { route, params = {}, query = {}, body }: Request,
    context: Call,
    noteAsked: () => void,
  ): Promise<Answer> => {
    const operation = byRoute.get(route);
    if (!operation) throw new Rejection('route_unknown');
    if (!isOffered(operation, offered)) throw new Rejection('not_implemented');
    const port = ports[getPortName(operation)];
    const asked = port && noteUse(port, noteAsked);
    return perform(operation, asked, { params, query, body: copyAsJson(body) }, context);
  };
  return {
    send: (request) => answerInProcess(createCall(), thrown, (...given) => performRequest(request, ...given)),
    getPort: <N extends PortName>(name: N) => {
      const port = ports[name];
      if (!port) throw new Error(`the adapter has no method of the port ${name}`);
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

/** Answers a request in this process, and records the adapter's errors. */
async function answerInProcess(
  context: Call,
  thrown: Thrown,
  work: (context: Call, noteAsked: () => void) => Promise<Answer>,
): Promise<Response> {
  let isAsked = false;
  const noteAsked = () => {
    isAsked = true;
  };
  try {
    const { status, body, location } = await work(context, noteAsked);
    return { status, headers: location === undefined ? {} : { location }, body: copyAsJson(body) };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    // A broken promise, found by the watch over the ports.
    if (error.cause instanceof assert.AssertionError) throw error.cause;
    if (error.code === 'backend_invalid_response' && error.cause) thrown.add(error.cause);
    const problem = toProblemBody(error, context.requestId, '');
    return { status: problem.status, headers: {}, body: copyAsJson(problem), ...(!isAsked && { isUnasked: true }) };
  }
}

/** The same port. Calls `note` before each use. */
const noteUse = <P extends object>(port: P, note: () => void): P =>
  new Proxy(port, {
    get: (target, name) => {
      note();
      return Reflect.get(target, name) as unknown;
    },
  });

/** Copies the value as JSON, so that the caller and the ports share no object. */
const copyAsJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const list = <S extends string, N extends string>(section: S, ...names: readonly N[]) =>
  names.map((name): `${S}.${N}` => `${section}.${name}`);

const bookable: readonly FixtureName[] = [
  ...list('services', 'bookable', 'second', 'womenOnly', 'inactive'),
  ...list('practitioners', 'bookable', 'second'),
  ...list('locations', 'first', 'another'),
];
const services = list('services', 'bookable', 'womenOnly', 'childrenOnly', 'walkIn', 'inactive');

/**
 * The fixtures that each capability requires. An institution that offers the capability must name them. Other fixtures
 * are optional: a case that needs one names it itself.
 */
export const promisedFixtures: Readonly<Record<Capability, readonly FixtureName[]>> = {
  'patients.search': ['identity', 'passport', 'patients.complete', 'patients.passportHolder'],
  'patients.get': ['patients.complete'],
  'patients.register': [],
  'patients.update': [],
  'tickets.types': ['ticketType', 'inactiveTicketType'],
  'tickets.type': ['ticketType'],
  'tickets.list': ['patients.complete', 'patients.bare', 'ticketType'],
  'tickets.open': ['ticketType', 'typedTicketType', 'inactiveTicketType'],
  'appointments.list': ['patients.complete', 'patients.bare'],
  'appointments.slots': [
    ...bookable,
    ...list('services', 'childrenOnly', 'virtual'),
    ...list('patients', 'complete', 'bare', 'child'),
    'bookingHorizonDays',
  ],
  'appointments.book': [...bookable, 'patients.bare', 'patients.child'],
  'appointments.cancel': ['patients.complete'],
  'insurance.carriers': ['carriers.withPlans', 'owner'],
  'insurance.plans': ['carriers.withPlans', 'carriers.withoutPlans', 'plans.accepted'],
  'insurance.coverages': [
    ...list('patients', 'complete', 'bare'),
    ...list('coverages', 'active', 'inactive', 'ofBare', 'ofChild'),
  ],
  'insurance.create': ['carriers.withPlans', 'plans.accepted', 'plans.another', 'plans.refused', 'plans.withdrawn'],
  'insurance.edit': ['plans.accepted', 'plans.another', 'plans.withdrawn'],
  'practitioners.list': ['practitioners.bookable', 'practitioners.second'],
  'practitioners.mainOf': ['patients.complete', 'patients.bare'],
  'practitioners.changeReasons': ['changeReason'],
  'practitioners.requestChange': ['changeReason', 'practitioners.second'],
  'practitioners.changeRequestOf': ['patients.complete'],
  'care-services.available': [...services, 'practitioners.bookable', ...list('patients', 'complete', 'bare', 'child')],
  'care-services.frequent': ['services.bookable', 'services.frequent', 'patients.complete', 'patients.bare'],
  'family-groups.list': ['patients.complete', 'patients.bare'],
  'family-groups.add': [],
  'family-groups.remove': ['patients.complete'],
  'directory.locations': ['locations.first', 'locations.another'],
  'directory.entries': [],
};

const promised = new Set<string>(Object.values(promisedFixtures).flat());
const groups = new Set([...promised].filter((name) => name.includes('.')).map((name) => name.split('.')[0]));

function watch(values: object, wrong: ReadonlyMap<string, string>, prefix = ''): object {
  const inner = new Map<PropertyKey, object>();
  return new Proxy(inner, {
    has: (_, key) => Reflect.has(values, key),
    get: (_, key) => {
      const name = `${prefix}${String(key)}`;
      if (groups.has(name)) {
        const group = inner.get(key) ?? watch(getFields(getField(values, key)), wrong, `${name}.`);
        inner.set(key, group);
        return group;
      }
      if (wrong.has(name)) throw new Skipped(explainWrong(name, wrong));
      if (promised.has(name) && !Reflect.has(values, key)) throw new Skipped(`the fixtures do not name ${name}`);
      return getField(values, key);
    },
  });
}

const explainWrong = (name: string, wrong: ReadonlyMap<string, string>): string => `${name}: ${wrong.get(name)}`;

/** The same fixtures, for cases. A case that reads a missing or wrong fixture of its capability is skipped. */
export const watchFixtures = (named: PartialFixtures, wrong: ReadonlyMap<string, string> = new Map()): Fixtures =>
  watch(named, wrong) as Fixtures;

/** The reason why a case with these fixtures cannot run. Undefined if it can. */
export function explainMissing({ fixtures, wrongFixtures = new Map() }: Subject, names: readonly FixtureName[]) {
  const [missing] = listMissing(fixtures, names);
  if (missing) return `the fixtures do not name ${missing}`;
  const wrong = names.find((name) => wrongFixtures.has(name));
  return wrong && explainWrong(wrong, wrongFixtures);
}

/** The names that are missing in the fixtures. */
export const listMissing = (fixtures: PartialFixtures, names: readonly FixtureName[]): FixtureName[] =>
  names.filter((name) => {
    const [group, member] = name.split('.');
    if (member === undefined) return !Reflect.has(fixtures, name);
    return !Reflect.has(getFields(getField(fixtures, group ?? name)), member);
  });
