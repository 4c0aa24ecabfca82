import type { Found } from './bundle.ts';
import type { Client } from './client.ts';
import { type Codes, hl7 } from './codes.ts';
import { idOf } from './elements.ts';
import type { ResourceType } from './resources.ts';
import { SingleFlight } from './single-flight.ts';
import type { Caller } from './transport.ts';
import { type Query, token } from './url.ts';

export interface CatalogueOptions {
  /** How long what was read is used, in milliseconds; 0 reads anew each time. */
  readonly keep: number;
  /** Milliseconds that reading one part may take, whoever asked for it. */
  readonly patience: number;
}

/**
 * What belongs to the institution and not to a patient, read as a whole and kept for a while. What is inactive is there
 * too: servers disagree on what a search for `active=true` finds where nothing is said.
 */
export class Catalogue {
  readonly locations: Kept<'Location'>;
  /** With their practitioners and locations. */
  readonly roles: Kept<'PractitionerRole'>;
  readonly practitioners: Kept<'Practitioner'>;
  /** With their locations. */
  readonly services: Kept<'HealthcareService'>;
  /** With the practitioners and places that they belong to. */
  readonly schedules: Kept<'Schedule'>;
  readonly carriers: Kept<'Organization'>;
  readonly plans: Kept<'InsurancePlan'>;
  /** Which institution has a contract with which carrier. */
  readonly affiliations: Kept<'OrganizationAffiliation'>;
  readonly ticketTypes: Kept<'Questionnaire'>;

  constructor(client: Client, codes: Codes, options: CatalogueOptions) {
    const whole = <T extends ResourceType>(
      type: T,
      query: Query = {},
      fill?: (found: Found<T>, call: Caller) => Promise<void>,
    ) =>
      new Kept(async (call) => {
        const found = await client.search(type, { ...query, _sort: '_lastUpdated', _count: '200' }, call);
        await fill?.(found, call);
        return found;
      }, options);

    this.locations = whole('Location', { _include: 'Location:organization' }, async (found, call) => {
      const owners = found.matches.map(({ managingOrganization }) => idOf(managingOrganization, 'Organization'));
      await client.complete(found, 'Organization', owners, call);
    });
    const ofRole = ['PractitionerRole:practitioner', 'PractitionerRole:location'];
    this.roles = whole('PractitionerRole', { _include: ofRole }, async (found, call) => {
      const people = found.matches.map(({ practitioner }) => idOf(practitioner, 'Practitioner'));
      const places = found.matches.flatMap(({ location = [] }) => location.map((each) => idOf(each, 'Location')));
      await client.complete(found, 'Practitioner', people, call);
      await client.complete(found, 'Location', places, call);
    });
    this.practitioners = whole('Practitioner');
    this.services = whole('HealthcareService', { _include: 'HealthcareService:location' }, async (found, call) => {
      const places = found.matches.flatMap(({ location = [] }) => location.map((each) => idOf(each, 'Location')));
      await client.complete(found, 'Location', places, call);
    });
    this.schedules = whole('Schedule', { _include: 'Schedule:actor' }, async (found, call) => {
      const actors = found.matches.flatMap(({ actor }) => actor);
      for (const type of ['Practitioner', 'PractitionerRole', 'Location'] as const) {
        await client.complete(
          found,
          type,
          actors.map((each) => idOf(each, type)),
          call,
        );
      }
    });
    this.carriers = whole('Organization', { type: token(hl7.organizationType, 'ins') });
    this.plans = whole('InsurancePlan');
    this.affiliations = whole('OrganizationAffiliation');
    this.ticketTypes = whole('Questionnaire', { context: token(codes.system('questionnaire-kind'), 'ticket-type') });
  }
}

/** One part of the catalogue: read when it is first asked for, and again when it has become old. */
export class Kept<T extends ResourceType> {
  readonly #load: (call: Caller) => Promise<Found<T>>;
  readonly #options: CatalogueOptions;
  readonly #flight = new SingleFlight<Found<T>>();
  #found: { readonly what: Found<T>; readonly until: number } | undefined;

  constructor(load: (call: Caller) => Promise<Found<T>>, options: CatalogueOptions) {
    this.#load = load;
    this.#options = options;
  }

  async get(call: Caller): Promise<Found<T>> {
    const { keep, patience } = this.#options;
    if (keep === 0) return this.#load(call);
    if (this.#found && performance.now() < this.#found.until) return this.#found.what;
    return this.#flight.run(async () => {
      const what = await this.#load({ requestId: call.requestId, signal: AbortSignal.timeout(patience) });
      this.#found = { what, until: performance.now() + keep };
      return what;
    }, call.signal);
  }
}
