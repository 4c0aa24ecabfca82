import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { format } from 'node:util';
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
import {
  type Call,
  type Capability,
  Failure,
  listOffered,
  type Offer,
  type PortName,
  type PortOf,
  writes,
} from '../ports/index.ts';
import { getField, getFields } from '../toolkit/records.ts';
import { secretsRead } from '../toolkit/secret.ts';
import type { Request, Respondent, Response, Route } from './exchange.ts';
import type { FixtureName, Fixtures, PartialFixtures } from './fixtures.ts';
import type { Fail, Line } from './line.ts';
import { Skipped, Thrown } from './thrown.ts';

export type { Query, Request, Response, Route } from './exchange.ts';

/** Something that answers the documented API for one institution, with the fixtures of that institution. */
export interface Subject extends Respondent {
  /** True if the institution offers it. */
  supports(capability: Capability): boolean;
  /** The subject's clock. */
  now(): Date;
  /** A case reads those which its capabilities promise, and those which it names itself: others may be missing. */
  readonly fixtures: Fixtures;
  /** Problems of fixtures, by name: a case that reads one of these fixtures is skipped. Default: none. */
  readonly wrongFixtures?: ReadonlyMap<string, string>;
  /** How the system behind it can be made to fail. */
  readonly fail?: Fail | undefined;
}

export interface HttpOptions {
  /** Where the gateway listens, base path included, without a slash at the end. */
  readonly baseUrl: string;
  /** A bearer token with every scope. Default: requests have none. */
  readonly token?: string | undefined;
  readonly supports: readonly Capability[];
  readonly fixtures: PartialFixtures;
  /** The routes that differ from those of the document. */
  readonly routes?: ReadonlyMap<string, Route>;
  /** Default: its system never fails, and cases of an outage are skipped. */
  readonly fail?: Fail | undefined;
  /** Milliseconds to wait for an answer. Default: a minute. */
  readonly timeout?: number;
}

/** A subject that sends its requests to a gateway over HTTP. A body that is not JSON counts as none. */
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

/** Waits until reads show what was written. */
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
  /** Default: what the ports offer. */
  readonly supports?: readonly Capability[];
  /** Default: what the ports name. */
  readonly retryableWrites?: readonly Capability[];
  readonly fixtures: PartialFixtures;
  /** Default: the real clock. */
  readonly now?: () => Date;
  /** Default: that of the line; without one the system never fails, and cases of an outage are skipped. */
  readonly fail?: Fail | undefined;
  /** Further properties of the calls, such as a deadline. Default: none. */
  readonly call?: Partial<Call> | undefined;
  /** The line between the adapter and its system. Default: none, and the cases of the line are skipped. */
  readonly line?: Pick<Line, 'fail' | 'maxRequests' | 'takeRequests'> | undefined;
}

/** A subject in this process, whose ports can be called too. */
export interface PortsSubject extends Subject {
  /**
   * The port with the methods that the adapter offers; a case names all that it calls.
   * @throws Error when the adapter offers none.
   */
  getPort<N extends PortName>(name: N): PortOf<N>;
  /** True if the adapter names it in `Offer.retryableWrites`. */
  isRetryable(capability: Capability): boolean;
  /** The context of a call that begins now and has no deadline, with what is given in `other` instead. */
  createCall(other?: Partial<Call>): Call;
  readonly fail: Fail;
  readonly line: PortsOptions['line'];
  /** The errors in the adapter so far. */
  readonly thrown: Thrown;
}

/** True if the ports of a subject can be called. */
export const isPortsSubject = (subject: Subject): subject is PortsSubject =>
  'getPort' in subject && 'createCall' in subject;

