import { buildAppointments, buildTakenSlot } from './appointments.ts';
import { Calendar } from './calendar.ts';
import { directory } from './directory.ts';
import { insurance } from './insurance.ts';
import type { NamedResources } from './load.ts';
import { people } from './people.ts';
import { buildSchedules } from './schedules.ts';
import { services } from './services.ts';
import { staff } from './staff.ts';
import { buildRequests } from './tickets.ts';

/** The Sanatorio del Puente as a FHIR server would hold it at that moment, written as FHIR by hand. */
export function buildHospital(now: Date): NamedResources {
  const calendar = new Calendar(now);
  return [
    ...staff,
    ...insurance,
    ...services,
    ...people,
    ...buildSchedules(calendar, [buildTakenSlot(calendar)]),
    ...buildAppointments(calendar),
    ...buildRequests(calendar),
    ...directory,
  ];
}
