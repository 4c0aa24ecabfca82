import { randomUUID } from 'node:crypto';
import type { Finding } from '../../../src/ports/index.ts';
import { isMissing, parseJson, type Reply } from '../rest/decode.ts';
import type { Caller, Transport } from '../rest/transport.ts';
import { encodeQuery, type Query } from '../rest/url.ts';
import type { Settings } from '../settings.ts';
import type { TypeAccess } from './access.ts';
import { describeFailure, describeRefusal } from './describe-reply.ts';

interface Tools {
  readonly transport: Transport;
  readonly auth: Settings['auth'];
}

/**
 * Whether each type can be searched by every parameter that is used, and read. Asks for ids and identifiers that nobody has:
 * no record of a patient is fetched.
 */
export async function* examineRights(
  needed: readonly TypeAccess[],
  tools: Tools,
  call: Caller,
): AsyncGenerator<Finding> {
  const check = 'reading';
  const unusedId = randomUUID();
  let faults = 0;
  for (const each of needed) {
    const findings: Fault[] = [];
    try {
      const searches = each.rights.includes('search');
      findings.push(...(searches ? await trySearch(each, unusedId, tools, call) : []));
      if (each.rights.includes('read')) findings.push(...(await tryRead(each, unusedId, tools, call)));
    } catch (error) {
      findings.push({ ...describeFailure(error), about: `${each.type} cannot be asked for` });
    }
    for (const { about, status, ...finding } of findings) {
      faults += 1;
      if (status === 401) {
        yield { check: 'credentials', ...finding, stops: true };
        return;
      }
      yield { check, ...finding, detail: `${about}: ${finding.detail}` };
    }
  }
  if (faults > 0) return;
  yield { check: 'credentials', ok: true, detail: 'the server lets us in' };
  const types = needed.map(({ type }) => type);
  yield { check, ok: true, detail: `all ${types.length} types of resources can be searched and read as needed` };
}

interface Fault extends Omit<Finding, 'check'> {
  readonly about: string;
  readonly status?: number;
}

async function trySearch(
  { type, parameters, includes }: TypeAccess,
  unusedId: string,
  tools: Tools,
  call: Caller,
): Promise<Fault[]> {
  const all = [...parameters, ...includes.map((path) => formatInclude(type, path))];
  const reply = await search(all);
  const refusal = describeSearch(reply);
  if (!refusal) return [];
  if (reply.status !== 400) return [{ ...refusal, about: `${type} cannot be searched`, status: reply.status }];
  const unknown: string[] = [];
  for (const each of all) {
    if ((await search([each])).status === 400) unknown.push(each);
  }
  const fix = 'let the server support them, with the indices that they need (docs/fhir/set-up.md, 1)';
  const what = unknown.length > 0 ? unknown.join(', ') : 'all its parameters together';
  return [
    {
      ok: false,
      detail: 'the server does not know it (HTTP_400)',
      fix,
      about: `${type} cannot be searched by ${what}`,
    },
  ];

  async function search(by: readonly string[]): Promise<Reply> {
    const query = encodeQuery(toQuery(by, unusedId));
    // What may identify a person is searched for by POST, as the ports do.
    const post = parametersOfPersons.some((name) => by.includes(name));
    const path = tools.transport.paths.build(type, post ? '_search' : undefined);
    const headers = { Prefer: 'handling=strict', 'Cache-Control': 'no-cache' };
    const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
    return tools.transport.send(
      post
        ? { method: 'POST', path, headers: form, body: query, write: false }
        : { method: 'GET', path: `${path}?${query}`, headers, write: false },
      call,
    );
  }

  function describeSearch(reply: Reply): Omit<Finding, 'check'> | undefined {
    const refusal = describeRefusal(reply, tools.auth);
    if (isMissing(reply)) {
      return {
        ok: false,
        detail: `the server does not have it (HTTP_${reply.status})`,
        fix: 'switch this type on at the server',
      };
    }
    if (refusal) return refusal;
    const { resourceType } = parseJson(reply);
    if (resourceType === 'Bundle') return undefined;
    return { ok: false, detail: 'the answer is no Bundle', fix: 'look into the log of the server' };
  }
}

async function tryRead(
  { type, rights }: TypeAccess,
  unusedId: string,
  { transport, auth }: Tools,
  call: Caller,
): Promise<Fault[]> {
  const headers = type === 'Binary' ? { Accept: '*/*' } : {};
  const reply = await transport.send(
    { method: 'GET', path: transport.paths.build(type, unusedId), headers, write: false },
    call,
  );
  // Nobody has this id.
  const refusal = isMissing(reply) ? undefined : describeRefusal(reply, auth);
  if (!refusal) return [];
  const fix = reply.status === 403 ? `grant our client: ${type} ${rights.join(', ')}` : refusal.fix;
  return [{ ...refusal, ...(fix !== undefined && { fix }), about: `${type} cannot be read`, status: reply.status }];
}

const parametersOfPersons = ['identifier', 'birthdate'];

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
  'authored-on': () => 'ge2900-01-01',
  gender: () => 'other',
  // What was never meant: there is next to nothing of it, for slots and appointments alike.
  status: () => 'entered-in-error',
  schedule: (unusedId) => `Schedule/${unusedId}`,
  beneficiary: (unusedId) => `Patient/${unusedId}`,
  patient: (unusedId) => `Patient/${unusedId}`,
  _offset: () => '0',
  _total: () => 'accurate',
};
