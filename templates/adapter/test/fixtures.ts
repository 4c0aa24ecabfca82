import { join } from 'node:path';
import type { PartialFixtures } from 'puente/contract';

export const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };

export const settings = { file: join(import.meta.dirname, '../data/practitioners.json') };

/** Who and what the contract finds in the data above. Each port that you offer asks for more; the compiler knows the names. */
export const fixtures: PartialFixtures = {
  ...institution,
  practitioners: { bookable: 'paz', second: 'vidal' },
  unknown: 'no-such-id',
};
