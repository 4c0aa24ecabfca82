import { type Call, type CareService, CareServices, type Eligibility } from '../../../src/ports/index.ts';
import { listActors } from '../appointments/read.ts';
import type { FhirContext } from '../context.ts';
import { toInstant } from '../datatypes/dates.ts';
import { findPractitioner } from '../practitioners/port.ts';
import type { SearchResult } from '../rest/bundle.ts';
import { findCode, findExtension, findIdentifierValue, parseReferenceId, toReference } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { assertBelongsTo } from '../writes/patient-compartment.ts';
import { createPlanCheck, findApplicant, meetsAgeAndSex, readEligibilityLimits } from './eligibility.ts';

type FhirService = Resource<'HealthcareService'>;

/** How far back the services of a patient count, in months. */
const MONTHS = 24;
/** Appointments that took place or will, so that what was canceled does not count. */
const BOOKED = 'booked,arrived,checked-in,fulfilled';

/** What the institution offers, as `HealthcareService`s. */
export class FhirCareServices extends CareServices {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    super();
    this.#context = context;
  }

  async available(who: Eligibility, call: Call): Promise<readonly CareService[]> {
    const { found, offers } = await this.#findOffered(who, call);
    const rows = await this.#rows(found, offers, call);
    return rows.toSorted((a, b) => a.name.localeCompare(b.name, 'es') || (a.id < b.id ? -1 : 1));
  }

  async frequent(who: Required<Eligibility>, call: Call): Promise<readonly CareService[]> {
    const { found, offers } = await this.#findOffered(who, call);
    const uses = await this.#countUses(who.patientId, offers, call);
    const used = offers.flatMap((service) => {
      const use = uses.get(service.id);
      return use ? [{ service, ...use }] : [];
    });
    const ranked = used.toSorted((a, b) => b.count - a.count || b.latest - a.latest);
    return this.#rows(
      found,
      ranked.map(({ service }) => service),
      call,
    );
  }

  async #findOffered(who: Eligibility, call: Call) {
    const { patient, coverage } = await findApplicant(this.#context, who, call);
    const found = await this.#context.catalogue.services.get(call);
    const offered = found.matches.filter((service) => isOffered(service, this.#context));
    const isPaid = coverage ? await createPlanCheck(coverage, offered, this.#context, call) : () => true;
    const isOpen = (service: FhirService) => !patient || meetsAgeAndSex(patient, service, this.#context, call);
    return { found, offers: offered.filter((service) => isOpen(service) && isPaid(service)) };
  }

  async #rows(
    found: SearchResult<'HealthcareService'>,
    services: readonly FhirService[],
    call: Call,
  ): Promise<CareService[]> {
    const allNamed = services.every((service) => findNamedPractitioner(service, this.#context));
    const roles = allNamed ? undefined : await this.#context.catalogue.roles.get(call);
    return services.map((service) => toCareService(service, found, roles, this.#context));
  }

  /** How often the patient had each service and when last, under its id. */
  async #countUses(patientId: string, services: readonly FhirService[], call: Call): Promise<Map<string, Use>> {
    const { client, codes, zone } = this.#context;
    const since = new Date(call.now);
    since.setUTCMonth(since.getUTCMonth() - MONTHS);
    const query = {
      patient: `Patient/${patientId}`,
      date: `ge${zone.toStartOfDay(zone.toLocalDay(since.toISOString()))}`,
      status: BOOKED,
      _sort: '-date',
      _count: '200',
    };
    const { matches } = await client.search('Appointment', query, call);
    assertBelongsTo(patientId, matches, listActors);
    const system = codes.system('hcs');
    const idOfCode = new Map(services.map((service) => [getServiceCode(service, system), service.id]));
    const uses = new Map<string, Use>();
    for (const { participant = [], serviceType, start } of matches) {
      const named = participant.flatMap(({ actor }) => parseReferenceId(actor, 'HealthcareService') ?? []);
      const ids = named.length > 0 ? named : [idOfCode.get(findCode(serviceType, system))];
      const moment = start === undefined ? 0 : Date.parse(start);
      for (const id of new Set(ids)) {
        if (id === undefined) continue;
        const { count, latest } = uses.get(id) ?? { count: 0, latest: 0 };
        uses.set(id, { count: count + 1, latest: Math.max(moment, latest) });
      }
    }
    return uses;
  }
}

interface Use {
  readonly count: number;
  /** In milliseconds since 1970. */
  readonly latest: number;
}

/** Whether the institution gives the service now; services of others around it are only in the directory. */
export const isOffered = (service: FhirService, { codes }: Pick<FhirContext, 'codes'>): boolean =>
  service.active !== false && getServiceCode(service, codes.system('hcs')) !== undefined;

/** The code by which schedules, slots and appointments name the service. */
export const getServiceCode = ({ type, category }: FhirService, system: string): string | undefined =>
  findCode(type, system) ?? findCode(category, system);

/** Whether it is given at a distance where nothing else is said. */
export const isVirtual = ({ characteristic }: FhirService): boolean => findCode(characteristic, hl7.actCode) === 'VR';

const findNamedPractitioner = (service: FhirService, { codes }: FhirContext): string | undefined =>
  parseReferenceId(findExtension(service, codes.extension('hcs-practitioner'))?.valueReference, 'Practitioner');

/** The only one who gives the service; empty when there are several or none. */
function findOnlyPractitioner(service: FhirService, roles: SearchResult<'PractitionerRole'> | undefined): string {
  const { reference } = toReference('HealthcareService', service.id);
  const giving = (roles?.matches ?? []).filter(
    ({ active, healthcareService = [] }) =>
      active !== false && healthcareService.some((each) => each.reference === reference),
  );
  const ids = new Set(giving.map(findPractitioner));
  return ids.size === 1 ? ([...ids][0] ?? '') : '';
}

function toCareService(
  service: FhirService,
  found: SearchResult<'HealthcareService'>,
  roles: SearchResult<'PractitionerRole'> | undefined,
  context: FhirContext,
): CareService {
  const { codes, zone } = context;
  const extension = (name: string) => findExtension(service, codes.extension(name));
  const created = extension('created-at')?.valueDateTime;
  const deleted = extension('deleted-at')?.valueDateTime;
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
    patientInstruction: extension('hcs-patient-instruction')?.valueMarkdown ?? '',
    integrationId:
      findIdentifierValue(service.identifier, [codes.sid('integration')]) ??
      getServiceCode(service, codes.system('hcs')) ??
      '',
    appointmentRequired: service.appointmentRequired ?? false,
    requiresAuthorization: extension('hcs-requires-authorization')?.valueBoolean ?? false,
    availabilityExceptions: service.availabilityExceptions ?? null,
    ...readEligibilityLimits(service, context),
    createdAt: created === undefined ? updated : toInstant(created, zone),
    updatedAt: updated,
    deletedAt: deleted === undefined ? null : toInstant(deleted, zone),
  };
}
