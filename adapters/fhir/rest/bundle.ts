import { z } from 'zod';
import { badAnswer } from '../../http-client/failures.ts';
import { isObject } from '../../http-client/json.ts';
import type { Reference } from '../schema/datatypes.ts';
import { type Resource, type ResourceType, resources } from '../schema/resources.ts';
import { parseLocation, parseResource } from './decode.ts';

const searchset = z.looseObject({
  resourceType: z.literal('Bundle'),
  type: z.literal('searchset'),
  total: z.number().int().nonnegative().optional(),
  link: z.array(z.looseObject({ relation: z.string(), url: z.string() })).optional(),
  entry: z
    .array(
      z.looseObject({
        resource: z.looseObject({ resourceType: z.string() }).optional(),
        search: z.looseObject({ mode: z.string().optional() }).optional(),
      }),
    )
    .optional(),
});

export interface SearchPage<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** Under `Type/id`. */
  readonly included: ReadonlyMap<string, Resource>;
  readonly total: number | undefined;
  readonly next: string | undefined;
}

/**
 * One page of a search for resources of that type.
 * @throws Failure bad_answer when it is not one, or when a resource in it is not what its type says.
 */
export function parseSearchPage<T extends ResourceType>(type: T, body: unknown): SearchPage<T> {
  const { data: bundle } = searchset.safeParse(body);
  if (!bundle) throw badAnswer('not_a_searchset');
  const matches: Resource<T>[] = [];
  const included = new Map<string, Resource>();
  for (const { resource, search } of bundle.entry ?? []) {
    if (search?.mode === 'outcome' || resource?.resourceType === 'OperationOutcome') continue;
    if (!resource) throw badAnswer('entry_without_resource');
    if (resource.resourceType === type && search?.mode !== 'include') matches.push(parseResource(type, resource));
    else if (search?.mode === 'match') throw badAnswer('match_of_another_type');
    else if (isKnown(resource.resourceType)) {
      const known = parseResource(resource.resourceType, resource);
      included.set(`${known.resourceType}/${known.id}`, known);
    }
  }
  const next = bundle.link?.find(({ relation }) => relation === 'next')?.url;
  return { matches, included, total: bundle.total, next };
}

const isKnown = (type: string): type is ResourceType => Object.hasOwn(resources, type);

/** What a search found, on all the pages that were read. */
export class SearchResult<T extends ResourceType> {
  readonly matches: readonly Resource<T>[];
  /** As the server counted, when it was asked to. */
  readonly total: number | undefined;
  /** Whether the server has further pages, which were not read. */
  readonly more: boolean;
  readonly #included: Map<string, Resource>;

  constructor(pages: readonly SearchPage<T>[]) {
    const unique = new Map(pages.flatMap(({ matches }) => matches.map((match) => [match.id, match] as const)));
    this.matches = [...unique.values()];
    this.total = pages[0]?.total;
    this.more = pages.at(-1)?.next !== undefined;
    this.#included = new Map(pages.flatMap(({ included }) => [...included]));
  }

  /** The resource that the reference points to, if it was included. */
  resolve<U extends ResourceType>(reference: Reference | undefined, type: U): Resource<U> | undefined {
    const key = reference?.reference?.replace(/\/_history\/.*$/, '');
    const resource = key === undefined ? undefined : this.#included.get(key);
    return resource && isOfType(resource, type) ? resource : undefined;
  }

  /** Adds what a server left out of its includes. */
  add(others: readonly Resource[]): void {
    for (const each of others) this.#included.set(`${each.resourceType}/${each.id}`, each);
  }

  has(reference: string): boolean {
    return this.#included.has(reference);
  }
}

const isOfType = <T extends ResourceType>(resource: Resource, type: T): resource is Resource<T> =>
  resource.resourceType === type;

const transactionResponse = z.looseObject({
  resourceType: z.literal('Bundle'),
  type: z.enum(['transaction-response', 'batch-response']),
  entry: z.array(
    z.looseObject({
      resource: z.unknown().optional(),
      response: z.looseObject({
        status: z.string().regex(/^\d{3}/),
        location: z.string().optional(),
        outcome: z.unknown().optional(),
      }),
    }),
  ),
});

export interface EntryResult {
  readonly status: number;
  /** The `Type/id` of what was written, when the server says so. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly outcome: unknown;
}

/**
 * The result of each entry of a transaction, in the order of the entries.
 * @throws Failure bad_answer when there are not as many results as entries.
 */
export function parseTransactionResponse(body: unknown, sent: number): EntryResult[] {
  const { data: bundle } = transactionResponse.safeParse(body);
  if (bundle?.entry.length !== sent) throw badAnswer('not_a_transaction_response');
  return bundle.entry.map(({ response, resource }) => {
    const { type, id } = parseLocation(response.location);
    const known = isObject(resource) ? resource : {};
    return {
      status: Number(response.status.slice(0, 3)),
      type: type ?? (typeof known.resourceType === 'string' ? known.resourceType : undefined),
      id: id ?? (typeof known.id === 'string' ? known.id : undefined),
      outcome: response.outcome ?? resource,
    };
  });
}
