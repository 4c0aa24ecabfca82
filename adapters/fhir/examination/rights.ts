import { randomUUID } from 'node:crypto';
import type { Finding } from '../../../src/ports/index.ts';
import { parseSearchPage } from '../rest/bundle.ts';
import { isMissing, parseJson, parseLocation, type Reply } from '../rest/decode.ts';
import type { Caller, Transport } from '../rest/transport.ts';
import { encodeQuery, type Query } from '../rest/url.ts';
import { isId } from '../schema/datatypes.ts';
import type { Settings } from '../settings.ts';
import type { Interaction, TypeAccess } from './access.ts';
import { describeFailure, describeRefusal, type Refusal } from './describe-reply.ts';

interface Tools {
  readonly transport: Transport;
  readonly auth: Settings['auth'];
}

/**
 * Whether each type can be searched by every parameter that is used, read, and created. Asks for ids and identifiers that nobody
 * has, and for creates that must fail: no record of a patient is fetched, and none is made.
 */
export async function* examineRights(
  needed: readonly TypeAccess[],
  tools: Tools,
  call: Caller,
): AsyncGenerator<Finding> {
  const check = 'reading';
  const unusedId = randomUUID();
  const faults: Fault[] = [];
  let hasWorked = false;
  for (const access of needed) {
    for (const [right, attempt] of attempts) {
      if (!access.rights.includes(right)) continue;
      const fault: Fault | undefined = await attempt({ access, unusedId, call, ...tools }).catch(describeFailure);
      hasWorked ||= !fault && right !== 'create';
      if (fault?.status === 401) {
        yield { check: 'credentials', ok: false, detail: fault.detail, fix: fault.fix, stops: true };
        return;
      }
      if (fault) faults.push({ ...fault, about: fault.about ?? `${access.type} (${right})` });
    }
  }
  // Then no operation could succeed either.
  const stops = !hasWorked && { stops: true as const };
  for (const same of Map.groupBy(faults, ({ detail, fix }) => `${detail}: ${fix}`).values()) {
    const { ok, detail, fix } = same[0]!;
    const about = stops && same.length === faults.length ? 'every type' : same.map((each) => each.about).join(', ');
    yield { check, ok, detail: `${about}: ${detail}`, fix, ...stops };
  }
  if (faults.length > 0) return;
  yield { check: 'credentials', ok: true, detail: 'the server lets us in' };
  yield { check, ok: true, detail: `all ${needed.length} types of resources can be searched and read as needed` };
}

/** Why something cannot be searched or read. */
interface Fault extends Refusal {
  /** What cannot; default: all of the type. */
  readonly about?: string;
  readonly status?: number;
}

interface Trial extends Tools {
  readonly access: TypeAccess;
  /** No resource has it. */
  readonly unusedId: string;
  readonly call: Caller;
}

async function trySearch(trial: Trial): Promise<Fault | undefined> {
  const { type, parameters = [], includes = [] } = trial.access;
  const all = [...parameters, ...includes.map((path) => formatInclude(type, path))];
  const reply = await search(all, trial);
  const { status } = reply;
  if (isMissing(reply)) {
    const detail = `the server does not have it (HTTP_${status})`;
    return { ok: false, detail, fix: 'switch this on at the server', status };
  }
  if (status === 400) {
    const unknown: string[] = [];
    for (const each of all) {
      if ((await search([each], trial)).status === 400) unknown.push(each);
    }
    const about = `${type} by ${unknown.length > 0 ? unknown.join(', ') : 'all its parameters together'}`;
    const fix = 'let the server support this search, with the index that it needs (docs/fhir/set-up.md, 1)';
    return { ok: false, detail: `the server does not take this search (HTTP_${status})`, fix, about };
  }
  const fault = describeFault(reply, trial.auth);
  if (fault) return fault;
  if (parseJson(reply).resourceType === 'Bundle') return undefined;
  return { ok: false, detail: 'the answer is no Bundle', fix: 'look into the log of the server' };
}

function search(parameters: readonly string[], { access: { type }, unusedId, transport, call }: Trial): Promise<Reply> {
  const query = encodeQuery(toQuery(parameters, unusedId));
  const path = transport.paths.build(type);
  const headers = { Prefer: 'handling=strict', 'Cache-Control': 'no-cache' };
  if (type !== 'Patient')
    return transport.send({ method: 'GET', path: `${path}?${query}`, headers, write: false }, call);
  // People are searched for by POST, and nothing else, as the ports do.
  const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
  return transport.send({ method: 'POST', path: `${path}/_search`, headers: form, body: query, write: false }, call);
}

async function tryRead(trial: Trial, version?: string): Promise<Fault | undefined> {
  const { access, unusedId, transport, auth, call } = trial;
  const headers = access.type === 'Binary' ? { Accept: '*/*' } : {};
  const path = transport.paths.build(access.type, unusedId, version);
  const reply = await transport.send({ method: 'GET', path, headers, write: false }, call);
  // No resource has this id.
  return isMissing(reply) ? undefined : describeFault(reply, auth);
}

/** Creates on a condition that two resources meet, so that it must fail. Where there are not two, nothing is tried. */
async function tryCreate({ access: { type }, transport, auth, call }: Trial): Promise<Fault | undefined> {
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
  return { ok: false, detail: 'the server ignores If-None-Exist', fix: 'switch conditional creates on at the server' };
}

function describeFault(reply: Reply, auth: Settings['auth']): Fault | undefined {
  const refusal = describeRefusal(reply, auth);
  return refusal && { ...refusal, status: reply.status };
}

type Attempt = (trial: Trial) => Promise<Fault | undefined>;

/** Updates and deletions are not tried: some servers create what an update does not find. */
const attempts: readonly (readonly [Interaction, Attempt])[] = [
  ['search', trySearch],
  ['read', (trial) => tryRead(trial)],
  ['vread', (trial) => tryRead(trial, '1')],
  ['create', tryCreate],
];

/** What comes along with what is included itself is asked for in another way. */
const formatInclude = (type: string, path: string): string =>
  `${path.startsWith(`${type}:`) ? '_include' : '_include:iterate'}=${path}`;

/** A value for each parameter that no resource has; those with a value of their own keep it. */
function toQuery(parameters: readonly string[], unusedId: string): Query {
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
  // What was never meant: there is next to nothing of it, for slots and appointments alike.
  status: () => 'entered-in-error',
  'part-status': () => 'declined',
  schedule: (unusedId) => `Schedule/${unusedId}`,
  slot: (unusedId) => `Slot/${unusedId}`,
  beneficiary: (unusedId) => `Patient/${unusedId}`,
  patient: (unusedId) => `Patient/${unusedId}`,
  _offset: () => '0',
  _total: () => 'accurate',
};
