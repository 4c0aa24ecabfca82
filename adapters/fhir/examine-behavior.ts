import { isObject } from '../../src/http-client/answer-size.ts';
import type { Finding } from '../../src/ports/index.ts';
import { ignoreFailure } from '../../src/toolkit/failures.ts';
import type { FhirContext } from './context.ts';
import type { ServerConnection } from './rest/client.ts';
import { parseJson } from './rest/decode.ts';
import type { LearnedPart } from './rest/ladder.ts';
import { encodeQuery, type SearchQuery } from './rest/query.ts';
import type { ServerCall } from './rest/transport.ts';
import type { ResourceType } from './schema/resources.ts';

const check = 'behavior';

/**
 * Compares answers with what was asked, on data that is there; of appointments only their ids are asked for. What the
 * server does not do of what FHIR makes optional is told with what serves in its place.
 */
export async function* examineBehavior(
  { client, settings }: Pick<FhirContext, 'client' | 'settings'>,
  { transport }: Pick<ServerConnection, 'transport'>,
  call: ServerCall,
): AsyncGenerator<Finding> {
  const { ladder } = client;
  await client.prepare(call);
  await tryPages();
  const odd = await client.count('Slot', { 'status:not': `${TAKEN},free` }, call).catch(ignoreFailure);
  if (odd !== undefined && odd > 0) ladder.notice('Slot', 'status:not');
  const lessons = ladder.list().filter(({ part }) => part !== '_count');
  for (const same of Map.groupBy(lessons, ({ part, why }) => `${part} ${why}`).values()) yield tell(same);
  const bases = await listForeignBases();
  if (bases.length > 0) {
    yield {
      ...{ check, ok: false },
      detail: `references name the server by ${bases.join(', ')}, which is not known as its own: what they refer to is missing`,
      fix: `set bases to [${bases.join(', ')}], if these are addresses of this server`,
    };
  }
  if (lessons.length === 0 && bases.length === 0) {
    yield { check, ok: true, detail: 'the server does what it is asked for, as far as its data show' };
  }

  /** Whether the second page of appointments is another one, and the total no less than the rows. */
  async function tryPages(): Promise<void> {
    if (ladder.isTried('Appointment', '_offset')) return;
    const query = { _sort: 'date,_id', _count: '2', _total: 'accurate', _elements: 'id' };
    const [first, second] = [
      await ask('Appointment', { ...query, _offset: '0' }),
      await ask('Appointment', { ...query, _offset: '2' }),
    ];
    if (!first || !second) return;
    const known = new Set(first.ids);
    if (first.ids.length > 2 || second.ids.some((id) => known.has(id))) ladder.notice('Appointment', '_offset');
    else if (second.ids.length > 0) ladder.confirm('Appointment', '_offset');
    const { total } = first;
    const least = first.ids.length + second.ids.length;
    if (total !== undefined && total < least && ladder.heeds('Appointment', '_offset'))
      ladder.notice('Appointment', '_total');
  }

  /** The ids of the matches; undefined where the server does not answer with a page. */
  async function ask(type: ResourceType, query: SearchQuery) {
    const page = await read(type, query);
    if (!page) return undefined;
    const entries = Array.isArray(page.entry) ? page.entry.filter(isObject) : [];
    const found = entries.map(({ resource }) => resource).filter(isObject);
    const ids = found.filter(({ resourceType }) => resourceType === type).map(({ id }) => String(id));
    return { ids, total: typeof page.total === 'number' ? page.total : undefined };
  }

  async function read(type: ResourceType, query: SearchQuery): Promise<Record<string, unknown> | undefined> {
    const path = `${transport.paths.build(type)}?${encodeQuery(query)}`;
    const headers = { 'Cache-Control': 'no-cache' };
    const reply = await transport.send({ method: 'GET', path, headers, write: false }, call).catch(ignoreFailure);
    return reply?.status === 200 ? parseJson(reply) : undefined;
  }

  /** Bases of absolute references in schedules and services, which belong to the institution. */
  async function listForeignBases(): Promise<string[]> {
    const pages = [await read('Schedule', { _count: '50' }), await read('HealthcareService', { _count: '50' })];
    const references = JSON.stringify(pages).matchAll(
      /"reference":"(https?:\/\/[^"]+?)\/(?:Practitioner|PractitionerRole|Location|HealthcareService|Organization)\/[^"/]+"/g,
    );
    const known = [settings.baseUrl, ...settings.bases].map((each) => each.replace(/\/+$/, ''));
    return [...new Set([...references].map(([, base = '']) => base))].filter((base) => !known.includes(base));
  }
}

/** All statuses of slots except `free`. */
const TAKEN = 'busy,busy-unavailable,busy-tentative,entered-in-error';

const verbs = {
  refused: 'refuses',
  ignored: 'accepts, and does not obey,',
  failed: 'fails over',
  'too large': 'answers too much to',
} as const;

/** A part that several types lack alike, with the time at which it was seen. */
function tell(same: readonly LearnedPart[]): Finding {
  const [{ part, why, code, otherWay } = { part: '', why: 'refused', code: undefined, otherWay: '' } as const] = same;
  const types = [...new Set(same.map(({ type }) => type))].join(', ');
  const at = new Date(Math.max(...same.map((each) => each.at))).toISOString().slice(11, 19);
  const seen = `${code === undefined ? '' : `${code}, `}seen at ${at}Z`;
  return {
    ...{ check, ok: null },
    detail: `the server ${verbs[why]} ${part} of ${types} (${seen}): ${otherWay}`,
    fix: `let it support ${part}, which saves requests (docs/fhir/running.md)`,
  };
}
