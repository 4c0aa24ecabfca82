import { join } from 'node:path';
import type { PartialFixtures } from 'puente/contract';

export const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };

export const settings = { url: 'http://system.example' };

/** What your system answers in the tests. */
export const practitioners = join(import.meta.dirname, 'practitioners.json');

/** Who and what the contract finds in your system. Each port that you offer asks for more; the compiler knows the names. */
export const fixtures: PartialFixtures = {
  ...institution,
  practitioners: { bookable: 'paz', second: 'vidal' },
  unknown: 'no-such-id',
};
