import type { Call } from '../../src/ports/index.ts';
import { Cached } from '../cached.ts';
import type { Client } from './rest/client.ts';
import type { SearchResult } from './rest/search-result.ts';
import type { Caller } from './rest/transport.ts';
import { reportOmitted } from './rest/unreadable.ts';
import { formatToken, type Query } from './rest/url.ts';
import type { Reference } from './schema/datatypes.ts';
import type { Resource, ResourceType } from './schema/resources.ts';
import { type Codes, hl7 } from './schema/terminology.ts';

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
  readonly #parts: { readonly isStale: boolean }[] = [];

  constructor(client: Client, codes: Codes, { ttlMs, staleMs, timeoutMs }: CatalogueOptions) {
    const readAll = <T extends ResourceType>(
      type: T,
      includes: readonly Include<T>[] = [],
      criteria: Query = {},
    ): CachedSearch<T> => {
      const _include = includes.map(({ parameter }) => `${type}:${parameter}`);
      const query = { ...criteria, _include, _sort: '_lastUpdated', _count: '200' };
      const load = async (call: Caller) => {
        const found = await client.search(type, query, call, { lenient: true });
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
      this.#parts.push(part);
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

  /** Whether a part of it is older than it should be, because it cannot be read anew. */
  get isStale(): boolean {
    return this.#parts.some(({ isStale }) => isStale);
  }
}
