import { type Call, Failure } from '../../src/ports/index.ts';
import { Cached } from '../../src/toolkit/cached.ts';
import { badAnswer } from '../../src/toolkit/http-client/failures.ts';
import type { Client } from './rest/client.ts';
import type { SearchResult } from './rest/search-result.ts';
import type { Caller } from './rest/transport.ts';
import { reportOmitted } from './rest/unreadable.ts';
import { formatToken, type Query } from './rest/url.ts';
import type { Reference } from './schema/datatypes.ts';
import type { Resource, ResourceType } from './schema/resources.ts';
import { type Codes, hl7 } from './schema/terminology.ts';

/** How many resources of the catalogue a page is asked to have. */
export const CATALOGUE_PAGE = 200;

export interface PartSize {
  readonly type: ResourceType;
  readonly size: number;
}

export interface CatalogueOptions {
  /** Milliseconds for which a part is used after it was read; 0 reads it at each use. */
  readonly ttlMs: number;
  /** Milliseconds for which it is used beyond that, as long as it cannot be read anew. */
  readonly staleMs: number;
  /** Milliseconds that reading one part may take. */
  readonly timeoutMs: number;
}

/** One part of the catalogue. */
export interface CachedSearch<T extends ResourceType> {
  /** All that can be read of it; tells every call anew of what cannot. */
  get(call: Call): Promise<SearchResult<T>>;
}

/** What a search includes; what the server leaves out of it is fetched afterwards. */
interface Include<T extends ResourceType> {
  /** The search parameter that refers to the targets. */
  readonly parameter: string;
  readonly targets: readonly ResourceType[];
  readonly list: (match: Resource<T>) => readonly (Reference | undefined)[];
}

/**
 * What belongs to the institution and not to a patient, read completely and cached, and used for longer
 * while the server does not answer. What is inactive is among it: servers
 * disagree on whether a search for `active=true` finds resources without `active`.
 */
export class Catalogue {
  readonly locations: CachedSearch<'Location'>;
  /** With their practitioners and locations. */
  readonly roles: CachedSearch<'PractitionerRole'>;
  readonly practitioners: CachedSearch<'Practitioner'>;
  /** With their locations. */
  readonly services: CachedSearch<'HealthcareService'>;
  /** With their practitioners, roles and locations. */
  readonly schedules: CachedSearch<'Schedule'>;
  readonly carriers: CachedSearch<'Organization'>;
  readonly plans: CachedSearch<'InsurancePlan'>;
  /** Which institution has a contract with which carrier. */
  readonly affiliations: CachedSearch<'OrganizationAffiliation'>;
  readonly ticketTypes: CachedSearch<'Questionnaire'>;
  readonly #client: Client;
  readonly #parts: {
    readonly part: { readonly isStale: boolean };
    readonly type: ResourceType;
    readonly criteria: Query;
  }[] = [];

  constructor(client: Client, codes: Codes, { ttlMs, staleMs, timeoutMs }: CatalogueOptions) {
    this.#client = client;
    const readAll = <T extends ResourceType>(
      type: T,
      includes: readonly Include<T>[] = [],
      criteria: Query = {},
    ): CachedSearch<T> => {
      const _include = includes.map(({ parameter }) => `${type}:${parameter}`);
      const query = { ...criteria, _include, _sort: '_lastUpdated', _count: String(CATALOGUE_PAGE) };
      const load = async (call: Caller) => {
        const found = await client.search(type, query, call, { lenient: true });
        const [first] = found.unreadable.filter((each) => each.type === type);
        // An empty list would say that the institution has nothing of it.
        if (first && found.matches.length === 0) throw badAnswer('unexpected_resource', `${type}/${first.element}`);
        for (const { targets, list } of includes) {
          const references = found.matches.flatMap(list);
          for (const target of targets) await client.fetchMissing(found, target, references, call);
        }
        return found;
      };
      const part =
        ttlMs === 0
          ? { get: load, isStale: false }
          : new Cached(load, { ttlMs: () => ttlMs, staleMs: () => staleMs, timeoutMs });
      this.#parts.push({ part, type, criteria });
      return {
        get: async (call) => {
          const found = await part.get(call);
          reportOmitted(found.unreadable, call);
          return found;
        },
      };
    };

    this.locations = readAll('Location', [
      { parameter: 'organization', targets: ['Organization'], list: (location) => [location.managingOrganization] },
    ]);
    this.roles = readAll('PractitionerRole', [
      { parameter: 'practitioner', targets: ['Practitioner'], list: (role) => [role.practitioner] },
      { parameter: 'location', targets: ['Location'], list: (role) => role.location ?? [] },
    ]);
    this.practitioners = readAll('Practitioner');
    this.services = readAll('HealthcareService', [
      { parameter: 'location', targets: ['Location'], list: (service) => service.location ?? [] },
    ]);
    this.schedules = readAll('Schedule', [
      { parameter: 'actor', targets: ['Practitioner', 'PractitionerRole', 'Location'], list: ({ actor }) => actor },
    ]);
    this.carriers = readAll('Organization', [], { type: formatToken(hl7.organizationType, 'ins') });
    this.plans = readAll('InsurancePlan');
    this.affiliations = readAll('OrganizationAffiliation');
    const kind = formatToken(codes.system('questionnaire-kind'), 'ticket-type');
    this.ticketTypes = readAll('Questionnaire', [], { context: kind });
  }

  /** How many resources each part has, as the server counts them; nothing of a part that it does not count or show. */
  async measure(call: Caller): Promise<readonly PartSize[]> {
    const sizes = this.#parts.map(async ({ type, criteria }) => {
      const size = await this.#client.count(type, criteria, call).catch(ignoreFailure);
      return size === undefined ? [] : { type, size };
    });
    return (await Promise.all(sizes)).flat();
  }

  /** Whether a part of it is older than it should be, because it cannot be read anew. */
  get isStale(): boolean {
    return this.#parts.some(({ part }) => part.isStale);
  }
}

function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}
