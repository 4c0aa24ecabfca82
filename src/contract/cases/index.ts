import type { Case } from '../case.ts';
import { appointmentCases } from './appointments.ts';
import { appointmentCasesB } from './appointments-b.ts';
import { availabilityCases } from './availability.ts';
import { bookingCases } from './booking.ts';
import { bookingCasesB } from './booking-b.ts';
import { cancellingCases } from './cancelling.ts';
import { careServiceCases } from './care-services.ts';
import { directoryCases } from './directory.ts';
import { documentConformanceCases } from './document-conformance.ts';
import { familyGroupCases } from './family-groups.ts';
import { frequentServiceCases } from './frequent-services.ts';
import { insuranceCases } from './insurance.ts';
import { ownRecordCases } from './own-records.ts';
import { parallelWriteCases } from './parallel-writes.ts';
import { patientRecordCases } from './patient-records.ts';
import { patientSearchCases } from './patient-search.ts';
import { practitionerCases } from './practitioners.ts';
import { recordCases } from './records.ts';
import { slotCases } from './slots.ts';
import { slotCasesB } from './slots-b.ts';
import { ticketCases } from './tickets.ts';

export { gatewayCases } from './document-conformance.ts';
export { lostRequestCases } from './lost-requests.ts';
export { outageCases } from './outages.ts';
export { portCases } from './ports.ts';
export { startCases } from './start.ts';

/** Every promise that requests alone can prove, over HTTP or in process. */
export const cases: readonly Case[] = [
  ...documentConformanceCases,
  ...recordCases,
  ...patientSearchCases,
  ...patientRecordCases,
  ...ticketCases,
  ...appointmentCases,
  ...bookingCases,
  ...availabilityCases,
  ...cancellingCases,
  ...appointmentCasesB,
  ...bookingCasesB,
  ...slotCases,
  ...slotCasesB,
  ...insuranceCases,
  ...practitionerCases,
  ...careServiceCases,
  ...frequentServiceCases,
  ...familyGroupCases,
  ...directoryCases,
  ...parallelWriteCases,
  ...ownRecordCases,
];
