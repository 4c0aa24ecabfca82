import { randomUUID } from 'node:crypto';
import { isObject } from '../../src/http-client/answer-size.ts';
import { badAnswer, getCauseCode } from '../../src/http-client/failures.ts';
import { Failure, type Finding } from '../../src/ports/index.ts';
import { findSaid } from '../../src/toolkit/failures.ts';
import type { Interaction, TypeAccess } from './access.ts';
import { isMissing, parseJson, parseLocation, type ServerReply } from './rest/decode.ts';
import { encodeQuery, type SearchQuery } from './rest/query.ts';
import { parseSearchPage } from './rest/search.ts';
import type { ServerCall, Transport } from './rest/transport.ts';
import { isId } from './schema/datatypes.ts';
import type { Settings } from './settings.ts';

type Auth = Settings['auth'];

const wrongCredentials: Readonly<Record<Auth['kind'], string>> = {
  none: 'set auth: the server requires credentials',
  basic: 'correct auth.user, or the password that auth.password refers to',
  bearer: 'store a valid token at the reference in auth.token',
  'oauth2-secret':
    'make the server accept the tokens of auth.tokenUrl, and compare auth.scope with the required scopes',
  'oauth2-key': 'make the server accept the tokens of auth.tokenUrl, and compare auth.scope with the required scopes',
};

/** A fault and its fix, as in a `Finding`. */
export interface FailedCheck {
  readonly ok: false;
  readonly detail: string;
  readonly fix: string;
}

const refuse = (detail: string, fix: string): FailedCheck => ({ ok: false, detail, fix });

const lookIntoLog = 'check the server’s log';

/** Explains an answer that is not a FHIR server's success. Undefined if the status is 200. */
export function describeRefusal(reply: ServerReply, auth: Auth): FailedCheck | undefined {
  const { status, headers } = reply;
  const code = `HTTP_${status}`;
  if (status === 200) return undefined;
  if (status === 401) {
    const what = auth.kind === 'none' ? 'requires credentials' : 'refuses our credentials';
    return refuse(`the server ${what} (${code})`, wrongCredentials[auth.kind]);
  }
  if (status === 403) return refuse(`the server forbids it (${code})`, 'grant our client this right');
  if (isMissing(reply))
    return refuse(`there is no FHIR endpoint at this path (${code})`, 'correct the path of baseUrl');
  if (status >= 300 && status <= 399) {
    const to = URL.canParse(headers.location ?? '') ? ` to ${withoutQuery(new URL(headers.location ?? ''))}` : '';
    const fix = 'set baseUrl to the final address: redirects are not followed';
    return refuse(`the server redirects${to} (${code})`, fix);
  }
  if (status === 429) return refuse(`the server has too many requests (${code})`, 'raise its limits');
  return refuse(`the server ${status >= 500 ? 'fails' : 'rejects the request'} (${code})`, lookIntoLog);
}

const withoutQuery = ({ origin, pathname }: URL): string => origin + pathname;

/**
 * Explains a request without a usable answer.
 * @param isEncrypted true if the URL begins with https.
 * @throws an error that is not a Failure.
 */
export function describeFailure(error: unknown, isEncrypted = true): FailedCheck {
  if (!(error instanceof Failure)) throw error;
  const code = getCauseCode(error) ?? error.kind;
  const said = [error.at, findSaid(error.cause)].filter(Boolean).join(', ');
  if (said && error.kind === 'bad_answer' && /^HTTP_4/.test(code)) {
    return refuse(`the server rejects a request (${code}, ${said})`, lookIntoLog);
  }
  if (code === 'too_many_results') {
    return refuse(
      `there are more records than the limits allow (${code})`,
      'raise limits.entries, and limits.pages with it',
    );
  }
  if (error.kind === 'bad_answer') {
    const fix = 'set baseUrl to the FHIR endpoint, not to an HTML page';
    return refuse(`the answer is not from a FHIR server (${code})`, fix);
  }
  if (error.kind === 'timeout' || code === 'ETIMEDOUT') {
    return refuse(`no answer arrived in time (${code})`, `${lookIntoLog}, or raise timeout`);
  }
  const fix = isEncrypted
    ? `${lookIntoLog}, and check the network, and tls.cert if the server requires a client certificate`
    : 'begin baseUrl with https: if the server uses TLS; otherwise read its log and check the network';
  return refuse(`no answer arrived (${code})`, fix);
}

