import { randomUUID } from 'node:crypto';
import { createPorts } from '../../adapters/memory/index.ts';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import type { World } from '../../adapters/memory/world.ts';
import { findBundledWorld, readWorld } from '../../adapters/memory/world-file.ts';
import { sandbox } from '../../src/contract/fixtures.ts';
import { type Day, writes } from '../../src/ports/index.ts';
import { Zone } from '../../src/toolkit/zone.ts';

/** The sandbox hospital, as its file has it. */
export const bundledWorld = readWorld(findBundledWorld());
const zone = new Zone(sandbox.timeZone);
const institution = { timeZone: sandbox.timeZone, locale: 'es-AR', bookingHorizonDays: sandbox.bookingHorizonDays };

let loaded: { readonly day: Day; readonly world: World } | undefined;

/** The sandbox hospital as it is at the start of the gateway, without reading its file again. */
export function openSandbox(now = new Date()) {
  const day = zone.toLocalDay(now.toISOString());
  if (loaded?.day !== day) loaded = { day, world: loadWorld(bundledWorld, institution, now.toISOString()) };
  return { ...createPorts(loaded.world.copy(randomUUID)), retryableWrites: writes };
}
