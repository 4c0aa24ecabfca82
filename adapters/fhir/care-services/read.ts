import type { CareService } from '../../../src/ports/index.ts';
import type { ServiceLimits } from '../../common/care-services.ts';
import type { FhirContext } from '../context.ts';
import type { SearchResult } from '../rest/search-result.ts';
import { findCode, findExtension, findIdentifierValue, parseReferenceId } from '../schema/datatypes.ts';
import { getPractitionerId, toInstant } from '../schema/read.ts';
import type { FhirRole, FhirService } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';

/** True if the institution itself offers the service now. Services of others are only in the directory. */
export const isAvailable = (service: FhirService, { codes }: Pick<FhirContext, 'codes'>): boolean =>
  service.active !== false && getServiceCode(service, codes.system('hcs')) !== undefined;

/** The code of the service in schedules, slots and appointments. */
export const getServiceCode = ({ type, category }: FhirService, system: string): string | undefined =>
  findCode(type, system) ?? findCode(category, system);

/** True if appointments for the service are virtual. A slot or a schedule may override it. */
export const isVirtual = ({ characteristic }: FhirService): boolean => findCode(characteristic, hl7.actCode) === 'VR';

/** The id of the practitioner in the service. */
export const findNamedPractitioner = (service: FhirService, { codes }: FhirContext): string | undefined =>
  parseReferenceId(findExtension(service, codes.extension('hcs-practitioner'))?.valueReference, 'Practitioner');

function findOnlyPractitioner(service: FhirService, roles: readonly FhirRole[]): string {
  const giving = roles.filter(({ healthcareService = [] }) =>
    healthcareService.some((each) => parseReferenceId(each, 'HealthcareService') === service.id),
  );
  const ids = new Set(giving.map(getPractitionerId));
  return ids.size === 1 ? ([...ids][0] ?? '') : '';
}

/** @param roles today's roles; required only for a service without a practitioner. */
export function toCareService(
  service: FhirService,
  found: SearchResult<'HealthcareService'>,
  roles: readonly FhirRole[],
  context: FhirContext,
): CareService {
  const { codes, settings, zone } = context;
  const limits = readLimits(service, context);
  const find = (name: Parameters<typeof codes.extension>[0]) => findExtension(service, codes.extension(name));
  const created = find('created-at')?.valueDateTime;
  const deleted = find('deleted-at')?.valueDateTime;
  const updated = toInstant(service.meta?.lastUpdated ?? created ?? '1970-01-01', zone);
  const [place] = service.location ?? [];
  const kind = findCode(service.category, codes.system('hcs-kind'));
  return {
    id: service.id,
    name: service.name ?? '',
    description: service.comment ?? '',
    type: kind === 'PRACTICA' ? 'PRACTICA' : 'CONSULTA',
    active: service.active !== false,
    offeredIn: found.resolve(place, 'Location')?.name ?? place?.display ?? service.providedBy?.display ?? '',
    practitionerId: findNamedPractitioner(service, context) ?? findOnlyPractitioner(service, roles),
    extraDetails: service.extraDetails ?? '',
    patientInstruction: find('hcs-patient-instruction')?.valueMarkdown ?? '',
    integrationId:
      findIdentifierValue(service.identifier, [codes.sid('integration')]) ??
      getServiceCode(service, codes.system('hcs')) ??
      '',
    appointmentRequired: service.appointmentRequired ?? false,
    requiresAuthorization: find('hcs-requires-authorization')?.valueBoolean ?? false,
    availabilityExceptions: service.availabilityExceptions ?? null,
    minAge: limits.minAge,
    maxAge: limits.maxAge,
    sexId: limits.sex && settings.sexIds[limits.sex],
    createdAt: created === undefined ? updated : toInstant(created, zone),
    updatedAt: updated,
    deletedAt: deleted === undefined ? null : toInstant(deleted, zone),
  };
}

/** The limits of a service: age in completed years, sex, and the codes of the accepted plans. */
export function readLimits(
  service: FhirService,
  { codes, settings }: Pick<FhirContext, 'codes' | 'settings'>,
): ServiceLimits {
  const eligibility = findExtension(service, codes.extension('hcs-eligibility'));
  const sex = findExtension(eligibility, 'sex')?.valueCode;
  const programs = settings.planFilter === 'none' ? [] : (service.program ?? []);
  const plans = programs.flatMap((concept) => findCode(concept, codes.system('plan')) ?? []);
  return {
    minAge: findExtension(eligibility, 'minAge')?.valueInteger ?? null,
    maxAge: findExtension(eligibility, 'maxAge')?.valueInteger ?? null,
    sex: sex === 'female' ? 'Female' : sex === 'male' ? 'Male' : null,
    plans: plans.length > 0 ? new Set(plans) : null,
  };
}