interface Tools {
  readonly transport: Transport;
  readonly auth: Settings['auth'];
}

/**
 * Checks for each type whether the server supports every search parameter, reads and creates. It searches for unused
 * ids and identifiers, and sends conditional creates that the server must reject. No patient's record is read, and
 * nothing is created.
 */
export async function* examineRights(
  needed: readonly TypeAccess[],
  tools: Tools,
  call: ServerCall,
): AsyncGenerator<Finding> {
  const check = 'reading';
  const unusedId = randomUUID();
  const faults: AccessFault[] = [];
  let hasWorked = false;
  for (const access of needed) {
    for (const [right, tryRight] of tryByRight) {
      if (!access.rights.includes(right)) continue;
      const fault: AccessFault | undefined = await tryRight({ access, unusedId, call, ...tools }).catch(
        describeFailure,
      );
      hasWorked ||= !fault && right !== 'create';
      if (fault?.status === 401) {
        yield { check: 'credentials', ok: false, detail: fault.detail, fix: fault.fix, stops: true };
        return;
      }
      if (fault) faults.push({ ...fault, about: fault.about ?? `${access.type} (${right})` });
    }
  }
  // In this case no operation could succeed either.
  const stops = !hasWorked && { stops: true as const };
  for (const same of Map.groupBy(faults, ({ detail, fix }) => `${detail}: ${fix}`).values()) {
    const { ok, detail, fix } = same[0]!;
    const about = stops && same.length === faults.length ? 'every type' : same.map((each) => each.about).join(', ');
    yield { check, ok, detail: `${about}: ${detail}`, fix, ...stops };
  }
  if (faults.length > 0) return;
  yield { check: 'credentials', ok: true, detail: 'the server accepts the gateway' };
  yield { check, ok: true, detail: `all ${needed.length} types of resources support all required searches and reads` };
}

/** The reason why a search or a read fails. */
interface AccessFault extends FailedCheck {
  /** The failing parts. Default: the whole type. */
  readonly about?: string;
  readonly status?: number;
}

interface Trial extends Tools {
  readonly access: TypeAccess;
  /** An id that no resource has. */
  readonly unusedId: string;
  readonly call: ServerCall;
}

async function trySearch(trial: Trial): Promise<AccessFault | undefined> {
  const { type, parameters = [], includes = [] } = trial.access;
  const all = [...parameters, ...includes.map((path) => formatInclude(type, path))];
  const reply = await search(all, trial);
  const { status } = reply;
  if (isMissing(reply)) {
    const detail = `the server does not support it (HTTP_${status})`;
    return { ok: false, detail, fix: 'enable this on the server', status };
  }
  if ([400, 422, 501].includes(status)) {
    const unknown: string[] = [];
    for (const each of all) {
      if ((await search([each], trial)).status === status) unknown.push(each);
    }
    const optional = unknown.flatMap((each) => optionalParts.find((part) => each.startsWith(part)) ?? []);
    for (const part of optional) trial.transport.ladder.notice(type, part, badAnswer(`HTTP_${status}`));
    // The finding about unsupported parts names their replacements.
    if (unknown.length > 0 && optional.length === unknown.length) return undefined;
    const about = `${type} by ${unknown.length > 0 ? unknown.join(', ') : 'all its parameters together'}`;
    const fix = 'enable this search on the server, with its index (docs/reference/fhir/set-up.md, 1)';
    return { ok: false, detail: `the server rejects this search (HTTP_${status})`, fix, about };
  }
  const fault = describeFault(reply, trial.auth);
  if (fault) return fault;
  if (parseJson(reply).resourceType === 'Bundle') return undefined;
  return { ok: false, detail: 'the answer is not a Bundle', fix: 'check the server’s log' };
}

