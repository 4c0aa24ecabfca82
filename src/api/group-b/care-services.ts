import { z } from 'zod';
import type { CareService } from '../../ports/index.ts';
import { operation } from '../operation.ts';
import { id } from '../scalars.ts';
import { pageAddition, pageBody, pageQuery, toPageRequest } from './page.ts';
import { includesText, search } from './search.ts';

const type = z.enum(['CONSULTA', 'PRACTICA']).meta({
  description: 'A consultation with somebody, or something that is done to or for the patient.',
});

const serviceRow = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    type,
    appointmentRequired: z.boolean(),
    requiresAuthorization: z.boolean().meta({ description: 'Whether the insurer must authorise it beforehand.' }),
    practitionerId: z.string().meta({ description: 'Empty when no single practitioner gives it.' }),
  })
  .meta({ id: 'CareServiceRow' });

const frequentQuery = z.object({
  patientCoverageId: id,
  patientId: id,
  search,
  ...pageQuery,
});

const frequentByTypeQuery = frequentQuery.extend({ type: type.optional() });

const servicesQuery = frequentByTypeQuery.extend({
  hcsId: id.meta({ description: 'Only this service.' }).optional(),
});

type Request = z.output<typeof frequentQuery> & Partial<z.output<typeof servicesQuery>>;

/** Keeps the order of the services, whichever it is. */
const listServicesPage = (services: readonly CareService[], request: Request) =>
  toPageRequest(
    services
      .filter(({ name }) => includesText(name, request.search))
      .filter(({ type }) => request.type === undefined || type === request.type)
      .filter(({ id }) => request.hcsId === undefined || id === request.hcsId)
      .map((service) => ({
        id: service.id,
        name: service.name,
        description: service.description,
        type: service.type,
        appointmentRequired: service.appointmentRequired,
        requiresAuthorization: service.requiresAuthorization,
        practitionerId: service.practitionerId,
      })),
    request,
  );

const toEligibility = ({ patientId, patientCoverageId }: Request) => ({ patientId, coverageId: patientCoverageId });

const places = { patientId: 'query /patientId', coverageId: 'query /patientCoverageId' } as const;

const frequentAddition =
  'The services that the patient booked in the last 24 months, most often first, as far as the coverage still allows them.';

export const getHealthCareService = operation({
  name: 'getHealthCareService',
  route: 'GET /v1/health-care-services',
  summary: 'Health care services for a patient and a coverage, page by page',
  additions: [
    pageAddition,
    'Services are sorted by name. One outside the patient’s age or sex, or that the coverage’s plan does not cover, is left out. A coverage of somebody else is refused.',
  ],
  scope: 'services:read',
  uses: 'care-services.available',
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
  summary: 'The services that a patient books most, page by page',
  additions: [pageAddition, frequentAddition],
  scope: 'services:read',
  uses: 'care-services.frequent',
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
  summary: 'The services of a type that a patient books most, page by page',
  additions: [pageAddition, frequentAddition, 'Without `type`, services of both types are listed.'],
  scope: 'services:read',
  uses: 'care-services.frequent',
  query: frequentByTypeQuery,
  example: { query: { patientCoverageId: 'ana-osde', patientId: 'ana', type: 'CONSULTA' } },
  returns: [200, pageBody(serviceRow)],
  places,
  handle: async (services, { query }, call) =>
    listServicesPage(await services.frequent(toEligibility(query), call), query),
});
