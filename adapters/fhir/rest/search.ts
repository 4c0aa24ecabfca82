import { z } from 'zod';
import { isObject, ListSize, weighJson } from '../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../src/http-client/failures.ts';
import { type Resource, type ResourceType, resources } from '../schema/resources.ts';
import { isMissing, parseBody } from './decode.ts';
import { statesMissing } from './errors.ts';
import { noteBrokenReferences, notePart, toUnreadable, type UnreadableResource } from './omitted.ts';
import { encodeQuery, type SearchQuery } from './query.ts';
import { parseResource } from './resource.ts';
import { type SearchPage, SearchResult, type Shortened } from './search-result.ts';
import type { ServerCall, ServerRequest, Transport } from './transport.ts';

export interface Limits {
  /** The maximum pages of one search, and the maximum matches on them. */
  readonly pages: number;
  readonly entries: number;
}

export interface SearchOptions {
  /** Sends the criteria in the body: personal data must not be in a URL, because proxies log URLs. */
  readonly post?: true;
  /** Reads only the first page. */
  readonly onePage?: true;
  /** Stops at this number of matches: a server may return smaller pages than requested. */
  readonly enough?: number;
  /** Omits unreadable matches, as a list does. Otherwise they cause a bad_answer. */
  readonly lenient?: true;
  /** Does not fetch resources that a server without `_revinclude` omits, and reports no unreadable elements. */
  readonly asAnswered?: true;
  /** The maximum matches, and pages of them, if that exceeds the limit of all searches. */
  readonly entries?: number;
  readonly pages?: number;
}

/** A longer search uses POST, because URLs are limited on the way. */
const MAX_URL_LENGTH = 1_500;
/** Without this header, HAPI answers a search from a cache of 60 seconds. */
const fresh = { 'Cache-Control': 'no-cache' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };

/** The type and the criteria of a search. */
export interface Search<T extends ResourceType> {
  readonly type: T;
  readonly query: SearchQuery;
}

/**
 * Returns all matches of all pages, as `Client.search` specifies. If the server rejects a search or returns too much,
 * it sends a reduced form by the ladder.
 */
export async function searchAllPages<T extends ResourceType>(
  transport: Transport,
  { type, query }: Search<T>,
  limits: Limits & SearchOptions,
  call: ServerCall,
): Promise<SearchResult<T>> {
  const { ladder } = transport;
  for (let asked = ladder.begin(type, query); ; ) {
    try {
      const { query: lesser } = asked;
      const lacks = new Set(Object.keys(query).filter((name) => lesser[name] === undefined));
      const windowEnd = lesser.start === query.start ? undefined : lesser.start?.[1]?.slice(2);
      const readPages = () => readPagesOnce(transport, { type, query: lesser }, { ...limits, lacks, windowEnd }, call);
      const found = (await readPages()) ?? (await readPages());
      if (!found) throw badAnswer('search_expired');
      ladder.learn(type, asked);
      if (lacks.has('_include') && asked.steps.every(({ why }) => why !== 'too large'))
        noteBrokenReferences(found.matches);
      return found;
    } catch (error) {
      const next = ladder.lower(type, query, asked, error);
      if (!next) throw error;
      asked = next;
    }
  }
}

/**
 * Every sort ends with the id, which keeps the order of equal rows stable between pages. A search with a repeated
 * parameter always uses GET: Medplum answers 400 to it by POST, and accepts any window.
 */
function buildFirstRequest(
  { paths }: Transport,
  type: ResourceType,
  query: SearchQuery,
  { post, windowEnd }: SearchOptions & Shortened,
): ServerRequest {
  const text = encodeQuery({ ...query, ...(query._sort !== undefined && { _sort: `${query._sort},_id` }) });
  const repeats =
    windowEnd === undefined && Object.values(query).some((value) => typeof value === 'object' && value.length > 1);
  if (!post && (repeats || text.length <= MAX_URL_LENGTH)) {
    return { method: 'GET', path: `${paths.build(type)}?${text}`, headers: fresh, write: false };
  }
  const path = paths.build(type, '_search');
  return { method: 'POST', path, headers: { ...fresh, ...form }, body: text, write: false };
}

