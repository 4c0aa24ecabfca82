import type { Call } from '../../src/ports/index.ts';
import type { FhirContext } from './context.ts';
import { findCode, parseReferenceId } from './schema/datatypes.ts';
import type { FhirLocation } from './schema/resources.ts';
import { hl7 } from './schema/terminology.ts';

/** The physical types of places that patients are sent to: a site and a building, but not a room. */
const sitePhysicalTypes = ['si', 'bu'];

/** Which of the institution's locations is part of which. What is closed is part of nothing, and nothing is part of it. */
export class LocationHierarchy {
  /** Where patients are sent. */
  readonly sites: readonly FhirLocation[];
  /** Each open location with all that it is in, by its id; the nearest first, beginning with itself. */
  readonly #wholes: ReadonlyMap<string, readonly FhirLocation[]>;

  constructor(locations: readonly FhirLocation[]) {
    const open = locations.filter(isOpen);
    const marked = open.filter(({ physicalType }) =>
      sitePhysicalTypes.includes(findCode(physicalType, hl7.physicalType) ?? ''),
    );
    const byId = new Map(open.map((each) => [each.id, each]));
    this.#wholes = new Map(open.map((each) => [each.id, listWholes(each, byId)]));
    const withMarked = new Set(marked.flatMap(({ id }) => this.#wholes.get(id) ?? []));
    const findManager = (each: FhirLocation) => parseReferenceId(each.managingOrganization, 'Organization');
    const managers = marked.map(findManager);
    // What is part of nothing, and of a kind that nobody says, is a site too, unless marked ones are in it or others manage it.
    const isSite = (each: FhirLocation) =>
      marked.includes(each) ||
      (each.partOf === undefined &&
        !withMarked.has(each) &&
        (marked.length === 0 || (!each.physicalType && managers.includes(findManager(each)))));
    this.sites = open.filter(isSite);
  }

  /** Whether there is an open location with this id. */
  has(id: string): boolean {
    return this.#wholes.has(id);
  }

  /** The nearest site that the location is in, which may be itself; undefined when it is in none. */
  findSite(id: string): FhirLocation | undefined {
    return this.#wholes.get(id)?.find((each) => this.sites.includes(each));
  }

  /** Whether the location is the other one or in it. */
  isWithin(id: string, wholeId: string): boolean {
    return id === wholeId || (this.#wholes.get(id) ?? []).some((each) => each.id === wholeId);
  }
}

/** The hierarchy that these locations are in; empty, without a call, when all are known and none is part of another. */
export async function readHierarchy(
  { catalogue }: FhirContext,
  locations: readonly (FhirLocation | undefined)[],
  call: Call,
): Promise<LocationHierarchy> {
  const isFlat = locations.every((each) => each && each.partOf === undefined);
  return new LocationHierarchy(isFlat ? [] : (await catalogue.locations.get(call)).matches);
}

/** Whether patients can go there: a kind of place, such as any pharmacy, is none. */
export const isOpen = ({ status, mode }: FhirLocation): boolean => (status ?? 'active') === 'active' && mode !== 'kind';

/** Ends at a location that is not among the open ones, and where a circle closes. */
function listWholes(location: FhirLocation, open: ReadonlyMap<string, FhirLocation>): FhirLocation[] {
  const found = new Set<FhirLocation>();
  for (let next: FhirLocation | undefined = location; next && !found.has(next); ) {
    found.add(next);
    next = open.get(parseReferenceId(next.partOf, 'Location') ?? '');
  }
  return [...found];
}
