import { badAnswer } from '../../src/http-client/failures.ts';
import type { Call } from '../../src/ports/index.ts';
import { Cached } from '../../src/toolkit/cached.ts';
import { ignoreFailure } from '../../src/toolkit/failures.ts';
import type { FhirClient } from './rest/client.ts';
import { reportOmitted } from './rest/omitted.ts';
import { formatToken, type SearchQuery } from './rest/query.ts';
import type { SearchResult } from './rest/search-result.ts';
import type { ServerCall } from './rest/transport.ts';
import { compareAge, listAddresses, parseReferenceId, type Reference } from './schema/datatypes.ts';
import type { Resource, ResourceType } from './schema/resources.ts';
import { type Codes, hl7 } from './schema/terminology.ts';

/** The page size for the catalog. */
export const CATALOGUE_PAGE = 200;

export interface PartSize {
  readonly type: ResourceType;
  readonly size: number;
}

export interface CatalogueOptions {
  /** Milliseconds for which a part is fresh; 0 reads it at each use. */
  readonly ttlMs: number;
  /** Further milliseconds for which a stale part is used if it cannot be read. */
  readonly staleMs: number;
  /** The time limit in milliseconds for reading one part. */
  readonly timeoutMs: number;
}

/** Included resources. Resources that the server does not include are fetched afterwards. */
interface Include<T extends ResourceType> {
  /** The search parameter of the reference. */
  readonly parameter: string;
  readonly targets: readonly ResourceType[];
  readonly list: (match: Resource<T>) => readonly (Reference | undefined)[];
}

/** The search for a part of the catalog. */
interface PartSearch<T extends ResourceType> {
  readonly type: T;
  readonly includes: readonly Include<T>[];
  readonly criteria: SearchQuery;
}

/** One part of the catalog, read by one search. */
class CataloguePart<T extends ResourceType> {
  readonly #client: FhirClient;
  readonly #search: PartSearch<T>;
  readonly #kept: { readonly isStale: boolean; get(call: ServerCall): Promise<SearchResult<T>> };

  constructor(client: FhirClient, search: PartSearch<T>, { ttlMs, staleMs, timeoutMs }: CatalogueOptions) {
    this.#client = client;
    this.#search = search;
    const load = (call: ServerCall) => this.#load(call);
    this.#kept =
      ttlMs === 0
        ? { get: load, isStale: false }
        : new Cached(load, { ttlMs: () => ttlMs, staleMs: () => staleMs, timeoutMs });
  }

  /** True if the part has expired and cannot be read again. */
  get isStale(): boolean {
    return this.#kept.isStale;
  }

  /** Returns the readable resources. Each call reports the unreadable ones anew. */
  async get(call: Call): Promise<SearchResult<T>> {
    const found = await this.#kept.get(call);
    reportOmitted([...found.unreadable, ...found.dropped], call);
    return found;
  }

  /** The number of resources by the server's count. Undefined if the server does not count. */
  async measure(call: ServerCall): Promise<PartSize | undefined> {
    const { type, criteria } = this.#search;
    const size = await this.#client.count(type, criteria, call).catch(ignoreFailure);
    return size === undefined ? undefined : { type, size };
  }

  /** References to resources of the included types that the server does not have. */
  async listDangling(call: Call): Promise<string[]> {
    const { type, includes } = this.#search;
    const found = await this.#kept.get(call);
    const isDangling = (reference: Reference | undefined, target: ResourceType) =>
      new RegExp(`(^|/)${target}/[^/]+(/_history/[^/]+)?$`).test(reference?.reference ?? '') &&
      !found.has(`${target}/${parseReferenceId(reference, target)}`);
    const dangling = found.matches.filter((match) =>
      includes.some(({ targets, list }) =>
        list(match).some((each) => targets.some((target) => isDangling(each, target))),
      ),
    );
    return dangling.map(({ id }) => `${type}/${id}`);
  }

  async #load(call: ServerCall): Promise<SearchResult<T>> {
    const { type, includes, criteria } = this.#search;
    const _include = includes.map(({ parameter }) => `${type}:${parameter}`);
    const query = { ...criteria, _include, _sort: '_lastUpdated', _count: String(CATALOGUE_PAGE) };
    // A server may ignore the order. The first of several roles is shown, so the order matters.
    const found = (await this.#client.search(type, query, call, { lenient: true })).toSorted(compareAge);
    const [first] = found.unreadable.filter((each) => each.type === type);
    // An empty list would state that the institution has no such records.
    if (first && found.matches.length === 0) throw badAnswer('unexpected_resource', `${type}/${first.element}`);
    for (const { targets, list } of includes) {
      const references = found.matches.flatMap(list);
      for (const target of targets) await this.#client.fetchMissing(found, target, references, call);
    }
    return found;
  }
}

export type Catalogue = ReturnType<typeof createCatalogue>;

/**
 * The institution's own records, read completely and cached. Stale parts are used while the server does not answer.
 * Inactive records are included, because servers disagree on whether `active=true` finds resources without `active`.
 */
export function createCatalogue(client: FhirClient, codes: Codes, options: CatalogueOptions) {
  const readAll = <T extends ResourceType>(type: T, includes: readonly Include<T>[] = [], criteria: SearchQuery = {}) =>
    new CataloguePart(client, { type, includes, criteria }, options);
  const parts = {
    locations: readAll('Location', [
      { parameter: 'organization', targets: ['Organization'], list: (location) => [location.managingOrganization] },
    ]),
    roles: readAll('PractitionerRole', [
      { parameter: 'practitioner', targets: ['Practitioner'], list: (role) => [role.practitioner] },
      { parameter: 'location', targets: ['Location'], list: (role) => role.location ?? [] },
    ]),
    practitioners: readAll('Practitioner'),
    services: readAll('HealthcareService', [
      { parameter: 'location', targets: ['Location'], list: (service) => service.location ?? [] },
    ]),
    schedules: readAll('Schedule', [
      { parameter: 'actor', targets: ['Practitioner', 'PractitionerRole', 'Location'], list: ({ actor }) => actor },
    ]),
    carriers: readAll('Organization', [], {
      type: listAddresses(hl7.organizationType)
        .map((each) => formatToken(each, 'ins'))
        .join(','),
    }),
    plans: readAll('InsurancePlan'),
    /** Contracts between institutions and carriers. */
    affiliations: readAll('OrganizationAffiliation'),
    ticketTypes: readAll('Questionnaire', [], {
      context: formatToken(codes.system('questionnaire-kind'), 'ticket-type'),
    }),
  };
  const all = Object.values(parts);
  return {
    ...parts,

    /** The number of resources of each part. Parts that the server does not count are left out. */
    measure: async (call: ServerCall): Promise<readonly PartSize[]> =>
      (await Promise.all(all.map((part) => part.measure(call)))).filter((size) => size !== undefined),

    /** References of all parts to resources that the server does not have. */
    listDangling: async (call: Call): Promise<string[]> =>
      (await Promise.all(all.map((part) => part.listDangling(call)))).flat(),

    /** True if a part has expired and cannot be read again. */
    get isStale(): boolean {
      return all.some((part) => part.isStale);
    },
  };
}
