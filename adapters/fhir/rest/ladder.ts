import { getCauseCode, TOO_LARGE } from '../../../src/http-client/failures.ts';
import { Failure } from '../../../src/ports/index.ts';
import { type ResourceType, resources } from '../schema/resources.ts';
import type { SearchQuery } from './query.ts';
import { listNamed } from './words.ts';

/** The optional parts of FHIR R4 searches. `_count` is the page size, and `start` is the width of a window of slots. */
export type OptionalPart =
  | '_elements'
  | '_include'
  | '_revinclude'
  | '_offset'
  | '_total'
  | '_sort'
  | '_count'
  | 'status:not'
  | 'start'
  | 'bytes'
  | 'If-None-Exist'
  | 'atomic If-None-Exist';

/**
 * The reason for a search without a part: the server rejects it, fails with it, returns too much with it, or ignores
 * it.
 */
type Reason = 'refused' | 'failed' | 'too large' | 'ignored';

/** An observation that the server does not support a part. */
interface Lesson {
  readonly part: OptionalPart;
  readonly why: Reason;
  /** The code of the answer, e.g. `HTTP_400`. */
  readonly code?: string | undefined;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The maximum matches of a page, or days of a window. */
  readonly most?: number | undefined;
}

/** An observation for searches of a type, for `doctor`. */
export interface LearnedPart extends Lesson {
  readonly type: string;
  readonly otherWay: string;
}

/** A search as sent, which may be a reduced form of the requested one. */
export interface AskedSearch {
  readonly query: SearchQuery;
  /** The parts that were removed for this search only. `isNamed` if the answer names the part. */
  readonly steps: readonly (Lesson & { readonly isNamed: boolean })[];
}

/** A reduced query; `most` if a part was made smaller. */
interface Lower {
  readonly query: SearchQuery;
  readonly most?: number;
}

interface Rung {
  readonly part: OptionalPart;
  /** The reasons that lead to a search without the part. */
  readonly on: readonly Reason[];
  /** Undefined if there is nothing to remove. */
  readonly lower: (query: SearchQuery, why: Reason, type: ResourceType, isAgain: boolean) => Lower | undefined;
  /** The replacement of the part. */
  readonly otherWay: string;
}

/** Page sizes to try if a server rejects a larger one. */
const SIZES = [200, 100, 50, 20, 10];
/** The factor for reducing a page that is too large. The next step is a page with one match. */
const SHRINKING = 5;

const DAY_MS = 86_400_000;
/** The minimum days of a window of slots. GP Connect allows 14. */
const LEAST_DAYS = 13;
/** The maximum days of a window that had no end. */
const MOST_DAYS = 30;

/** Types with photos, which can make a page too large. */
const photographed: readonly ResourceType[] = ['Patient', 'Practitioner'];

/** The elements that the adapter reads from this type, for `_elements`. */
export const formatElements = (type: ResourceType): string =>
  Object.keys(resources[type].shape)
    .filter((name) => name !== 'resourceType' && name !== 'id')
    .join(',');

/**
 * The parts in the order of their removal, unless the server names one. The replacement of a part is the same for a
 * rejecting and an ignoring server.
 */
