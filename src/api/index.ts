import type { Operation } from './operation.ts';
import * as appointments from './operations/appointments.ts';
import * as careServices from './operations/care-services.ts';
import * as directory from './operations/directory.ts';
import * as familyGroups from './operations/family-groups.ts';
import * as insurance from './operations/insurance.ts';
import * as patients from './operations/patients.ts';
import * as practitioners from './operations/practitioners.ts';
import * as slots from './operations/slots.ts';
import * as tickets from './operations/tickets.ts';

export * from './operation.ts';
export * from './perform.ts';
export * from './problems.ts';
export * from './rejection.ts';

/**
 * Every operation of Group A, in the order of the API document (its section 4.A). Operations and fields have that
 * document's names: `getAppointment` returns a list, and `appointmentId` is the id of a slot in slots and in bookings
 * of Group B.
 */
export const groupA: readonly Operation[] = [
  patients.searchPatients,
  patients.getPatient,
  patients.registerPatient,
  patients.updatePatient,
  tickets.listTicketTypes,
  tickets.listTickets,
  tickets.openTicket,
  appointments.listAppointments,
  appointments.bookAppointment,
  appointments.cancelAppointment,
  insurance.listCarriers,
  insurance.listPlans,
  insurance.listHealthInsurances,
  practitioners.getMainPractitioner,
  practitioners.requestPractitionerChange,
  practitioners.listPractitionerChangeReasons,
  practitioners.getPractitionerChange,
  careServices.searchHealthCareServices,
  familyGroups.listFamilyGroup,
  familyGroups.addFamilyMember,
  familyGroups.removeFamilyMember,
  appointments.searchAvailableAppointments,
  directory.getMedicalDirectory,
  practitioners.listPractitioners,
  directory.listLocations,
];

/** Every operation of Group B, in the order of the API document, with this gateway's default routes. */
export const groupB: readonly Operation[] = [
  appointments.getAppointment,
  appointments.createAppointment,
  insurance.createCoverage,
  insurance.editCoverage,
  careServices.getHealthCareService,
  careServices.getFrequentHcs,
  careServices.getFrequentHcsByType,
  insurance.getInsuranceCarriers,
  insurance.getInsuranceCarriersByOwner,
  slots.getAvailableSlots,
];

/** Every operation. */
export const operations: readonly Operation[] = [...groupA, ...groupB];

const groupBNames: ReadonlySet<string> = new Set(groupB.map(({ name }) => name));

/** The group of the API document that an operation belongs to. */
export const getGroup = (operation: Operation): 'A' | 'B' => (groupBNames.has(operation.name) ? 'B' : 'A');

/** True if the operation accepts requests without a token. */
export const isAnonymous = (
  operation: Operation,
  { anonymousGroupA }: { readonly anonymousGroupA: boolean },
): boolean => anonymousGroupA && getGroup(operation) === 'A';
