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
const institution = { timeZone: sandbox.timeZone, locale: 'es-AR', bookingHorizonDays: sandbox.bookingHorizonDays };

let loaded: { readonly day: Day; readonly timeZone: string; readonly world: World } | undefined;

/**
 * The sandbox hospital as it is at the start of the gateway, without reading its file again.
 * @param timeZone of the hospital.
 */
export function openSandbox(now = new Date(), timeZone = institution.timeZone) {
  const day = new Zone(timeZone).toLocalDay(now.toISOString());
  if (loaded?.day !== day || loaded.timeZone !== timeZone) {
    const world = loadWorld(bundledWorld, { ...institution, timeZone }, now.toISOString());
    loaded = { day, timeZone, world };
  }
  return { ...createPorts(loaded.world.copy(randomUUID)), retryableWrites: writes };
}
