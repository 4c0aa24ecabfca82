import { id } from './scalars.ts';

// The ids in requests, each with where a caller has it from.

const describeId = (description: string) => id.meta({ description });

export const patientId = describeId('The `id` of a patient, as `GET /patients/search` returns it.');
export const serviceId = describeId(
  'The `id` of a health care service, as `GET /health-care-services/search` returns it.',
);
export const practitionerId = describeId('The `id` of a practitioner, as `GET /practitioner/` returns it.');
export const locationId = describeId('The `id` of a location, as `GET /location/` returns it.');
export const coverageId = describeId(
  'The `id` of a health insurance of the patient, as `GET /patients/{id}/health_insurances` returns it.',
);
export const planId = describeId(
  'The `id` of a plan, as `GET /health_insurance_carriers/{id}/health_insurance_plans/` returns it.',
);
export const appointmentId = describeId(
  'The `id` of an appointment of the patient, as `GET /patients/{id}/appointments` returns it.',
);
export const ticketTypeId = describeId('The `id` of a ticket type, as `GET /ticket_types` returns it.');
export const familyMemberId = describeId(
  'The `id` of a member of the family group, as `GET /patients/{id}/family_group` returns it; not that of the patient whom it relates to.',
);
export const reasonId = describeId('The `id` of a reason, as `GET /practitioner/change_request/reasons` returns it.');
