import { createPorts } from '../../adapters/memory/index.ts';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import { findBundledWorld, readWorld } from '../../adapters/memory/world-file.ts';
import { sandbox } from '../../src/contract/fixtures.ts';
import { writes } from '../../src/ports/index.ts';

/** The sandbox hospital, as its file has it. */
export const bundledWorld = readWorld(findBundledWorld());
const institution = { timeZone: sandbox.timeZone, locale: 'es-AR', bookingHorizonDays: sandbox.bookingHorizonDays };

/** The sandbox hospital as it is at the start of the gateway, without reading its file again. */
export const openSandbox = (now = new Date()) => ({
  ...createPorts(loadWorld(bundledWorld, institution, now.toISOString())),
  retryableWrites: writes,
});
