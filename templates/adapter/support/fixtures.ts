import { join } from 'node:path';
import type { PartialFixtures } from 'puente/contract';

// Far from the institution’s zone, so that nothing takes its local times from the clock of the machine.
process.env.TZ = 'Pacific/Auckland';

export const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };

export const settings = { url: 'http://system.example' };

/** What your system answers in the tests. */
export const practitioners = join(import.meta.dirname, 'practitioners.json');

/** Who and what the contract finds in your system. Each port that you offer asks for more; the compiler knows the names. */
export const fixtures: PartialFixtures = {
  ...institution,
  practitioners: { bookable: 'paz', second: 'vidal' },
  unknown: 'no-such-id',
  // What some records are, looked up in your system: ids alone show no name that is wrong in every answer.
  records: {
    practitioners: [
      { id: 'paz', name: 'Elena Paz', specialty: 'Clínica médica', email: 'paz@clinic.example', is_available: true },
      { id: 'roca', name: 'Inés Roca', specialty: 'Pediatría', is_available: false },
    ],
  },
};
