import type { Requests } from '../load/load.ts';
import { formatRequest } from '../variant.ts';

/** Somebody else each time, with a new `Idempotency-Key`. */
export function createRegistrations(token: string): Requests {
  let count = 0;
  const next = () => {
    const person = {
      birth_date: '1992/04/17',
      identifier_type: 'DNI',
      identifier: 50_000_000 + count++,
      gender: 'Female',
      email: 'persona@example.org',
      phone: '+54 9 11 5555-0101',
    };
    return formatRequest(['POST', '/patients/'], token, person, `register-${count}`);
  };
  return { next, status: 200 };
}