/** Optional parts that the adapter can replace if the server rejects them. */
const optionalParts = ['_include', '_revinclude', '_offset', '_total', '_sort'] as const;

function search(
  parameters: readonly string[],
  { access: { type }, unusedId, transport, call }: Trial,
): Promise<ServerReply> {
  const query = encodeQuery(toQuery(parameters, unusedId));
  const path = transport.paths.build(type);
  const headers = { Prefer: 'handling=strict', 'Cache-Control': 'no-cache' };
  if (type !== 'Patient')
    return transport.send({ method: 'GET', path: `${path}?${query}`, headers, write: false }, call);
  // As in the ports, only people are searched by POST.
  const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
  return transport.send({ method: 'POST', path: `${path}/_search`, headers: form, body: query, write: false }, call);
}

async function tryRead(trial: Trial, version?: string): Promise<AccessFault | undefined> {
  const { access, unusedId, transport, auth, call } = trial;
  const headers = access.type === 'Binary' ? { Accept: '*/*' } : {};
  const path = transport.paths.build(access.type, unusedId, version);
  const reply = await transport.send({ method: 'GET', path, headers, write: false }, call);
  // No resource has this id.
  return isMissing(reply) ? undefined : describeFault(reply, auth);
}

/** Sends a create on a condition with two matches, which must fail. Without two matches, nothing is sent. */
async function tryCreate({ access: { type }, transport, auth, call }: Trial): Promise<AccessFault | undefined> {
  const path = transport.paths.build(type);
  const some = await transport.send({ method: 'GET', path: `${path}?_count=2&_elements=id`, write: false }, call);
  if (some.status !== 200) return undefined;
  const { matches, unreadable } = parseSearchPage(type, parseJson(some), true);
  const ids = [...matches, ...unreadable].flatMap(({ id = '' }) => (isId(id) ? id : []));
  if (ids.length < 2) return undefined;
  const condition = encodeQuery({ _id: ids.join(',') });
  const headers = { 'Content-Type': 'application/fhir+json; charset=utf-8', 'If-None-Exist': condition };
  const body = JSON.stringify({ resourceType: type });
  const reply = await transport.send({ method: 'POST', path, headers, body, write: true }, call);
  if (reply.status === 401 || reply.status === 403) return describeFault(reply, auth);
  if (reply.status !== 201) return undefined;
  const { id } = parseLocation(reply.headers.location);
  if (id) await transport.send({ method: 'DELETE', path: transport.paths.build(type, id), write: true }, call);
  return { ok: false, detail: 'the server ignores If-None-Exist', fix: 'enable conditional creates on the server' };
}

function describeFault(reply: ServerReply, auth: Settings['auth']): AccessFault | undefined {
  const refusal = describeRefusal(reply, auth);
  return refusal && { ...refusal, status: reply.status };
}

type TryRight = (trial: Trial) => Promise<AccessFault | undefined>;

/** Updates and deletions are not tried: some servers create the missing resource of an update. */
const tryByRight: readonly (readonly [Interaction, TryRight])[] = [
  ['search', trySearch],
  ['read', (trial) => tryRead(trial)],
  ['vread', (trial) => tryRead(trial, '1')],
  ['create', tryCreate],
];

/** An include of an included resource needs a modifier. */
const formatInclude = (type: string, path: string): string =>
  `${path.startsWith(`${type}:`) ? '_include' : '_include:iterate'}=${path}`;

