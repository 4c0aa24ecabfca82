import type { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import type { Settings } from '../../../adapters/fhir/settings.ts';
import type { WorldFile } from '../../../adapters/memory/world-schema.ts';
import type { Day, Instant } from '../../ports/index.ts';
import type { Zone } from '../../toolkit/zone.ts';
import type { ResourceIds, Seed, SeedType } from './resource-ids.ts';

/** Resources of one type, which refer only to those of earlier steps. */
export type Step = { [T in SeedType]: StepOfType<T> }[SeedType];

interface StepOfType<T extends SeedType> {
  /** As the progress line shows it. */
  readonly title: string;
  readonly type: T;
  build(context: Context): readonly Seed<T>[];
}

/** What the resources are built from. */
export interface Context {
  readonly world: WorldFile;
  readonly ids: ResourceIds;
  readonly codes: Codes;
  readonly zone: Zone;
  readonly now: Instant;
  /** The day of `now` in the zone. */
  readonly today: Day;
  readonly relationships: Settings['relationships'];
  readonly currency: Settings['currency'];
}
