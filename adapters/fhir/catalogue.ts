import { Cached } from '../http-client/cached.ts';
import type { SearchResult } from './rest/bundle.ts';
import type { Client } from './rest/client.ts';
import type { Caller } from './rest/transport.ts';
import { formatToken, type Query } from './rest/url.ts';
import type { ResourceType } from './schema/resources.ts';
import { type Codes, hl7 } from './schema/terminology.ts';

export interface CatalogueOptions {
  /** How long what was read is used, in milliseconds; 0 reads anew each time. */
  readonly ttlMs: number;
  /** Milliseconds that reading one part may take, whoever asked for it. */
  readonly timeoutMs: number;
}

/** One part of the catalogue. */
export type CachedSearch<T extends ResourceType> = Pick<Cached<SearchResult<T>, Caller>, 'get'>;

/**
 * What belongs to the institution and not to a patient, read as a whole and kept for a while. What is inactive is there
 * too: servers disagree on what a search for `active=true` finds where nothing is said.
 */
export class Catalogue {
  readonly locations: CachedSearch<'Location'>;
  /** With their practitioners and locations. */
  readonly roles: CachedSearch<'PractitionerRole'>;
  readonly practitioners: CachedSearch<'Practitioner'>;
  /** With their locations. */
  readonly services: CachedSearch<'HealthcareService'>;
  /** With the practitioners and places that they belong to. */
  readonly schedules: CachedSearch<'Schedule'>;
  readonly carriers: CachedSearch<'Organization'>;
  readonly plans: CachedSearch<'InsurancePlan'>;
  /** Which institution has a contract with which carrier. */
  readonly affiliations: CachedSearch<'OrganizationAffiliation'>;
  readonly ticketTypes: CachedSearch<'Questionnaire'>;

  constructor(client: Client, codes: Codes, { ttlMs, timeoutMs }: CatalogueOptions) {
    const whole = <T extends ResourceType>(
      type: T,
      query: Query = {},
      fill?: (found: SearchResult<T>, call: Caller) => Promise<void>,
    ): CachedSearch<T> => {
      const load = async (call: Caller) => {
        const found = await client.search(type, { ...query, _sort: '_lastUpdated', _count: '200' }, call);
        await fill?.(found, call);
        return found;
      };
      return ttlMs === 0 ? { get: load } : new Cached(load, { ttlMs: () => ttlMs, timeoutMs });
    };

    this.locations = whole('Location', { _include: 'Location:organization' }, async (found, call) => {
      const owners = found.matches.map(({ managingOrganization }) => managingOrganization);
      await client.fetchMissing(found, 'Organization', owners, call);
    });
    const ofRole = ['PractitionerRole:practitioner', 'PractitionerRole:location'];
    this.roles = whole('PractitionerRole', { _include: ofRole }, async (found, call) => {
      const people = found.matches.map(({ practitioner }) => practitioner);
      const places = found.matches.flatMap(({ location = [] }) => location);
      await client.fetchMissing(found, 'Practitioner', people, call);
      await client.fetchMissing(found, 'Location', places, call);
    });
    this.practitioners = whole('Practitioner');
    this.services = whole('HealthcareService', { _include: 'HealthcareService:location' }, async (found, call) => {
      const places = found.matches.flatMap(({ location = [] }) => location);
      await client.fetchMissing(found, 'Location', places, call);
    });
    this.schedules = whole('Schedule', { _include: 'Schedule:actor' }, async (found, call) => {
      const actors = found.matches.flatMap(({ actor }) => actor);
      for (const type of ['Practitioner', 'PractitionerRole', 'Location'] as const) {
        await client.fetchMissing(found, type, actors, call);
      }
    });
    this.carriers = whole('Organization', { type: formatToken(hl7.organizationType, 'ins') });
    this.plans = whole('InsurancePlan');
    this.affiliations = whole('OrganizationAffiliation');
    this.ticketTypes = whole('Questionnaire', {
      context: formatToken(codes.system('questionnaire-kind'), 'ticket-type'),
    });
  }
}