const rungs: readonly Rung[] = [
  {
    part: '_elements',
    on: ['refused', 'too large'],
    lower: (query, why, type) => {
      if (why === 'refused') return without(query, '_elements');
      const isTaken = query._elements !== undefined || !photographed.includes(type);
      return isTaken ? undefined : { query: { ...query, _elements: formatElements(type) } };
    },
    otherWay: 'resources are read completely, in smaller pages',
  },
  {
    part: '_include',
    on: ['refused', 'failed', 'too large'],
    lower: (query) => without(query, '_include', '_include:iterate'),
    otherWay: 'the referenced resources are fetched by their ids',
  },
  {
    part: '_revinclude',
    on: ['refused'],
    lower: (query) => without(query, '_revinclude'),
    otherWay: 'an additional search finds the resources that refer to the matches',
  },
  {
    part: '_offset',
    on: ['refused'],
    lower: (query) => without(query, '_offset'),
    otherWay: 'all rows are read, and the page is selected from them',
  },
  {
    part: '_total',
    on: ['refused'],
    lower: (query) => without(query, '_total'),
    otherWay: 'all rows are read and counted',
  },
  {
    part: '_sort',
    on: ['refused'],
    lower: (query) => without(query, '_sort'),
    otherWay: 'all rows are read and sorted',
  },
  {
    part: 'status:not',
    on: ['refused'],
    lower: () => undefined,
    otherWay: 'the free slots of each schedule are read separately',
  },
  {
    part: '_count',
    on: ['refused', 'too large'],
    lower: (query, why, _type, isAgain) => {
      const count = Number(query._count ?? 1);
      const smaller = isAgain ? 1 : Math.ceil(count / SHRINKING);
      const most = why === 'refused' ? SIZES.find((size) => size < count) : count > 1 ? smaller : undefined;
      return most === undefined ? undefined : { query: { ...query, _count: String(most) }, most };
    },
    otherWay: 'more and smaller pages are read',
  },
  {
    part: 'start',
    on: ['refused'],
    lower: ({ start, ...query }) => {
      const days = measureDays(start);
      const most = Math.max(LEAST_DAYS, Number.isFinite(days) ? Math.floor(days / 2) : MOST_DAYS);
      return days > LEAST_DAYS ? { query: { ...query, start: cutWindow(start, most) }, most } : undefined;
    },
    otherWay: 'shorter periods are searched one after another',
  },
  { part: 'bytes', on: [], lower: keep, otherWay: 'files are sent as a Binary in JSON' },
  {
    ...{ part: 'If-None-Exist', on: [], lower: keep },
    otherWay: 'unique creates search before and after the create',
  },
  {
    ...{ part: 'atomic If-None-Exist', on: [], lower: keep },
    otherWay: 'unique creates search after the create, and withdraw a duplicate',
  },
];

/** For parts that no search can drop. */
function keep(): undefined {}

/** The days of a window of slots. Infinity if it has no end, and 0 if there is no window. */
function measureDays(start: SearchQuery[string]): number {
  const [from, until] = [start ?? []].flat();
  if (!from?.startsWith('ge')) return 0;
  return until === undefined ? Number.POSITIVE_INFINITY : (toEpoch(until) - toEpoch(from)) / DAY_MS;
}

/** Limits the width of a window. */
function cutWindow(start: SearchQuery[string], days: number): SearchQuery[string] {
  const [from = ''] = [start ?? []].flat();
  return measureDays(start) > days ? [from, `lt${new Date(toEpoch(from) + days * DAY_MS).toISOString()}`] : start;
}

const toEpoch = (bound: string): number => Date.parse(bound.slice(2));

function without(query: SearchQuery, ...names: readonly [string, ...string[]]): Lower | undefined {
  if (query[names[0]] === undefined) return undefined;
  return { query: Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name))) };
}

/** Milliseconds after which a part is tried again: an update of the server may support it. */
const FORGETTING_MS = 3_600_000;

/**
 * The adaptation to optional parts of FHIR. The adapter first sends a search with all parts. If the server rejects a
 * part, the search and those of the same type omit it for an hour. `notice` has the same effect for a part that the
 * server accepts but ignores. The table `rungs` has the replacements.
 */
export class Ladder {
  /** By type, or by kind of search if its answers are too large; then by part. */
  readonly #lessons = new Map<string, Map<OptionalPart, Lesson>>();
  /** The parts that the server obeyed, as `Type?part`, with the time. */
  readonly #obeyed = new Map<string, number>();

