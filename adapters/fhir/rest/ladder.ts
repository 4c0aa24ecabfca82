import { getCauseCode, TOO_LARGE } from '../../../src/http-client/failures.ts';
import { Failure } from '../../../src/ports/index.ts';
import { type ResourceType, resources } from '../schema/resources.ts';
import type { SearchQuery } from './query.ts';
import { listNamed } from './words.ts';

/** What FHIR R4 lets a server leave out. `_count` is the size of a page, `start` the width of a window of slots. */
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

/** Why a search does without a part: the server refuses it, fails over it, answers too much with it, or does not obey it. */
type Reason = 'refused' | 'failed' | 'too large' | 'ignored';

/** What a server was seen not to do. */
interface Lesson {
  readonly part: OptionalPart;
  readonly why: Reason;
  /** Of the answer that showed it, such as `HTTP_400`. */
  readonly code?: string | undefined;
  /** Milliseconds of the epoch. */
  readonly at: number;
  /** Most matches of a page, or days of a window. */
  readonly most?: number | undefined;
}

/** What was learned of searches of a type, for `doctor`. */
export interface LearnedPart extends Lesson {
  readonly type: string;
  readonly otherWay: string;
}

/** A search as it is asked for, which may be less than what was wanted. */
export interface AskedSearch {
  readonly query: SearchQuery;
  /** What was taken away for this search alone so far; `isNamed` where the answer says that it is at fault. */
  readonly steps: readonly (Lesson & { readonly isNamed: boolean })[];
}

/** The query with less; `most` where a part is made smaller. */
interface Lower {
  readonly query: SearchQuery;
  readonly most?: number;
}

interface Rung {
  readonly part: OptionalPart;
  /** After what the search is asked for without the part. */
  readonly on: readonly Reason[];
  /** Undefined where there is nothing to take away. */
  readonly lower: (query: SearchQuery, why: Reason, type: ResourceType, isAgain: boolean) => Lower | undefined;
  /** What serves in its place. */
  readonly otherWay: string;
}

/** Sizes of pages of which a server may take one that refuses a larger one. */
const SIZES = [200, 100, 50, 20, 10];
/** To what part of its size a page is brought that is too large; one that is still too large has one match. */
const SHRINKING = 5;

const DAY_MS = 86_400_000;
/** Fewest days of a window of slots; GP Connect takes 14. */
const LEAST_DAYS = 13;
/** Most days of one that had no end. */
const MOST_DAYS = 30;

/** Who has photos, of which a page may be too full. */
const photographed: readonly ResourceType[] = ['Patient', 'Practitioner'];

/** The elements that are read of a resource of this type, as `_elements` has them. */
export const formatElements = (type: ResourceType): string =>
  Object.keys(resources[type].shape)
    .filter((name) => name !== 'resourceType' && name !== 'id')
    .join(',');

/**
 * What is taken away, from the first to the last where the server does not name it. The way in the place of each is the
 * same whether the server refuses the part or ignores it.
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
    otherWay: 'resources are read whole, in smaller pages',
  },
  {
    part: '_include',
    on: ['refused', 'failed', 'too large'],
    lower: (query) => without(query, '_include', '_include:iterate'),
    otherWay: 'what is referred to is fetched by its ids',
  },
  {
    part: '_revinclude',
    on: ['refused'],
    lower: (query) => without(query, '_revinclude'),
    otherWay: 'one more search finds what refers to the matches',
  },
  {
    part: '_offset',
    on: ['refused'],
    lower: (query) => without(query, '_offset'),
    otherWay: 'all is read, and the page is cut out of it',
  },
  {
    part: '_total',
    on: ['refused'],
    lower: (query) => without(query, '_total'),
    otherWay: 'all is read and counted',
  },
  { part: '_sort', on: ['refused'], lower: (query) => without(query, '_sort'), otherWay: 'all is read and sorted' },
  {
    part: 'status:not',
    on: ['refused'],
    lower: () => undefined,
    otherWay: 'the free slots of each schedule are asked for alone',
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
    otherWay: 'shorter times are searched one after the other',
  },
  { part: 'bytes', on: [], lower: keep, otherWay: 'files are sent as a Binary in JSON' },
  {
    ...{ part: 'If-None-Exist', on: [], lower: keep },
    otherWay: 'creates that must happen once search before and after the create',
  },
  {
    ...{ part: 'atomic If-None-Exist', on: [], lower: keep },
    otherWay: 'creates that must happen once search after the create, and withdraw a twin',
  },
];

/** Of what is no search. */
function keep(): undefined {}

/** The days of a window of slots: infinitely many where it has no end, and none where there is no window. */
function measureDays(start: SearchQuery[string]): number {
  const [from, until] = [start ?? []].flat();
  if (!from?.startsWith('ge')) return 0;
  return until === undefined ? Number.POSITIVE_INFINITY : (toEpoch(until) - toEpoch(from)) / DAY_MS;
}

/** The bounds of a window, at most so many days apart. */
function cutWindow(start: SearchQuery[string], days: number): SearchQuery[string] {
  const [from = ''] = [start ?? []].flat();
  return measureDays(start) > days ? [from, `lt${new Date(toEpoch(from) + days * DAY_MS).toISOString()}`] : start;
}

