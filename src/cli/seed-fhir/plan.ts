import type { ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import type { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import type { Settings } from '../../../adapters/fhir/settings.ts';
import type { Zone } from '../../../adapters/zone.ts';
import type { Instant } from '../../ports/index.ts';
import type { Hospital } from './hospital.ts';

/** What the server already has of the seeds, by type and name. */
export interface Known {
  /** @throws Error, a bug, when it was not there before. */
  idOf(type: ResourceType, name: string): string;
  /** A reference to it; as `idOf`. */
  to(type: ResourceType, name: string): { readonly reference: string };
}

/** A resource to be. Of all that have its type, none has its name. */
export interface Seed {
  readonly type: ResourceType;
  readonly name: string;
  /** Its elements, without the identifier by which it is found again. */
  readonly elements: (known: Known) => Readonly<Record<string, unknown>>;
}

/** Seeds that refer only to those of earlier steps. */
export interface Step {
  /** What they are, for people. */
  readonly title: string;
  readonly seeds: readonly Seed[];
}

/** An appointment to be, and the slot that it takes; none when it was canceled. */
export interface Booking {
  readonly appointment: Seed;
  readonly slot: Seed | undefined;
}

/** What all the mappings go by. */
export interface Context {
  readonly hospital: Hospital;
  readonly codes: Codes;
  readonly zone: Zone;
  readonly now: Instant;
  readonly relationships: Settings['relationships'];
  readonly currency: string;
}
