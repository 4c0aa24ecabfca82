import { badAnswer, isTooLate } from '../../../src/http-client/failures.ts';
import type { Call, Instant } from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { formatBound } from '../../../src/toolkit/zone.ts';
import { findFlaw, findHolder } from '../../common/bookable.ts';
import type { FhirContext } from '../context.ts';
import { reportOmitted } from '../rest/omitted.ts';
import { type SearchQuery, splitForUrl } from '../rest/query.ts';
import type { SearchResult } from '../rest/search-result.ts';
import type { FhirSlot } from '../schema/resources.ts';
import { listSlots, readSlotFacts, withAppointments } from './slot-facts.ts';

/** The maximum number of slots of one search. A service of a large institution has thousands in two months. */
const WINDOW = 5_000;

/** The maximum number of rows of a list without pages. The response reports the number of omitted rows. */
export const MAX_ROWS = 10_000;

export interface SlotSearch {
  readonly status?: 'free';
  /** The range of a slot's start; the second instant is excluded. */
  readonly from: Instant;
  readonly until: Instant;
  /** The codes of the services, one of which is to be booked. Absent: slots for any service. */
  readonly serviceCodes?: readonly string[];
  /** The size of the first window, if the server has to count. */
  readonly first?: number;
}

/** Consecutive slots. */
export interface SlotBatch {
  /** By start. */
  readonly slots: readonly FhirSlot[];
  /** True if there are later slots. */
  readonly more: boolean;
  /**
   * The number of slots in all windows, by the server's count. Undefined if the server does not count, or counts slots
   * that are left out.
   */
  readonly total: number | undefined;
}

/**
 * Finds all slots of `walkSlots`, by start.
 * @param ids references to the schedules, of any number.
 */
export async function findSlots(
  context: FhirContext,
  ids: readonly string[],
  search: SlotSearch,
  call: Call,
): Promise<readonly FhirSlot[]> {
  const found: FhirSlot[] = [];
  for (const some of splitForUrl(ids)) {
    for await (const { slots } of walkSlots(context, some, search, call)) found.push(...slots);
  }
  return found.toSorted(compareStarts);
}

/**
 * Iterates over the offered slots of these schedules, by start. Each window is one search, which begins at the last
 * moment of the previous one.
 * @param ids references to the schedules.
 */
export async function* walkSlots(
  context: FhirContext,
  ids: readonly string[],
  search: SlotSearch,
  call: Call,
): AsyncGenerator<SlotBatch> {
  const { client } = context;
  const { until, first } = search;
  const groups = first === undefined || canSearchTogether(context, ids) ? [ids] : ids.map((id) => [id]);
  let size = Math.min(first ?? WINDOW, WINDOW);
  let begin = search.from;
  let known: readonly string[] = [];
  let total: number | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const found: SearchResult<'Slot'>[] = [];
    for (const group of groups) {
      const counted = isFirst && first !== undefined ? { _total: 'accurate' } : {};
      const criteria = { ...toQuery(context, group, { ...search, from: begin }), ...withAppointments };
      const query = { ...criteria, ...counted, _sort: 'start', _count: String(size) };
      found.push(await readWindow(client, query, size, call));
    }
    // Slots after the end of an incomplete result belong to the next window, as do slots after a shortened window.
    const ends = found.flatMap(({ more, matches, windowEnd }) => [
      ...(more ? [Date.parse(matches.at(-1)?.start ?? begin)] : []),
      ...(windowEnd === undefined ? [] : [Date.parse(windowEnd)]),
    ]);
    const last = Math.min(Date.parse(until), ...ends);
    const more = ends.length > 0 && last < Date.parse(until);
    const matches = found
      .flatMap(listSlots)
      .filter(({ id, start }) => !known.includes(id) && (!more || Date.parse(start) <= last));
    // More slots begin at one moment than a window can have.
    if (more && matches.length === 0 && last <= Date.parse(begin)) throw badAnswer('too_many_results');
    const slots = keepOffered(context, matches, { ...search, from: begin });
    const unreadable = found.flatMap((each) => each.unreadable).filter(({ type }) => type === 'Slot');
    reportOmitted(unreadable, call);
    if (isFirst && first !== undefined) total = await sumTotals();
    if (slots.length < matches.length || unreadable.length > 0) total = undefined;
    yield { slots, more, total };
    if (!more) return;
    const atLast = found.flatMap((each) => each.matches).filter(({ start }) => Date.parse(start) === last);
    known = atLast.map(({ id }) => id);
    begin = formatBound(last);
    size = WINDOW;

    /** Excludes slots after the end, if the server did not get the end of the search. */
    async function sumTotals(): Promise<number | undefined> {
      const totals = found.map((each) => each.total);
      if (more && !isBounded(ids)) {
        const beyond = await countSlots(context, ids, { ...toStatus(context, search), start: `ge${until}` }, call);
        totals.push(beyond && -beyond);
      }
      return totals.reduce((sum, each) => (sum !== undefined && each !== undefined ? sum + each : undefined), 0);
    }
  }
}

