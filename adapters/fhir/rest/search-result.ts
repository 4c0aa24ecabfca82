import { badAnswer } from '../../../src/http-client/failures.ts';
import type { Call } from '../../../src/ports/index.ts';
import type { Reference } from '../schema/datatypes.ts';
import type { Resource, ResourceType } from '../schema/resources.ts';
import { listDropped, reportOmitted, toUnreadable, type UnreadableResource } from './omitted.ts';

export interface SearchPage<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** By `Type/id`. */
  readonly included: ReadonlyMap<string, Resource>;
  /** Matches and included resources in which an element that this adapter uses does not conform to FHIR. */
  readonly unreadable: readonly UnreadableResource[];
  /**
   * The number of bytes of photos on the page, which are dropped. Practitioners are cached for long, so their photos
   * must not stay in memory.
   */
  readonly photoBytes: number;
  readonly total: number | undefined;
  readonly next: string | undefined;
}

/** The reductions of a search. */
export interface Shortened {
  readonly lacks?: ReadonlySet<string>;
  readonly windowEnd?: string | undefined;
}

/** The result of a search over all its pages. */
export class SearchResult<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** The server's count, if requested. Undefined if it counted a shortened window. */
  readonly total: number | undefined;
  /** True if the server has further pages that were not requested. */
  readonly more: boolean;
  /** The requested parameters that the server does not support. */
  readonly lacks: ReadonlySet<string>;
  /** The end of a shortened window of slots. */
  readonly windowEnd: string | undefined;
  readonly #type: T;
  readonly #included: Map<string, Resource>;
  readonly #unreadable: UnreadableResource[];
  /** The hidden resources that were dropped, by `Type/id`. */
  readonly #hidden = new Map<string, Resource>();

  constructor(type: T, pages: readonly SearchPage<T>[], { lacks = new Set<string>(), windowEnd }: Shortened = {}) {
    const unique = new Map(pages.flatMap(({ matches }) => matches.map((match) => [match.id, match] as const)));
    this.matches = [...unique.values()];
    this.total = windowEnd === undefined ? pages[0]?.total : undefined;
    this.more = pages.at(-1)?.next !== undefined;
    this.lacks = lacks;
    this.windowEnd = windowEnd;
    this.#type = type;
    this.#included = new Map(pages.flatMap(({ included }) => [...included]));
    this.#unreadable = pages.flatMap(({ unreadable }) => unreadable);
  }

  /** Drops hidden resources. */
  without(isHidden: (resource: Resource) => boolean): SearchResult<T> {
    const hidden = [...this.matches, ...this.#included.values()].filter(isHidden);
    if (hidden.length === 0) return this;
    const included = new Map([...this.#included].filter(([, each]) => !isHidden(each)));
    const matches = this.matches.filter((each) => !isHidden(each));
    const result = this.#with(matches, included);
    result.#noteHidden(hidden);
    return result;
  }

  /** The same result with its matches in this order. */
  toSorted(compare: (one: Resource<T>, other: Resource<T>) => number): SearchResult<T> {
    return this.#with(this.matches.toSorted(compare), this.#included);
  }

  #with(matches: readonly Resource<T>[], included: ReadonlyMap<string, Resource>): SearchResult<T> {
    const next = this.more ? '' : undefined;
    const { total, unreadable } = this;
    const result = new SearchResult(this.#type, [{ matches, included, unreadable, total, next, photoBytes: 0 }], this);
    result.#noteHidden(this.#hidden.values());
    return result;
  }

  /** Joins results as if they came from one search. */
  static join<T extends ResourceType>(type: T, results: readonly SearchResult<T>[]): SearchResult<T> {
    const rest = { total: undefined, next: undefined, photoBytes: 0 };
    const joined = new SearchResult(
      type,
      results.map((each) => ({ ...each, ...rest, unreadable: each.unreadable, included: each.#included })),
    );
    for (const each of results) joined.#noteHidden(each.#hidden.values());
    return joined;
  }

  /** The unreadable matches of a lenient search, and unreadable included resources. */
  get unreadable(): readonly UnreadableResource[] {
    return this.#unreadable;
  }

  /** The elements that were dropped on reading. */
  get dropped(): UnreadableResource[] {
    return [...this.matches, ...this.#included.values()].flatMap(listDropped);
  }

  /** The match with this id. Undefined if there is none. Throws bad_answer if it cannot be read. */
  find(id: string): Resource<T> | undefined {
    const found = this.matches.find((match) => match.id === id);
    if (!found && this.has(`${this.#type}/${id}`)) throw badAnswer('unexpected_resource', this.#type);
    return found;
  }

  /** The referenced resource, if the result has it. */
  resolve<U extends ResourceType>(reference: Reference | undefined, type: U): Resource<U> | undefined {
    const key = reference?.reference?.replace(/\/_history\/.*$/, '');
    const resource = key === undefined ? undefined : this.#included.get(key);
    return resource && isOfType(resource, type) ? resource : undefined;
  }

  /** All resources of the type, matches or included. */
  list<U extends ResourceType>(type: U): Resource<U>[] {
    const all: readonly Resource[] = [...this.matches, ...this.#included.values()];
    return all.filter((each) => isOfType(each, type));
  }

  /** True if the result has any resource of the type. */
  hasIncluded(type: ResourceType): boolean {
    return [...this.#included.keys()].some((key) => key.startsWith(`${type}/`));
  }

  /** Adds resources that the server did not include. */
  add<U extends ResourceType>(other: SearchResult<U>): void {
    for (const each of other.matches) this.#included.set(`${each.resourceType}/${each.id}`, each);
    for (const each of other.unreadable) this.#unreadable.push(each);
    this.#noteHidden(other.#hidden.values());
  }

  #noteHidden(resources: Iterable<Resource>): void {
    for (const each of resources) this.#hidden.set(`${each.resourceType}/${each.id}`, each);
  }

  /** True if the server has such a resource of the type, but it is hidden. */
  hidesAny<U extends ResourceType>(type: U, test: (resource: Resource<U>) => boolean): boolean {
    return [...this.#hidden.values()].some((each) => isOfType(each, type) && test(each));
  }

  /** True if the server has the resource, but it is hidden. */
  hides(reference: string): boolean {
    return this.#hidden.has(reference);
  }

  /** True if the result has the resource, readable or not. */
  has(reference: string): boolean {
    return this.#included.has(reference) || this.#unreadable.some(({ type, id }) => `${type}/${id}` === reference);
  }
}

const isOfType = <T extends ResourceType>(resource: Resource, type: T): resource is Resource<T> =>
  resource.resourceType === type;

/** Converts the matches to rows of a list, and reports all omissions to the call. */
export async function toRows<T extends ResourceType, R>(
  found: SearchResult<T>,
  matches: readonly Resource<T>[],
  toRow: (match: Resource<T>) => R | Promise<R>,
  call: Call,
): Promise<R[]> {
  const omitted = [...found.unreadable];
  const rows = await Promise.all(
    matches.map(async (match) => {
      try {
        return { row: await toRow(match) };
      } catch (error) {
        omitted.push(toUnreadable(error, match));
        return undefined;
      }
    }),
  );
  reportOmitted([...omitted, ...found.dropped], call);
  return rows.flatMap((made) => (made ? [made.row] : []));
}
