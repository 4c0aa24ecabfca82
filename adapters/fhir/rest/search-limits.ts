import { getCauseCode, TOO_LARGE } from '../../../src/http-client/failures.ts';
import { Failure } from '../../../src/ports/index.ts';
import { type ResourceType, resources } from '../schema/resources.ts';
import type { SearchQuery } from './query.ts';

/** Sizes of pages of which a server may take one that refuses a larger one. */
const SIZES = [200, 100, 50, 20, 10];
/** To what part of its size a page is brought that is too large; one that is still too large has one match. */
const SHRINKING = 5;

/** Who has photos, of which a page may be too full. */
const photographed: readonly ResourceType[] = ['Patient', 'Practitioner'];

/** The elements that are read of a resource of this type, as `_elements` has them. */
export const formatElements = (type: ResourceType): string =>
  Object.keys(resources[type].shape)
    .filter((name) => name !== 'resourceType' && name !== 'id')
    .join(',');

/** How the pages of a search fit into an answer: without what is included, by their elements, with so many matches. */
interface Fit {
  readonly elements?: 'asked' | 'refused';
  readonly isBare?: boolean;
  readonly count?: number;
}

/** A search as it is asked for, which may be less than what was wanted. */
export interface AskedSearch {
  readonly query: SearchQuery;
  readonly fit: Fit;
  /** What the server has refused of it so far. */
  readonly refused?: 'includes' | 'count';
}

/** What a server has shown to be too much for it, or for us; searches heed it from then on. */
export class SearchLimits {
  #count = Number.POSITIVE_INFINITY;
  readonly #fits = new Map<string, Fit>();

  /** Most matches that a page may be asked to have; undefined where the server has refused none. */
  get count(): number | undefined {
    return Number.isFinite(this.#count) ? this.#count : undefined;
  }

  /** The search as the server was seen to take it. */
  begin(type: ResourceType, wanted: SearchQuery): AskedSearch {
    const fit = this.#fits.get(getKind(type, wanted)) ?? {};
    return { query: this.#apply(type, wanted, fit), fit };
  }

  /** What to ask for after this failure; undefined where less would not help. */
  lower(
    type: ResourceType,
    wanted: SearchQuery,
    { query, fit, refused }: AskedSearch,
    error: unknown,
  ): AskedSearch | undefined {
    if (!(error instanceof Failure)) return undefined;
    const code = getCauseCode(error);
    // A server whose database is away says 400, too.
    const isRefusal = error.kind === 'bad_answer' && (code === 'HTTP_400' || code === 'HTTP_422');
    const refusesElements = isRefusal && fit.elements === 'asked';
    if (code === TOO_LARGE || refusesElements) {
      const smaller = shrink(type, wanted, query, refusesElements ? { ...fit, elements: 'refused' } : fit);
      if (!smaller) return undefined;
      this.#fits.set(getKind(type, wanted), smaller);
      return { query: this.#apply(type, wanted, smaller), fit: smaller };
    }
    if ((isRefusal || code === 'HTTP_500') && query._include !== undefined && refused === undefined) {
      return { query: removeIncludes(query), fit, refused: 'includes' };
    }
    const size = SIZES.find((each) => each < getCount(query));
    if (!isRefusal || size === undefined) return undefined;
    return { query: { ...this.#apply(type, wanted, fit), _count: String(size) }, fit, refused: 'count' };
  }

  /** Learns from a search that the server has answered. */
  learn({ query, refused }: AskedSearch): void {
    if (refused === 'count') this.#count = Math.min(this.#count, getCount(query));
  }

  #apply(
    type: ResourceType,
    wanted: SearchQuery,
    { elements, isBare = false, count = Number.POSITIVE_INFINITY }: Fit,
  ): SearchQuery {
    const most = Math.min(count, this.#count);
    return {
      ...(isBare ? removeIncludes(wanted) : wanted),
      ...(elements === 'asked' && { _elements: formatElements(type) }),
      ...(getCount(wanted) > most && { _count: String(most) }),
    };
  }
}

/** Nothing beside the matches, then fewer elements of people, who are written only when whole, then smaller pages. */
function shrink(type: ResourceType, wanted: SearchQuery, query: SearchQuery, fit: Fit): Fit | undefined {
  if (!fit.isBare && wanted._include !== undefined) return { ...fit, isBare: true };
  const hasElements = (fit.elements ?? wanted._elements) !== undefined;
  if (!hasElements && photographed.includes(type)) return { ...fit, elements: 'asked' };
  const count = getCount(query);
  return count > 1 ? { ...fit, count: fit.count === undefined ? Math.ceil(count / SHRINKING) : 1 } : undefined;
}

const removeIncludes = ({ _include, '_include:iterate': _, ...rest }: SearchQuery): SearchQuery => rest;

/** What is included makes a page large. */
const getKind = (type: ResourceType, { _include, _revinclude }: SearchQuery): string =>
  [type, _include, _revinclude].join('?');

/** A page has one match at least, whatever is asked for. */
const getCount = ({ _count }: SearchQuery): number => Number(_count ?? 1);
