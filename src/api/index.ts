import type { Operation } from './operation.ts';
import * as appointmentsA from './operations/appointments.ts';
import * as appointmentsB from './operations/appointments.ts';
import * as careServicesA from './operations/care-services.ts';
import * as careServicesB from './operations/care-services.ts';
import * as directoryA from './operations/directory.ts';
import * as familyGroupsA from './operations/family-groups.ts';
import * as insuranceA from './operations/insurance.ts';
import * as carriersB from './operations/insurance.ts';
import * as coveragesB from './operations/insurance.ts';
import * as patientsA from './operations/patients.ts';
import * as practitionersA from './operations/practitioners.ts';
import * as slotsB from './operations/slots.ts';
import * as ticketsA from './operations/tickets.ts';

export * from './operation.ts';
export * from './operation.ts';
export * from './perform.ts';
export * from './perform.ts';
export * from './perform.ts';
export * from './problems.ts';
export * from './problems.ts';
export * from './problems.ts';

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