/** Reads the first `size` matches. A server that does not sort returns all. */
async function readWindow(client: FhirContext['client'], query: SearchQuery, size: number, call: Call) {
  const options = { entries: WINDOW, pages: WINDOW, lenient: true } as const;
  const { ladder } = client;
  if (!ladder.heeds('Slot', '_sort')) return client.search('Slot', query, call, options);
  const found = await client.search('Slot', query, call, { ...options, enough: size });
  if (!isSorted(found.matches) && !found.lacks.has('_sort')) ladder.notice('Slot', '_sort');
  if (found.more && !ladder.isTried('Slot', '_sort') && !found.lacks.has('_sort'))
    await trySort(client, query, found.matches, call);
  const isInOrder = ladder.heeds('Slot', '_sort') && !found.lacks.has('_sort');
  return found.more && !isInOrder ? client.search('Slot', query, call, options) : found;
}

/**
 * Tries whether the server obeys `_sort`, once. The first slots of an unsorted result can be in order by chance. A server that
 * sorts backwards begins with a later slot.
 */
async function trySort(
  client: FhirContext['client'],
  query: SearchQuery,
  slots: readonly FhirSlot[],
  call: Call,
): Promise<void> {
  const [first, last] = [slots[0], slots.at(-1)].map((slot) => Date.parse(slot?.start ?? ''));
  // Slots of one moment show nothing.
  if (first === undefined || last === undefined || !(first < last)) return;
  const { _include, _revinclude, _total, ...criteria } = query;
  const backwards = { ...criteria, _sort: '-start', _count: '1' };
  const { matches } = await client.search('Slot', backwards, call, { entries: WINDOW, enough: 1, lenient: true });
  const latest = Date.parse(matches[0]?.start ?? '');
  if (latest >= last) client.ladder.confirm('Slot', '_sort');
  else client.ladder.notice('Slot', '_sort');
}

const isSorted = (slots: readonly FhirSlot[]): boolean =>
  slots.every(({ start }, index) => Date.parse(start) >= Date.parse(slots[index - 1]?.start ?? start));

/** All statuses except `free`. */
const TAKEN = 'busy,busy-unavailable,busy-tentative,entered-in-error';

/**
 * Finds free slots. After a timeout it tries another form of the search: HAPI on H2 needs minutes for a single status.
 */
export async function findInTime<T>({ client }: FhirContext, find: () => Promise<T>, call: Call): Promise<T> {
  const { ladder } = client;
  const knew = ladder.isTried('Slot', 'status:not');
  return find().catch(async (error: unknown) => {
    if (!isTooLate(error) || knew) throw error;
    // A server that supports `:not` finds no slot without a status. Some servers ignore unknown modifiers.
    const count = () => client.count('Slot', { 'status:not': `${TAKEN},free` }, call).catch(ignoreFailure);
    if (!ladder.isTried('Slot', 'status:not')) {
      if ((await count()) === 0) ladder.confirm('Slot', 'status:not');
      else ladder.notice('Slot', 'status:not');
    }
    return find();
  });
}

/**
 * True if one search is for all these schedules. A few schedules get a search each, which every server executes fast.
 */
export const canSearchTogether = ({ client: { ladder } }: FhirContext, ids: readonly string[]) =>
  ladder.isTried('Slot', 'status:not') ? ladder.obeys('Slot', 'status:not') : ids.length > 3;

/**
 * True if a search can have both ends of a time span. A search that is too long for a URL uses POST, which may name a
 * parameter once.
 */
const isBounded = (ids: readonly string[]): boolean => splitForUrl(ids).length <= 1;

const toStatus = ({ client }: FhirContext, { status }: SlotSearch): SearchQuery =>
  status && client.ladder.obeys('Slot', 'status:not') ? { 'status:not': TAKEN } : { status };

export const toQuery = (
  context: FhirContext,
  ids: readonly string[],
  search: SlotSearch,
  isShort = isBounded(ids),
) => ({
  schedule: ids.join(','),
  ...toStatus(context, search),
  start: isShort ? [`ge${search.from}`, `lt${search.until}`] : `ge${search.from}`,
});

/**
 * The offered slots, by start. A search for free slots drops others, because a server may ignore a bound or the status.
 */
export const keepOffered = (context: FhirContext, slots: readonly FhirSlot[], search: SlotSearch): FhirSlot[] =>
  slots
    .filter(({ start }) => Date.parse(start) >= Date.parse(search.from) && Date.parse(start) < Date.parse(search.until))
    .filter((slot) => {
      const facts = readSlotFacts(slot, context, search.serviceCodes);
      return findFlaw(facts) === undefined && (search.status === undefined || findHolder(facts) === undefined);
    })
    .toSorted(compareStarts);

/** Slots with the same start keep the server's order, because pages follow it. */
const compareStarts = (a: FhirSlot, b: FhirSlot): number => Date.parse(a.start) - Date.parse(b.start);

/**
 * The number of slots of the schedules that meet the criteria, past ones too. Undefined if the server does not count.
 */
export const countSlots = async ({ client }: FhirContext, ids: readonly string[], criteria: SearchQuery, call: Call) =>
  ids.length === 0 ? 0 : client.count('Slot', { schedule: ids.join(','), ...criteria }, call);
