import { badAnswer } from '../../../src/http-client/failures.ts';
import type { Call } from '../../../src/ports/index.ts';
import type { Reference } from '../schema/datatypes.ts';
import type { Resource, ResourceType } from '../schema/resources.ts';
import { listLeftOut, reportOmitted, toUnreadable, type UnreadableResource } from './omitted.ts';

export interface SearchPage<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** Under `Type/id`. */
  readonly included: ReadonlyMap<string, Resource>;
  /** Matches and included resources in which an element that this adapter uses does not conform to FHIR. */
  readonly unreadable: readonly UnreadableResource[];
  /** How much of the page were photos, which nobody is shown: those of practitioners, who are kept for long, are let go. */
  readonly photoBytes: number;
  readonly total: number | undefined;
  readonly next: string | undefined;
}

/** In what a search was asked for less than was wanted. */
export interface Shortened {
  readonly lacks?: ReadonlySet<string>;
  readonly windowEnd?: string | undefined;
}

/** What a search found, all its pages together. */
export class SearchResult<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** As the server counted, when it was asked to; undefined where it counted a shorter window than what was wanted. */
  readonly total: number | undefined;
  /** Whether the server has further pages, that were not asked for. */
  readonly more: boolean;
  /** The parameters that were asked for and that the server did not take. */
  readonly lacks: ReadonlySet<string>;
  /** The first moment behind the window of slots that was asked for, where it is shorter than what was wanted. */
  readonly windowEnd: string | undefined;
  readonly #type: T;
  readonly #included: Map<string, Resource>;
  readonly #unreadable: UnreadableResource[];

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

  /** Without what nobody is to see. */
  without(isHidden: (resource: Resource) => boolean): SearchResult<T> {
    if (![...this.matches, ...this.#included.values()].some(isHidden)) return this;
    const included = new Map([...this.#included].filter(([, each]) => !isHidden(each)));
    const matches = this.matches.filter((each) => !isHidden(each));
    return this.#with(matches, included);
  }

  /** The same with its matches in this order. */
  toSorted(compare: (one: Resource<T>, other: Resource<T>) => number): SearchResult<T> {
    return this.#with(this.matches.toSorted(compare), this.#included);
  }

  #with(matches: readonly Resource<T>[], included: ReadonlyMap<string, Resource>): SearchResult<T> {
    const next = this.more ? '' : undefined;
    const { total, unreadable } = this;
    return new SearchResult(this.#type, [{ matches, included, unreadable, total, next, photoBytes: 0 }], this);
  }

  /** All of these together, as one search would have found them. */
  static join<T extends ResourceType>(type: T, results: readonly SearchResult<T>[]): SearchResult<T> {
    const rest = { total: undefined, next: undefined, photoBytes: 0 };
    return new SearchResult(
      type,
      results.map((each) => ({ ...each, ...rest, unreadable: each.unreadable, included: each.#included })),
    );
  }

  /** What cannot be read of the matches, if the search allowed for it, and of what came along. */
  get unreadable(): readonly UnreadableResource[] {
    return this.#unreadable;
  }

  /** The elements that were left out of what was found. */
  get leftOut(): UnreadableResource[] {
    return [...this.matches, ...this.#included.values()].flatMap(listLeftOut);
  }

  /** The match with this id; undefined when there is none; throws bad_answer when it cannot be read. */
  find(id: string): Resource<T> | undefined {
    const found = this.matches.find((match) => match.id === id);
    if (!found && this.has(`${this.#type}/${id}`)) throw badAnswer('unexpected_resource', this.#type);
    return found;
  }

  /** The resource that the reference means, as far as it came along. */
  resolve<U extends ResourceType>(reference: Reference | undefined, type: U): Resource<U> | undefined {
    const key = reference?.reference?.replace(/\/_history\/.*$/, '');
    const resource = key === undefined ? undefined : this.#included.get(key);
    return resource && isOfType(resource, type) ? resource : undefined;
  }

  /** All of the type that came along, matches or not. */
  list<U extends ResourceType>(type: U): Resource<U>[] {
    const all: readonly Resource[] = [...this.matches, ...this.#included.values()];
    return all.filter((each) => isOfType(each, type));
  }

  /** Whether any of the type came along. */
  hasIncluded(type: ResourceType): boolean {
    return [...this.#included.keys()].some((key) => key.startsWith(`${type}/`));
  }

  /** Adds what a server left out of its includes. */
  add<U extends ResourceType>(other: SearchResult<U>): void {
    for (const each of other.matches) this.#included.set(`${each.resourceType}/${each.id}`, each);
    for (const each of other.unreadable) this.#unreadable.push(each);
  }

  /** Whether it came along, readable or not. */
  has(reference: string): boolean {
    return this.#included.has(reference) || this.#unreadable.some(({ type, id }) => `${type}/${id}` === reference);
  }
}

const isOfType = <T extends ResourceType>(resource: Resource, type: T): resource is Resource<T> =>
  resource.resourceType === type;

/** Makes rows of a list of these matches, and tells the call of whatever was found and cannot be read or shown. */
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
  reportOmitted([...omitted, ...found.leftOut], call);
  return rows.flatMap((made) => (made ? [made.row] : []));
}
