import * as appointmentsA from './group-a/appointments.ts';
import * as careServicesA from './group-a/care-services.ts';
import * as directoryA from './group-a/directory.ts';
import * as familyGroupsA from './group-a/family-groups.ts';
import * as insuranceA from './group-a/insurance.ts';
import * as patientsA from './group-a/patients.ts';
import * as practitionersA from './group-a/practitioners.ts';
import * as ticketsA from './group-a/tickets.ts';
import * as appointmentsB from './group-b/appointments.ts';
import * as careServicesB from './group-b/care-services.ts';
import * as carriersB from './group-b/carriers.ts';
import * as coveragesB from './group-b/coverages.ts';
import * as slotsB from './group-b/slots.ts';
import type { Operation } from './operation.ts';

export * from './fate.ts';
export * from './operation.ts';
export * from './patients-concerned.ts';
export * from './perform.ts';
export * from './problem.ts';
export * from './problem-types.ts';
export * from './rejection.ts';
export * from './scopes.ts';

/** Every operation of Group A, in the order of the API document. */
export const groupA: readonly Operation[] = [
  patientsA.searchPatients,
  patientsA.getPatient,
  patientsA.registerPatient,
  patientsA.updatePatient,
  ticketsA.listTicketTypes,
  ticketsA.listTickets,
  ticketsA.openTicket,
  appointmentsA.listAppointments,
  appointmentsA.bookAppointment,
  appointmentsA.cancelAppointment,
  insuranceA.listCarriers,
  insuranceA.listPlans,
  insuranceA.listHealthInsurances,
  practitionersA.getMainPractitioner,
  practitionersA.requestPractitionerChange,
  practitionersA.listPractitionerChangeReasons,
  practitionersA.getPractitionerChange,
  careServicesA.searchHealthCareServices,
  familyGroupsA.listFamilyGroup,
  familyGroupsA.addFamilyMember,
  familyGroupsA.removeFamilyMember,
  appointmentsA.searchAvailableAppointments,
  directoryA.getMedicalDirectory,
  practitionersA.listPractitioners,
  directoryA.listLocations,
];

/** Every operation of Group B, in the order of the API document, with this gateway's default routes. */
export const groupB: readonly Operation[] = [
  appointmentsB.getAppointment,
  appointmentsB.createAppointment,
  coveragesB.createCoverage,
  coveragesB.editCoverage,
  careServicesB.getHealthCareService,
  careServicesB.getFrequentHcs,
  careServicesB.getFrequentHcsByType,
  carriersB.getInsuranceCarriers,
  carriersB.getInsuranceCarriersByOwner,
  slotsB.getAvailableSlots,
];

/** Every operation. */
export const operations: readonly Operation[] = [...groupA, ...groupB];

const groupBNames: ReadonlySet<string> = new Set(groupB.map(({ name }) => name));

/** The group of the API document that an operation belongs to. */
export const getGroup = (operation: Operation): 'A' | 'B' => (groupBNames.has(operation.name) ? 'B' : 'A');

/** Whether the operation accepts requests without a token. */
export const isAnonymous = (
  operation: Operation,
  { anonymousGroupA }: { readonly anonymousGroupA: boolean },
): boolean => anonymousGroupA && getGroup(operation) === 'A';
