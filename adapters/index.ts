import type { Adapter } from './adapter.ts';
import { fhir } from './fhir/index.ts';
import { local } from './local/index.ts';
import { mapping } from './mapping/index.ts';
import { memory } from './memory/index.ts';

/** The adapters that come with Puente, by their name in the configuration. */
export const adapters = { memory, fhir, local, mapping } satisfies Readonly<Record<string, Adapter>>;