/**
 * A subject that performs the operations on the ports of an adapter, without HTTP. A Failure that says a value which a port
 * was given fails the case.
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

/** Answers a request in this process, and notes the faults of the adapter. */
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
    if (error.code === 'backend_invalid_response' && error.cause) thrown.add(error.cause);
    const problem = toProblemBody(error, context.requestId, '');
    const response = { status: problem.status, headers: {}, body: copyAsJson(problem) };
    return isAsked ? response : { ...response, isUnasked: true };
  }
}

/** The same port, which tells when anything of it is used. */
const noteUse = <P extends object>(port: P, note: () => void): P =>
  new Proxy(port, {
    get: (target, name) => {
      note();
      return Reflect.get(target, name) as unknown;
    },
  });

/** A copy by way of JSON, so that the caller and the ports share nothing. */
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
 * The fixtures that each capability promises: who offers it names them. A fixture that stands nowhere here is optional, and
 * a case that needs it says so itself.
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
      if (promised.has(name) && !Reflect.has(values, key)) throw new Skipped(`the fixtures name no ${name}`);
      return getField(values, key);
    },
  });
}

const explainWrong = (name: string, wrong: ReadonlyMap<string, string>): string => `${name}: ${wrong.get(name)}`;

/** The same fixtures, for cases: one that reads what a capability promises, and nobody names, or what is wrong, is skipped. */
export const watchFixtures = (named: PartialFixtures, wrong: ReadonlyMap<string, string> = new Map()): Fixtures =>
  watch(named, wrong) as Fixtures;

/** Why a case that needs these fixtures cannot be run; undefined when it can. */
export function explainMissing({ fixtures, wrongFixtures = new Map() }: Subject, names: readonly FixtureName[]) {
  const [missing] = listMissing(fixtures, names);
  if (missing) return `the fixtures name no ${missing}`;
  const wrong = names.find((name) => wrongFixtures.has(name));
  return wrong && explainWrong(wrong, wrongFixtures);
}

/** The names among these that the fixtures lack. */
export const listMissing = (fixtures: PartialFixtures, names: readonly FixtureName[]): FixtureName[] =>
  names.filter((name) => {
    const [group, member] = name.split('.');
    if (member === undefined) return !Reflect.has(fixtures, name);
    return !Reflect.has(getFields(getField(fixtures, group ?? name)), member);
  });

/** Words of the API itself, which tell nothing of a patient. */
const ownWords = /^(?:DNI|Passport|Other|Female|Male|active|canceled|ascending|descending|CONSULTA|PRACTICA)$/;

/** Remembers every text and number in a value. */
function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    if (!(value instanceof AbortSignal)) for (const each of Object.values(value)) collect(each, values);
  } else if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.length >= 3 && !ownWords.test(text)) values.add(text);
  }
}

/** True if the text has the value as separate words. */
function says(text: string, value: string): boolean {
  const isWord = (char = '') => /[\p{L}\p{N}]/u.test(char);
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + value.length])) return true;
  }
  return false;
}

/** A shorter secret may be a word that occurs by chance. */
const MIN_SECRET = 8;

/** The secrets of the settings that were read since this module was loaded, and the passwords in addresses among them. */
const secrets = new Set<string>();
secretsRead.subscribe((read) => {
  const secret = String(read);
  const password = URL.canParse(secret) ? decodeURIComponent(new URL(secret).password) : '';
  for (const each of [secret, password]) if (each.length >= MIN_SECRET) secrets.add(each);
});

/** In a longer text, such as an answer with a file, words are not decoded. */
const MAX_DECODED = 10_000;

/** The text, and what its words are that are in Base64, as logins are, or escaped for a URL. */
function decodeWords(text: string): string {
  if (text.length > MAX_DECODED) return text;
  return [
    text,
    ...Array.from(text.matchAll(/[\w+/-]{12,}={0,2}/g), ([word]) => Buffer.from(word, 'base64').toString()),
    text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString()),
  ].join('\n');
}