/** Undefined if the server has dropped the search between two pages. The search then begins again. */
async function readPagesOnce<T extends ResourceType>(
  transport: Transport,
  { type, query }: Search<T>,
  limits: Limits & SearchOptions & Shortened,
  call: ServerCall,
): Promise<SearchResult<T> | undefined> {
  const { onePage, enough = Number.POSITIVE_INFINITY, lenient, entries: maxEntries } = limits;
  // Smaller pages than the limits assume need more pages.
  const maxPages = Math.max(
    limits.pages,
    query._count === undefined ? 0 : Math.ceil(maxEntries / Number(query._count)),
  );
  const pages: SearchPage<T>[] = [];
  const seen = new Set<string>();
  let matches = 0;
  const size = new ListSize(transport.maxBytes);
  for (let request = buildFirstRequest(transport, type, query, limits); ; ) {
    const reply = await transport.send(request, call);
    if (pages.length > 0 && isMissing(reply)) return undefined;
    const page = parseSearchPage(type, parseBody(reply, { type, query }), lenient);
    if (query._elements !== undefined) for (const each of [...page.matches, ...page.included.values()]) notePart(each);
    pages.push(page);
    heedTotal(transport, type, query, pages);
    matches += page.matches.length;
    if (onePage || matches >= enough) return new SearchResult(type, pages, limits);
    if (matches > maxEntries) throw badAnswer('too_many_results');
    if (page.next === undefined) return new SearchResult(type, pages, limits);
    try {
      size.add(weighJson(reply.body, transport.maxBytes) - page.photoBytes);
    } catch {
      // Smaller pages would have the same total size.
      throw badAnswer('LIST_TOO_LARGE');
    }
    const path = transport.paths.parseNextLink(type, page.next);
    if (path === undefined || seen.has(path)) throw badAnswer('bad_next_link');
    if (pages.length >= maxPages || matches >= maxEntries) throw badAnswer('too_many_results');
    seen.add(path);
    request = { method: 'GET', path, headers: fresh, write: false };
  }
}

/**
 * Drops a total that the rows so far or a further page contradict. If the first page contradicts it, the server's
 * totals are no longer used. Later rows may be new.
 */
function heedTotal<T extends ResourceType>(
  { ladder }: Transport,
  type: T,
  query: SearchQuery,
  pages: SearchPage<T>[],
): void {
  const [first] = pages;
  const last = pages.at(-1);
  if (!first || !last || first.total === undefined) return;
  const rows = pages.reduce((sum, page) => sum + countRows(type, page), 0);
  const least = rows === 0 ? 0 : Number(query._offset ?? 0) + rows;
  const isWrong = first.total < least || (last.next !== undefined && rows > 0 && first.total <= least);
  if (isWrong && first === last && query._total !== undefined) ladder.notice(type, '_total');
  if (isWrong || !ladder.heeds(type, '_total')) pages[0] = { ...first, total: undefined };
}

const countRows = <T extends ResourceType>(type: T, { matches, unreadable }: SearchPage<T>): number =>
  matches.length + unreadable.filter((each) => each.type === type).length;

/** Only the link to the next page is used, and an unreadable count is ignored. */
const searchset = z.looseObject({
  resourceType: z.literal('Bundle'),
  type: z.literal('searchset'),
  total: z.number().int().nonnegative().optional().catch(undefined),
  link: z.array(z.looseObject({ relation: z.unknown().optional(), url: z.unknown().optional() })).optional(),
  entry: z.array(z.looseObject({ resource: z.unknown().optional(), search: z.unknown().optional() })).optional(),
});

/**
 * Parses one page of a search. Throws bad_answer if it is not a searchset, if it states that matches are missing, or,
 * unless lenient, if a match cannot be read.
 */
export function parseSearchPage<T extends ResourceType>(type: T, body: unknown, lenient = false): SearchPage<T> {
  const { data: bundle } = searchset.safeParse(body);
  if (!bundle) throw badAnswer('not_a_searchset');
  const matches: Resource<T>[] = [];
  const included = new Map<string, Resource>();
  const unreadable: UnreadableResource[] = [];
  const read = <U extends ResourceType>(type: U, resource: unknown, required = false): Resource<U>[] => {
    try {
      return [parseResource(type, resource)];
    } catch (error) {
      if (required) throw error;
      unreadable.push(toUnreadable(error, resource));
      return [];
    }
  };
  let hasOthers = false;
  let photoBytes = 0;
  for (const { resource, search } of bundle.entry ?? []) {
    const { mode } = isObject(search) ? search : {};
    const of = isObject(resource) ? String(resource.resourceType) : undefined;
    if (isObject(resource) && resource.photo !== undefined) {
      photoBytes += JSON.stringify(resource.photo).length;
      if (of === 'Practitioner') delete resource.photo;
    }
    if (mode === 'outcome' || of === 'OperationOutcome') {
      // A list without them would state that they do not exist.
      if (statesMissing(resource)) throw badAnswer('incomplete_search', type);
      continue;
    }
    // Included resources are recognized by their type: some servers mark them as matches.
    if (mode !== 'include' && (of === type || of === undefined)) matches.push(...read(type, resource, !lenient));
    else {
      hasOthers ||= mode === 'match';
      if (isKnown(of)) for (const known of read(of, resource)) included.set(`${of}/${known.id}`, known);
    }
  }
  const next = bundle.link?.find(({ relation }) => relation === 'next');
  if (next && typeof next.url !== 'string') throw badAnswer('bad_next_link');
  const isNoAnswer = hasOthers && matches.length === 0 && !unreadable.some((each) => each.type === type);
  if (isNoAnswer) throw badAnswer('match_of_another_type');
  return { matches, included, unreadable, photoBytes, total: bundle.total, next: next && String(next.url) };
}

const isKnown = (type = ''): type is ResourceType => Object.hasOwn(resources, type);
