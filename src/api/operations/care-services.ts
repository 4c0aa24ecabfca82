import { z } from 'zod';
import type { CareService, Eligibility } from '../../ports/index.ts';
import { toRecord } from '../../toolkit/records.ts';
import { operation } from '../operation.ts';
import { coverageId, id, instantOut, patientId, serviceId } from '../scalars.ts';
import { includesText, pageAddition, pageBody, pageQuery, paginate, search } from './page.ts';

const careServiceBody = z
  .object({
    id,
    offered_in: z.string().meta({ description: 'Where the service is provided, as free text.' }),
    practitioner_id: z.string().meta({ description: 'Empty if several practitioners, or none, provide the service.' }),
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
    min_age: z.int().nullable().meta({ description: 'Minimum age in completed years. Null: no limit.' }),
    max_age: z.int().nullable().meta({ description: 'Maximum age in completed years. Null: no limit.' }),
    sex_id: z.int().nullable().meta({
      description: 'The institution’s code for the required sex. Null: no limit.',
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
    const who = toRecord<Eligibility>({ patientId: query.patient_id, coverageId: query.health_insurance_id });
    return { health_care_services: (await services.available(who, call)).map(toCareServiceBody) };
  },
});

const type = z.enum(['CONSULTA', 'PRACTICA']).meta({
  id: 'CareServiceType',
  description: '`CONSULTA` is a consultation, `PRACTICA` a procedure.',
});

const serviceRow = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    type,
    appointmentRequired: z.boolean(),
    requiresAuthorization: z.boolean().meta({ description: 'True if the insurer must authorize it beforehand.' }),
    practitionerId: z.string().meta({ description: 'Empty if several practitioners, or none, provide the service.' }),
  })
  .meta({ id: 'CareServiceRow' });

const frequentQuery = z.object({
  patientCoverageId: coverageId,
  patientId,
  search,
  ...pageQuery,
});

const frequentByTypeQuery = frequentQuery.extend({ type: type.optional() });

const servicesQuery = frequentByTypeQuery.extend({
  hcsId: serviceId.meta({ description: `Only this service. ${serviceId.description}` }).optional(),
});

type FrequentRequest = z.output<typeof frequentQuery> & Partial<z.output<typeof servicesQuery>>;

const listServicesPage = (services: readonly CareService[], request: FrequentRequest) =>
  paginate(
    services
      .filter(({ name }) => includesText(name, request.search))
      .filter(({ type }) => request.type === undefined || type === request.type)
      .filter(({ id }) => request.hcsId === undefined || id === request.hcsId),
    request,
  );

const toEligibility = ({ patientId, patientCoverageId }: FrequentRequest) => ({
  patientId,
  coverageId: patientCoverageId,
});

const places = { patientId: 'query /patientId', coverageId: 'query /patientCoverageId' } as const;

const frequentAddition =
  'The services that the patient booked in the last 24 months and that the coverage still allows, most frequent first.';

export const getHealthCareService = operation({
  name: 'getHealthCareService',
  route: 'GET /v1/health-care-services',
  summary: 'Search health care services (paged)',
  additions: [
    pageAddition,
    'Services are sorted by name. Services whose age or sex limits the patient does not meet, or that the coverage’s plan does not cover, are left out. A coverage of another patient is 422.',
  ],
  scope: 'services:read',
  uses: ['care-services.available'],
  query: servicesQuery,
  example: {
    query: {
      patientCoverageId: 'ana-osde',
      patientId: 'ana',
      search: 'clinica',
      type: 'CONSULTA',
      hcsId: 'consulta-clinica',
    },
  },
  returns: [200, pageBody(serviceRow)],
  places,
  handle: async (services, { query }, call) =>
    listServicesPage(await services.available(toEligibility(query), call), query),
});

export const getFrequentHcs = operation({
  name: 'getFrequentHcs',
  route: 'GET /v1/frequent-health-care-services',
  summary: 'List a patient’s frequent health care services (paged)',
  additions: [pageAddition, frequentAddition],
  scope: 'services:read',
  uses: ['care-services.frequent'],
  query: frequentQuery,
  example: { query: { patientCoverageId: 'ana-osde', patientId: 'ana', search: 'consulta' } },
  returns: [200, pageBody(serviceRow)],
  places,
  handle: async (services, { query }, call) =>
    listServicesPage(await services.frequent(toEligibility(query), call), query),
});

export const getFrequentHcsByType = operation({
  name: 'getFrequentHcsByType',
  route: 'GET /v1/frequent-health-care-services/by-type',
  summary: 'List a patient’s frequent health care services by type (paged)',
  additions: [pageAddition, frequentAddition, '`type` is optional. Without it, both types are listed.'],
  scope: 'services:read',
  uses: ['care-services.frequent'],
  query: frequentByTypeQuery,
  example: { query: { patientCoverageId: 'ana-osde', patientId: 'ana', search: 'consulta', type: 'CONSULTA' } },
  returns: [200, pageBody(serviceRow)],
  places,
  handle: async (services, { query }, call) =>
    listServicesPage(await services.frequent(toEligibility(query), call), query),
});
