import type { ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import type { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import type { Settings } from '../../../adapters/fhir/settings.ts';
import type { WorldFile } from '../../../adapters/memory/world-schema.ts';
import type { Zone } from '../../../adapters/zone.ts';
import type { Day, Instant } from '../../ports/index.ts';
import type { ResourceIds, Seed } from './resource-ids.ts';

/** Resources of one type, which refer only to those of earlier steps. */
export interface Step {
  /** As the progress line shows it. */
  readonly title: string;
  readonly type: ResourceType;
  build(context: Context): readonly Seed[];
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
  readonly currency: string;
}
