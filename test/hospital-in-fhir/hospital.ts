import { appointments, takenSlot } from './appointments.ts';
import { Calendar } from './calendar.ts';
import { directory } from './directory.ts';
import { insurance } from './insurance.ts';
import type { World } from './load.ts';
import { people } from './people.ts';
import { agenda } from './schedules.ts';
import { services } from './services.ts';
import { staff } from './staff.ts';
import { requests } from './tickets.ts';

/** The Sanatorio del Puente as a FHIR server would hold it at that moment, written as FHIR by hand. */
export function hospital(now: Date): World {
  const calendar = new Calendar(now);
  return [
    ...staff,
    ...insurance,
    ...services,
    ...people,
    ...agenda(calendar, [takenSlot(calendar)]),
    ...appointments(calendar),
    ...requests(calendar),
    ...directory,
  ];
}
