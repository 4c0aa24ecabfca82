import { z } from 'zod';
import type { CareService } from '../../ports/index.ts';
import { operation } from '../operation.ts';
import { present } from '../present.ts';
import { id, instantOut } from '../scalars.ts';

const careServiceBody = z
  .object({
    id,
    offered_in: z.string().meta({ description: 'Where it is given, in words for people.' }),
    practitioner_id: z.string().meta({ description: 'Empty when no single practitioner gives it.' }),
    active: z.boolean(),
    name: z.string(),
    comment: z.string(),
    extra_details: z.string(),
    appointment_required: z.boolean(),
    availability_exceptions: z.string().nullable(),
    created_at: instantOut,
    updated_at: instantOut,
    deleted_at: instantOut.nullable(),
    patient_instruction: z.string().meta({ description: 'What the patient should do beforehand.' }),
    integration_id: z.string(),
    min_age: z.int().nullable().meta({ description: 'Youngest age in completed years; null: no limit.' }),
    max_age: z.int().nullable().meta({ description: 'Oldest age in completed years; null: no limit.' }),
    sex_id: z.int().nullable().meta({
      description: 'The institution’s own code for the sex that the service is for; null: for everybody.',
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
  summary: 'Health care services, for everybody or for a patient and an insurance',
  additions: [
    '`patient_id` and `health_insurance_id` are optional. A service outside the patient’s age or sex, or that the insurance’s plan does not cover, is left out. An insurance of somebody else is refused.',
  ],
  scope: 'services:read',
  uses: 'care-services.available',
  query: z.object({ patient_id: id, health_insurance_id: id }).partial(),
  example: { query: { patient_id: 'ana', health_insurance_id: 'ana-osde' } },
  returns: [200, z.object({ health_care_services: z.array(careServiceBody) })],
  places: { patientId: 'query /patient_id', coverageId: 'query /health_insurance_id' },
  handle: async (services, { query }, call) => {
    const who = present({ patientId: query.patient_id, coverageId: query.health_insurance_id });
    return { health_care_services: (await services.available(who, call)).map(toCareServiceBody) };
  },
});