/** @throws AssertionError where one of the texts says a secret; the message does not. */
function expectNoSecret(texts: readonly unknown[], what: string): void {
  if (secrets.size === 0) return;
  for (const text of texts) {
    const decoded = decodeWords(String(text));
    const isTold = [...secrets].some((secret) => says(decoded, secret));
    assert.ok(!isTold, `${what} says a secret of the settings`);
  }
}

/**
 * The same ports, which fail with an AssertionError where the message or the code of a Failure, or what is written to the console
 * meanwhile, holds a value that a port was given before, such as an id, or that a port returned of a patient; and where these,
 * any other error or an answer hold a secret that was read for the settings. So they do where a method changes what it was given.
 * @param ofPatients holds more values of patients, such as their names in the fixtures.
 * @param note is told all that they throw.
 * @param rest is waited for after each write.
 */
export function watchFailures<O extends Offer>(
  ports: O,
  note: NoteThrown = () => {},
  ofPatients?: unknown,
  rest: () => Promise<void> = async () => {},
): O {
  const values = new Set<string>();
  collect(ofPatients, values);
  return new Proxy(ports, {
    get: (offer, name) => {
      const port: unknown = Reflect.get(offer, name);
      return typeof port === 'object' && port !== null
        ? watchPort(port, { values, note, rest, portName: String(name) })
        : port;
    },
  });
}

type NoteThrown = (thrown: unknown, method: string) => void;

interface WatchedValues {
  readonly values: Set<string>;
  readonly note: NoteThrown;
  readonly rest: () => Promise<void>;
  readonly portName: string;
}

const watchPort = (port: object, { values, note, rest, portName }: WatchedValues): object =>
  new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (...given: readonly unknown[]) => {
        const asked = given.slice(0, -1);
        collect(asked, values);
        const before = JSON.stringify(asked);
        const endLog = readConsole();
        let returned: unknown;
        try {
          returned = await Reflect.apply(method, target, given);
          if (portName === 'patients') collect(returned, values);
        } catch (error) {
          expectNoSecret(listTexts(error), `an error of ${String(name)}`);
          note(error, `${portName}.${String(name)}`);
          if (error instanceof Failure) {
            const cause = String(getField(error.cause, 'code') ?? '').replace(/^HTTP_\d{3}$/, '');
            const text = `${error.message} ${error.code ?? ''} ${error.at ?? ''} ${cause}`;
            expectNone([text], values, `a Failure of ${String(name)}`);
          }
          throw error;
        } finally {
          const lines = endLog();
          expectNoSecret(lines, `the console of ${String(name)}`);
          expectNone(lines, values, `the console of ${String(name)}`);
          assert.equal(JSON.stringify(asked), before, `${String(name)} changes what it was given`);
        }
        if (writes.some((write) => write === `${portName}.${String(name)}`)) await rest();
        if (secrets.size > 0) expectNoSecret([JSON.stringify(returned)], `an answer of ${String(name)}`);
        return returned;
      };
    },
  });

/** The texts of an error that may reach a caller or a log. */
const listTexts = (error: unknown): readonly unknown[] =>
  ['message', 'code', 'at', 'stack']
    .map((name) => getField(error, name))
    .concat(getField(getField(error, 'cause'), 'code'));

function expectNone(texts: readonly string[], values: ReadonlySet<string>, what: string): void {
  for (const text of texts) {
    const said = [...values].filter((value) => says(text, value));
    assert.deepEqual(said, [], `${what} says what the port was given, or returned of a patient: ${text}`);
  }
}

const consoleChannels = ['log', 'info', 'debug', 'warn', 'error'].map((method) => channel(`console.${method}`));

/** Begins to listen to the console; what is returned ends that, and tells what was written. */
function readConsole(): () => readonly string[] {
  const lines: string[] = [];
  const read = (written: unknown) => void lines.push(format(...(written as unknown[])));
  for (const each of consoleChannels) each.subscribe(read);
  return () => {
    for (const each of consoleChannels) each.unsubscribe(read);
    return lines;
  };
}
