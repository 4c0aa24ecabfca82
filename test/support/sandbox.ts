import { furnishedWorld } from '../../adapters/memory/furnish.ts';
import { hospital } from '../../adapters/memory/index.ts';
import { bundledWorld, readWorld } from '../../adapters/memory/world-file.ts';
import { sandbox } from '../../src/contract/index.ts';

const file = readWorld(bundledWorld());
const institution = { timeZone: sandbox.timeZone, bookingHorizonDays: sandbox.bookingHorizonDays };

/** The sandbox hospital as it is at the start of the gateway, without reading its file again. */
export const freshHospital = (now = new Date()) => hospital(furnishedWorld(file, institution, now.toISOString()));