const toEpoch = (bound: string): number => Date.parse(bound.slice(2));

function without(query: SearchQuery, ...names: readonly [string, ...string[]]): Lower | undefined {
  if (query[names[0]] === undefined) return undefined;
  return { query: Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name))) };
}

/** Milliseconds after which a part is asked for again: a server may have learned it. */
const FORGETTING_MS = 3_600_000;

/**
 * What FHIR makes optional is asked for. Where a server refuses it, the search is asked for without it, and so are those of
 * the same type for an hour; where the server accepts it and does not obey, `notice` has the same effect. The table `rungs`
 * says what serves in its place.
 */
export class Ladder {
  /** By the type, or by the kind of a search where its answers are too large; then by the part. */
  readonly #lessons = new Map<string, Map<OptionalPart, Lesson>>();
  /** Parts that the server was seen to obey, as `Type?part`, and when. */
  readonly #obeyed = new Map<string, number>();

  /** The search as the server was seen to take it. */
  begin(type: ResourceType, wanted: SearchQuery): AskedSearch {
    let query = wanted;
    for (const { part, lower } of rungs) {
      for (const lesson of this.#list(type, wanted, part)) query = apply(query, lesson, lower, type);
    }
    return { query, steps: [] };
  }

  /** What to ask for after this failure; undefined where less would not help. */
  lower(type: ResourceType, wanted: SearchQuery, asked: AskedSearch, error: unknown): AskedSearch | undefined {
    const why = readReason(error);
    if (!why || !(error instanceof Failure)) return undefined;
    const named = listNamed(error);
    const steps = rungs
      .filter(({ on }) => on.includes(why))
      .flatMap(({ part, lower }) => {
        const isKnown = this.#list(type, wanted, part).some((each) => each.why === why);
        const isAgain = isKnown || asked.steps.some((step) => step.part === part && step.why === why);
        // What was given up already is not asked for again, as the elements that a server refuses.
        const isRefused = part === '_elements' && why === 'too large' && this.#isRefused(type, part, asked);
        const next = isRefused ? undefined : lower(asked.query, why, type, isAgain);
        const lesson = { part, why, code: getCauseCode(error), at: Date.now(), most: next?.most };
        return next ? [{ ...next, lesson: { ...lesson, isNamed: named.includes(part) } }] : [];
      });
    const step = steps.find(({ lesson }) => lesson.isNamed) ?? steps[0];
    if (!step) return undefined;
    // What is too much for us is known at once; what a server refuses, once it takes the rest.
    if (why === 'too large') this.#keep(getKind(type, wanted), step.lesson);
    return { query: step.query, steps: [...asked.steps, step.lesson] };
  }

  /** Learns from a search that the server has answered: the last part that was taken away was at fault, and each that it named. */
  learn(type: ResourceType, { steps }: AskedSearch): void {
    const refused = steps.filter(({ why }) => why === 'refused');
    for (const step of refused) if (step.isNamed || step === refused.at(-1)) this.#keep(type, step);
  }

  /** Remembers a part that the server accepts and does not obey, or that it refuses by this failure. */
  notice(type: ResourceType, part: OptionalPart, refusal?: Failure): void {
    const why = refusal ? 'refused' : 'ignored';
    this.#keep(type, { part, why, at: Date.now(), code: refusal && getCauseCode(refusal) });
  }

  /** Remembers that the server was seen to obey. */
  confirm(type: ResourceType, part: OptionalPart): void {
    this.#obeyed.set(`${type}?${part}`, Date.now());
  }

  /** Whether the part is worth asking for: nothing speaks against it. */
  heeds(type: ResourceType, part: OptionalPart): boolean {
    return !this.#listOf(type).has(part);
  }

  /** Whether the server was seen to obey, or not to: it need not be tried. */
  isTried(type: ResourceType, part: OptionalPart): boolean {
    return this.obeys(type, part) || !this.heeds(type, part);
  }

  /** Whether the server was seen to obey. */
  obeys(type: ResourceType, part: OptionalPart): boolean {
    return this.#obeyed.has(`${type}?${part}`) && this.heeds(type, part);
  }

  /** All that the server was seen not to do, with the types. */
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

/** What is included makes a page large. */
const getKind = (type: ResourceType, { _include, _revinclude }: SearchQuery): string =>
  [type, _include, _revinclude].join('?');

function apply(query: SearchQuery, { part, why, most }: Lesson, lower: Rung['lower'], type: ResourceType): SearchQuery {
  if (part === 'start') return { ...query, start: cutWindow(query.start, most ?? 0) };
  if (part === '_count') return Number(query._count ?? 1) > (most ?? 1) ? { ...query, _count: String(most) } : query;
  return lower(query, why === 'too large' ? why : 'refused', type, false)?.query ?? query;
}

/** What a failed search says of what it asked for; undefined where it says nothing. A server whose database is away says 400, too. */
function readReason(error: unknown): Reason | undefined {
  if (!(error instanceof Failure)) return undefined;
  const code = getCauseCode(error) ?? '';
  if (code === TOO_LARGE) return 'too large';
  if (code === 'HTTP_501' || (error.kind === 'bad_answer' && /^HTTP_4(00|22)$/.test(code))) return 'refused';
  return code === 'HTTP_500' ? 'failed' : undefined;
}