  /** The search in the last form that the server accepted. */
  begin(type: ResourceType, wanted: SearchQuery): AskedSearch {
    let query = wanted;
    for (const { part, lower } of rungs) {
      for (const lesson of this.#list(type, wanted, part)) query = apply(query, lesson, lower, type);
    }
    return { query, steps: [] };
  }

  /** The reduced search after this failure. Undefined if a reduction would not help. */
  lower(type: ResourceType, wanted: SearchQuery, asked: AskedSearch, error: unknown): AskedSearch | undefined {
    const why = readReason(error);
    if (!why || !(error instanceof Failure)) return undefined;
    const named = listNamed(error);
    const steps = rungs
      .filter(({ on }) => on.includes(why))
      .flatMap(({ part, lower }) => {
        const isKnown = this.#list(type, wanted, part).some((each) => each.why === why);
        const isAgain = isKnown || asked.steps.some((step) => step.part === part && step.why === why);
        // A part that was removed before, such as rejected `_elements`, is not added again.
        const isRefused = part === '_elements' && why === 'too large' && this.#isRefused(type, part, asked);
        const next = isRefused ? undefined : lower(asked.query, why, type, isAgain);
        const lesson = { part, why, code: getCauseCode(error), at: Date.now(), most: next?.most };
        return next ? [{ ...next, lesson: { ...lesson, isNamed: named.includes(part) } }] : [];
      });
    const step = steps.find(({ lesson }) => lesson.isNamed) ?? steps[0];
    if (!step) return undefined;
    // A too large answer is an observation at once. A rejection becomes one when the server accepts the reduced search.
    if (why === 'too large') this.#keep(getKind(type, wanted), step.lesson);
    return { query: step.query, steps: [...asked.steps, step.lesson] };
  }

  /** Learns from an answered search: the server does not support the last removed part, nor the parts that it named. */
  learn(type: ResourceType, { steps }: AskedSearch): void {
    const refused = steps.filter(({ why }) => why === 'refused');
    for (const step of refused) if (step.isNamed || step === refused.at(-1)) this.#keep(type, step);
  }

  /** Records a part that the server ignores, or that it rejects with this failure. */
  notice(type: ResourceType, part: OptionalPart, refusal?: Failure): void {
    const why = refusal ? 'refused' : 'ignored';
    this.#keep(type, { part, why, at: Date.now(), code: refusal && getCauseCode(refusal) });
  }

  /** Records that the server obeys the part. */
  confirm(type: ResourceType, part: OptionalPart): void {
    this.#obeyed.set(`${type}?${part}`, Date.now());
  }

  /** True if there is no observation against the part. */
  heeds(type: ResourceType, part: OptionalPart): boolean {
    return !this.#listOf(type).has(part);
  }

  /** True if it is known whether the server obeys. */
  isTried(type: ResourceType, part: OptionalPart): boolean {
    return this.obeys(type, part) || !this.heeds(type, part);
  }

  /** True if the server was seen to obey. */
  obeys(type: ResourceType, part: OptionalPart): boolean {
    return this.#obeyed.has(`${type}?${part}`) && this.heeds(type, part);
  }

  /** All observations, with their types. */
  list(): LearnedPart[] {
    return [...this.#lessons.keys()].flatMap((key) =>
      [...this.#listOf(key).values()].map((lesson) => ({
        ...{ type: key.replace(/\?.*/, ''), ...lesson },
        otherWay: rungs.find(({ part }) => part === lesson.part)?.otherWay ?? '',
      })),
    );
  }

  #list(type: ResourceType, wanted: SearchQuery, part: OptionalPart): Lesson[] {
    return [type, getKind(type, wanted)].flatMap((key) => this.#listOf(key).get(part) ?? []);
  }

  #isRefused(type: ResourceType, part: OptionalPart, { steps }: AskedSearch): boolean {
    return !this.heeds(type, part) || steps.some((step) => step.part === part && step.why === 'refused');
  }

  #listOf(key: string): Map<OptionalPart, Lesson> {
    const lessons = this.#lessons.get(key) ?? new Map<OptionalPart, Lesson>();
    for (const [part, { at }] of lessons) if (Date.now() - at > FORGETTING_MS) lessons.delete(part);
    return lessons;
  }

  #keep(key: string, { part, why, code, at, most }: Lesson): void {
    const lessons = this.#listOf(key);
    const known = lessons.get(part)?.most ?? Number.POSITIVE_INFINITY;
    lessons.set(part, { part, why, code, at, most: most === undefined ? undefined : Math.min(most, known) });
    this.#lessons.set(key, lessons);
  }
}

/** Includes make a page large, so they define a kind of search. */
const getKind = (type: ResourceType, { _include, _revinclude }: SearchQuery): string =>
  [type, _include, _revinclude].join('?');

function apply(query: SearchQuery, { part, why, most }: Lesson, lower: Rung['lower'], type: ResourceType): SearchQuery {
  if (part === 'start') return { ...query, start: cutWindow(query.start, most ?? 0) };
  if (part === '_count') return Number(query._count ?? 1) > (most ?? 1) ? { ...query, _count: String(most) } : query;
  return lower(query, why === 'too large' ? why : 'refused', type, false)?.query ?? query;
}

/** The reason of a failed search. Undefined if it is unclear: a server without its database answers 400 too. */
function readReason(error: unknown): Reason | undefined {
  if (!(error instanceof Failure)) return undefined;
  const code = getCauseCode(error) ?? '';
  if (code === TOO_LARGE) return 'too large';
  if (code === 'HTTP_501' || (error.kind === 'bad_answer' && /^HTTP_4(00|22)$/.test(code))) return 'refused';
  return code === 'HTTP_500' ? 'failed' : undefined;
}
