import type { Adapter } from './adapter.ts';
import { memory } from './memory/index.ts';

/** The adapters that come with Puente, by the name that configuration gives them. */
export const adapters = { memory } satisfies Readonly<Record<string, Adapter>>;
