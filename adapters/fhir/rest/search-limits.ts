import { Failure } from '../../../src/ports/index.ts';
import { getCauseCode, TOO_LARGE } from '../../../src/toolkit/http-client/failures.ts';
import { type ResourceType, resources } from '../schema/resources.ts';
import type { Query } from './url.ts';

/** Sizes of pages of which a server may take one that refuses a larger one. */
const SIZES = [200, 100, 50, 20, 10];

/** All elements that are read of any resource: a server applies them to what it includes, too. */
export const READ_ELEMENTS = [...new Set(Object.values(resources).flatMap(({ shape }) => Object.keys(shape)))]
  .filter((name) => name !== 'resourceType' && name !== 'id')
  .join(',');

/** A search as it is asked for, which may be less than what was wanted. */
export interface Attempt {
  readonly query: Query;
  /** Whether what is included has to be fetched afterwards, since the server refuses to include it. */
  readonly isBare?: boolean;
  readonly isRefused?: boolean;
}

/** What a server has shown to be too much for it, or for us; searches heed it from then on. */
export class SearchLimits {
  #count = Number.POSITIVE_INFINITY;
  /** By the kind of search: the elements that are asked for, and the matches of a page that fit into an answer. */
  readonly #fitting = new Map<string, Pick<Query, '_elements'> & { readonly count: number }>();

  /** Most matches that a page may be asked to have; undefined where the server has refused none. */
  get count(): number | undefined {
    return Number.isFinite(this.#count) ? this.#count : undefined;
  }

  /** The search as the server was seen to take it. */
  begin(type: ResourceType, query: Query): Attempt {
    const fitting = this.#fitting.get(getKind(type, query));
    const most = Math.min(this.#count, fitting?.count ?? this.#count);
    const { _elements = fitting?._elements } = query;
    return { query: { ...query, _elements, ...(getCount(query) > most && { _count: String(most) }) } };
  }

  /** What to ask for after this failure; undefined where less would not help. */
  lower(type: ResourceType, wanted: Query, last: Attempt, error: unknown): Attempt | undefined {
    const code = error instanceof Failure ? getCauseCode(error) : undefined;
    const { query, isBare = false, isRefused = false } = last;
    const count = getCount(query);
    const isRefusal = code === 'HTTP_400' || code === 'HTTP_422';
    const { _elements: _, ...whole } = query;
    const hasAdded = query._elements !== wanted._elements;
    if (code === TOO_LARGE && query._elements === undefined) {
      return this.#fit(type, { ...last, query: { ...query, _elements: READ_ELEMENTS } });
    }
    if ((code === TOO_LARGE || (isRefusal && hasAdded)) && count > 1) {
      const smaller = { ...(code === TOO_LARGE ? query : whole), _count: String(Math.ceil(count / 5)) };
      return this.#fit(type, { ...last, query: smaller });
    }
    if ((isRefusal || code === 'HTTP_500') && query._include !== undefined && !isRefused) {
      const { _include, '_include:iterate': __, ...bare } = query;
      return { query: bare, isBare: true, isRefused: true };
    }
    const size = SIZES.find((each) => each < count);
    if (!isRefusal || size === undefined) return undefined;
    return { query: { ...(isBare ? wanted : query), _count: String(size) }, isRefused: true };
  }

  /** Learns from a search that the server has answered. */
  learn({ query, isRefused, isBare }: Attempt): void {
    if (isRefused && !isBare) this.#count = Math.min(this.#count, getCount(query));
  }

  #fit(type: ResourceType, attempt: Attempt): Attempt {
    const { query } = attempt;
    this.#fitting.set(getKind(type, query), { _elements: query._elements, count: getCount(query) });
    return attempt;
  }
}

/** What is included makes a page large. */
const getKind = (type: ResourceType, { _include, _revinclude }: Query): string =>
  [type, _include, _revinclude].join('?');

/** A page has one match at least, whatever is asked for. */
const getCount = ({ _count }: Query): number => Number(_count ?? 1);
