import type { Call } from '../../src/ports/index.ts';
import type { FhirContext } from './context.ts';
import { findCode, parseReferenceId } from './schema/datatypes.ts';
import type { FhirLocation } from './schema/resources.ts';
import { hl7 } from './schema/terminology.ts';

/** The physical types of places to which patients go: a site and a building, but not a room. */
const sitePhysicalTypes = ['si', 'bu'];

/** The part-of hierarchy of the institution's locations. Closed locations are not part of it. */
export class LocationHierarchy {
  /** The places to which patients go. */
  readonly sites: readonly FhirLocation[];
  /** Each open location with the locations around it, by id: itself first, then from the nearest to the farthest. */
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
    // A root without a physical type is a site too, unless it has marked sites or belongs to another organization.
    const isSite = (each: FhirLocation) =>
      marked.includes(each) ||
      (each.partOf === undefined &&
        !withMarked.has(each) &&
        (marked.length === 0 || (!each.physicalType && managers.includes(findManager(each)))));
    this.sites = open.filter(isSite);
  }

  /** True if there is an open location with this id. */
  has(id: string): boolean {
    return this.#wholes.has(id);
  }

  /** The nearest site of the location, which may be itself. Undefined if there is none. */
  findSite(id: string): FhirLocation | undefined {
    return this.#wholes.get(id)?.find((each) => this.sites.includes(each));
  }

  /** True if the location is the other one or within it. */
  isWithin(id: string, wholeId: string): boolean {
    return id === wholeId || (this.#wholes.get(id) ?? []).some((each) => each.id === wholeId);
  }
}

/** Reads the hierarchy around these locations. Empty, without a request, if all are known and none has a parent. */
export async function readHierarchy(
  { catalogue }: FhirContext,
  locations: readonly (FhirLocation | undefined)[],
  call: Call,
): Promise<LocationHierarchy> {
  const isFlat = locations.every((each) => each && each.partOf === undefined);
  return new LocationHierarchy(isFlat ? [] : (await catalogue.locations.get(call)).matches);
}

/** True if patients can go there. A kind of place, such as any pharmacy, is not a place. */
export const isOpen = ({ status, mode }: FhirLocation): boolean => (status ?? 'active') === 'active' && mode !== 'kind';

/** Ends at a location that is not open, and at a cycle. */
function listWholes(location: FhirLocation, open: ReadonlyMap<string, FhirLocation>): FhirLocation[] {
  const found = new Set<FhirLocation>();
  for (let next: FhirLocation | undefined = location; next && !found.has(next); ) {
    found.add(next);
    next = open.get(parseReferenceId(next.partOf, 'Location') ?? '');
  }
  return [...found];
}