/** A value without matches for each parameter. A parameter with a value of its own keeps it. */
function toQuery(parameters: readonly string[], unusedId: string): SearchQuery {
  const query: Record<string, string[]> = { _count: ['1'] };
  for (const parameter of parameters) {
    const [name = '', value] = parameter.split('=');
    query[name] = [...(query[name] ?? []), value ?? values[name]?.(unusedId) ?? unusedId];
  }
  return query;
}

const values: Readonly<Record<string, (unusedId: string) => string>> = {
  identifier: (unusedId) => `urn:ietf:rfc:3986|urn:uuid:${unusedId}`,
  birthdate: () => '1900-01-01',
  date: () => 'ge2900-01-01',
  start: () => 'ge2900-01-01',
  gender: () => 'other',
  // Few resources have this status. It exists for slots and appointments.
  status: () => 'entered-in-error',
  'part-status': () => 'declined',
  schedule: (unusedId) => `Schedule/${unusedId}`,
  slot: (unusedId) => `Slot/${unusedId}`,
  beneficiary: (unusedId) => `Patient/${unusedId}`,
  patient: (unusedId) => `Patient/${unusedId}`,
  _offset: () => '0',
  _total: () => 'accurate',
};

/** A server's statement at `/metadata`. Every element may be absent or wrong. */
export type CapabilityStatement = Readonly<Record<string, unknown>>;

/** Checks whether the server supports R4. */
export function examineVersion({ fhirVersion, software }: CapabilityStatement): Finding {
  const check = 'FHIR version';
  const name = isObject(software) ? [software.name, software.version].filter((part) => typeof part === 'string') : [];
  const by = name.length > 0 ? `, ${name.join(' ')}` : '';
  if (typeof fhirVersion === 'string' && fhirVersion.startsWith('4.0')) {
    return { check, ok: true, detail: `the server supports R4 (${fhirVersion})${by}` };
  }
  const said = typeof fhirVersion === 'string' ? `says version ${fhirVersion}` : 'does not report its version';
  return {
    check,
    ok: false,
    detail: `the server ${said}${by}: bookings, cancellations and tickets are refused`,
    fix: 'set baseUrl to its R4 (4.0) endpoint',
    stops: true,
  };
}

const writes: ReadonlySet<Interaction> = new Set(['create', 'update', 'delete']);

/** Compares the declared writes with the required ones. A server that declares nothing passes. */
export function* examineDeclaredWrites(
  statement: CapabilityStatement,
  needed: readonly TypeAccess[],
  isTrusted: boolean,
): Generator<Finding> {
  const [rest] = listObjects(statement.rest);
  const resources = listObjects(rest?.resource);
  if (!rest || resources.length === 0) {
    yield { check: 'writes', ok: null, detail: 'the server does not declare its writes' };
    return;
  }
  const missing = needed.flatMap(({ type, rights }) => {
    const codes = listCodes(resources.find((each) => each.type === type)?.interaction);
    const lacks = rights.filter((right) => writes.has(right) && !codes.includes(right));
    return lacks.length > 0 ? [`${type} (${lacks.join(', ')})`] : [];
  });
  const takes = missing.length > 0 ? `does not support: ${missing.join(', ')}` : 'declares every required write';
  yield {
    check: 'writes',
    ok: missing.length === 0,
    detail: `the server declares at /metadata that it ${takes}`,
    fix: 'enable these interactions on the server, or remove the ports that need them',
  };
  const check = 'transactions';
  if (!listCodes(rest.interaction).includes('transaction')) {
    const detail = 'the server does not declare transactions: bookings, cancellations and tickets need them';
    yield { check, ok: false, detail, fix: 'enable transactions on the server' };
    return;
  }
  const detail = 'the server declares transactions, but only a write can show whether they are atomic';
  const fix = isTrusted
    ? 'set transactions to probe, unless you know that they are'
    : 'start the gateway, which tests them with temporary resources, and read /readyz';
  yield { check, ok: null, detail, fix };
}

const listCodes = (interactions: unknown): unknown[] => listObjects(interactions).map(({ code }) => code);

const listObjects = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
