import { z } from 'zod';
import type { CareService } from '../../ports/index.ts';
import { coverageId, patientId, serviceId } from '../ids.ts';
import { operation } from '../operation.ts';
import { id } from '../scalars.ts';
import { pageAddition, pageBody, pageQuery, paginate } from './page.ts';
import { includesText, search } from './search.ts';

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
    requiresAuthorization: z.boolean().meta({ description: 'Whether the insurer must authorize it beforehand.' }),
    practitionerId: z
      .string()
      .meta({ description: 'Empty when more than one practitioner, or none, provides the service.' }),
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

type Request = z.output<typeof frequentQuery> & Partial<z.output<typeof servicesQuery>>;

/** One page of those services that match the request, in the order given. */
const listServicesPage = (services: readonly CareService[], request: Request) =>
  paginate(
    services
      .filter(({ name }) => includesText(name, request.search))
      .filter(({ type }) => request.type === undefined || type === request.type)
      .filter(({ id }) => request.hcsId === undefined || id === request.hcsId),
    request,
  );

const toEligibility = ({ patientId, patientCoverageId }: Request) => ({ patientId, coverageId: patientCoverageId });

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
  example: { query: { patientCoverageId: 'ana-osde', patientId: 'ana', search: 'clinica', type: 'CONSULTA' } },
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
  example: { query: { patientCoverageId: 'ana-osde', patientId: 'ana' } },
  returns: [200, pageBody(serviceRow)],
  places,
  handle: async (services, { query }, call) =>
    listServicesPage(await services.frequent(toEligibility(query), call), query),
});

export const getFrequentHcsByType = operation({
  name: 'getFrequentHcsByType',
  route: 'GET /v1/frequent-health-care-services/by-type',
  summary: 'List a patient’s frequent health care services by type (paged)',
  additions: [pageAddition, frequentAddition, '`type` is optional; without it, both types are listed.'],
  scope: 'services:read',
  uses: ['care-services.frequent'],
  query: frequentByTypeQuery,
  example: { query: { patientCoverageId: 'ana-osde', patientId: 'ana', type: 'CONSULTA' } },
  returns: [200, pageBody(serviceRow)],
  places,
  handle: async (services, { query }, call) =>
    listServicesPage(await services.frequent(toEligibility(query), call), query),
});
