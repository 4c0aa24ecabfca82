import type { Case } from '../case.ts';
import { appointmentCases } from './appointments.ts';
import { appointmentCasesB } from './appointments-b.ts';
import { documentCases } from './as-documented.ts';
import { careServiceCases } from './care-services.ts';
import { directoryCases } from './directory.ts';
import { familyGroupCases } from './family-groups.ts';
import { insuranceCases } from './insurance.ts';
import { patientCases } from './patients.ts';
import { practitionerCases } from './practitioners.ts';
import { slotCases } from './slots.ts';
import { ticketCases } from './tickets.ts';

export { portCases } from './ports.ts';
export { startCases } from './start.ts';

/** Every promise that requests alone can prove, over HTTP or in process. */
export const cases: readonly Case[] = [
  ...documentCases,
  ...patientCases,
  ...ticketCases,
  ...appointmentCases,
  ...appointmentCasesB,
  ...slotCases,
  ...insuranceCases,
  ...practitionerCases,
  ...careServiceCases,
  ...familyGroupCases,
  ...directoryCases,
];
