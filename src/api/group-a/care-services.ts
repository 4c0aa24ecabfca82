import { z } from 'zod';
import type { CareService } from '../../ports/index.ts';
import { omitUndefined } from '../../ports/omit-undefined.ts';
import { coverageId, patientId } from '../ids.ts';
import { operation } from '../operation.ts';
import { id, instantOut } from '../scalars.ts';

const careServiceBody = z
  .object({
    id,
    offered_in: z.string().meta({ description: 'Where the service is provided, as free text.' }),
    practitioner_id: z
      .string()
      .meta({ description: 'Empty when more than one practitioner, or none, provides the service.' }),
    active: z.boolean(),
    name: z.string(),
    comment: z.string(),
    extra_details: z.string(),
    appointment_required: z.boolean(),
    availability_exceptions: z.string().nullable(),
    created_at: instantOut,
    updated_at: instantOut,
    deleted_at: instantOut.nullable(),
    patient_instruction: z.string().meta({ description: 'How the patient should prepare.' }),
    integration_id: z.string(),
    min_age: z.int().nullable().meta({ description: 'Minimum age in completed years; null: no limit.' }),
    max_age: z.int().nullable().meta({ description: 'Maximum age in completed years; null: no limit.' }),
    sex_id: z.int().nullable().meta({
      description: 'The institution’s code for the sex that the service is limited to; null: no limit.',
    }),
  })
  .meta({ id: 'HealthCareService' });

const toCareServiceBody = (service: CareService): z.input<typeof careServiceBody> => ({
  id: service.id,
  offered_in: service.offeredIn,
  practitioner_id: service.practitionerId,
  active: service.active,
  name: service.name,
  comment: service.description,
  extra_details: service.extraDetails,
  appointment_required: service.appointmentRequired,
  availability_exceptions: service.availabilityExceptions,
  created_at: service.createdAt,
  updated_at: service.updatedAt,
  deleted_at: service.deletedAt,
  patient_instruction: service.patientInstruction,
  integration_id: service.integrationId,
  min_age: service.minAge,
  max_age: service.maxAge,
  sex_id: service.sexId,
});

export const searchHealthCareServices = operation({
  name: 'searchHealthCareServices',
  route: 'GET /health-care-services/search',
  summary: 'Search health care services',
  additions: [
    '`patient_id` and `health_insurance_id` are optional. Services whose age or sex limits the patient does not meet, or that the insurance plan does not cover, are left out. A health insurance of another patient is 422.',
  ],
  scope: 'services:read',
  uses: ['care-services.available'],
  query: z.object({ patient_id: patientId, health_insurance_id: coverageId }).partial(),
  example: { query: { patient_id: 'ana', health_insurance_id: 'ana-osde' } },
  returns: [200, z.object({ health_care_services: z.array(careServiceBody) })],
  places: { patientId: 'query /patient_id', coverageId: 'query /health_insurance_id' },
  handle: async (services, { query }, call) => {
    const who = omitUndefined({ patientId: query.patient_id, coverageId: query.health_insurance_id });
    return { health_care_services: (await services.available(who, call)).map(toCareServiceBody) };
  },
});
