import { z } from 'zod';
import type { Request } from '../../../contract/subject.ts';
import { type Capability, capabilities } from '../../../ports/index.ts';
import type { ApiReader } from './api-reader.ts';

const unknown = 'puente-contract-unknown';

/** A request for each read, which changes nothing. */
const buildProbes = (id: string): Partial<Readonly<Record<Capability, Request>>> => ({
  'patients.search': { route: 'GET /patients/search', query: { identifier_type: 'DNI', identifier: '99999999' } },
  'patients.get': { route: 'GET /patients/{id}', params: { id } },
  'tickets.types': { route: 'GET /ticket_types' },
  'tickets.list': { route: 'GET /patients/{id}/ticket/', params: { id } },
  'appointments.list': { route: 'GET /patients/{id}/appointments', params: { id } },
  'appointments.slots': { route: 'GET /available-appointments/search', query: { health_care_service_id: unknown } },
  'insurance.carriers': { route: 'GET /health_insurance_carriers/' },
  'insurance.plans': {
    route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
    params: { id: unknown },
  },
  'insurance.coverages': { route: 'GET /patients/{id}/health_insurances', params: { id } },
  'practitioners.list': { route: 'GET /practitioner/' },
  'practitioners.mainOf': { route: 'GET /patients/{id}/practitioner', params: { id } },
  'practitioners.changeReasons': { route: 'GET /practitioner/change_request/reasons' },
  'practitioners.changeRequestOf': { route: 'GET /patients/{id}/practitioner/change_request', params: { id } },
  'care-services.available': { route: 'GET /health-care-services/search' },
  'care-services.frequent': { route: 'GET /v1/frequent-health-care-services' },
  'family-groups.list': { route: 'GET /patients/{id}/family_group', params: { id } },
  'directory.locations': { route: 'GET /location/' },
  'directory.entries': { route: 'GET /api/medical-directory' },
});

/** What an institution that does not say what it offers seems to offer. A write cannot be tried without writing. */
export async function probe(reader: ApiReader, patientId: string | undefined) {
  const probes = buildProbes(patientId ?? unknown);
  const found: Capability[] = [];
  const unsure: Capability[] = [];
  for (const capability of capabilities) {
    const request = probes[capability];
    if (request) await reader.read(z.unknown(), request);
    const status = request && reader.statuses.get(request.route);
    if (status === 200 || status === 400 || status === 422) found.push(capability);
    else if (status === undefined || (status === 404 && request?.params)) unsure.push(capability);
  }
  return { found, unsure };
}
