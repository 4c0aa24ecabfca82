import { type Call, type CareService, CareServices, type Eligibility } from '../../src/ports/index.ts';
import { actorsOf } from './appointment-record.ts';
import type { Backend } from './backend.ts';
import type { Found } from './bundle.ts';
import { hl7 } from './codes.ts';
import { codeIn, extensionIn, idOf, referTo, valueIn } from './elements.ts';
import { applicant, isFor, limitsOf, planCheck } from './eligibility.ts';
import { momentOf } from './moments.ts';
import { expectOwn } from './ownership.ts';
import { practitionerOf } from './practitioners.ts';
import type { Resource } from './resources.ts';

type FhirService = Resource<'HealthcareService'>;

/** How far back the services of a patient count, in months. */
const MONTHS = 24;
/** Appointments that took place or will, so that what was canceled does not count. */
const BOOKED = 'booked,arrived,checked-in,fulfilled';

/** What the institution offers, as `HealthcareService`s. */
export class FhirCareServices extends CareServices {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    super();
    this.#backend = backend;
  }

  async available(who: Eligibility, call: Call): Promise<readonly CareService[]> {
    const { found, offers } = await this.#offersTo(who, call);
    const rows = await this.#rows(found, offers, call);
    return rows.toSorted((a, b) => a.name.localeCompare(b.name, 'es') || (a.id < b.id ? -1 : 1));
  }

  async frequent(who: Required<Eligibility>, call: Call): Promise<readonly CareService[]> {
    const { found, offers } = await this.#offersTo(who, call);
    const uses = await this.#usesOf(who.patientId, offers, call);
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

  async #offersTo(who: Eligibility, call: Call) {
    const { patient, coverage } = await applicant(this.#backend, who, call);
    const found = await this.#backend.catalogue.services.get(call);
    const offered = found.matches.filter((service) => isOffered(service, this.#backend));
    const isPaid = coverage ? await planCheck(coverage, offered, this.#backend, call) : () => true;
    const isOpen = (service: FhirService) => !patient || isFor(patient, service, this.#backend, call);
    return { found, offers: offered.filter((service) => isOpen(service) && isPaid(service)) };
  }

  async #rows(found: Found<'HealthcareService'>, services: readonly FhirService[], call: Call): Promise<CareService[]> {
    const allNamed = services.every((service) => namedPractitioner(service, this.#backend));
    const roles = allNamed ? undefined : await this.#backend.catalogue.roles.get(call);
    return services.map((service) => toCareService(service, found, roles, this.#backend));
  }

  /** How often the patient had each service and when last, under its id. */
  async #usesOf(patientId: string, services: readonly FhirService[], call: Call): Promise<Map<string, Use>> {
    const { client, codes, zone } = this.#backend;
    const since = new Date(call.now);
    since.setUTCMonth(since.getUTCMonth() - MONTHS);
    const query = {
      patient: `Patient/${patientId}`,
      date: `ge${zone.startOf(zone.dayOf(since.toISOString()))}`,
      status: BOOKED,
      _sort: '-date',
      _count: '200',
    };
    const { matches } = await client.search('Appointment', query, call);
    expectOwn(patientId, matches, actorsOf);
    const system = codes.system('hcs');
    const idOfCode = new Map(services.map((service) => [codeOf(service, system), service.id]));
    const uses = new Map<string, Use>();
    for (const { participant = [], serviceType, start } of matches) {
      const named = participant.flatMap(({ actor }) => idOf(actor, 'HealthcareService') ?? []);
      const ids = named.length > 0 ? named : [idOfCode.get(codeIn(serviceType, system))];
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
export const isOffered = (service: FhirService, { codes }: Pick<Backend, 'codes'>): boolean =>
  service.active !== false && codeOf(service, codes.system('hcs')) !== undefined;

/** The code by which schedules, slots and appointments name the service. */
export const codeOf = ({ type, category }: FhirService, system: string): string | undefined =>
  codeIn(type, system) ?? codeIn(category, system);

/** Whether it is given at a distance where nothing else is said. */
export const isVirtual = ({ characteristic }: FhirService): boolean => codeIn(characteristic, hl7.actCode) === 'VR';

const namedPractitioner = (service: FhirService, { codes }: Backend): string | undefined =>
  idOf(extensionIn(service, codes.extension('hcs-practitioner'))?.valueReference, 'Practitioner');

/** The only one who gives the service; empty when there are several or none. */
function onlyPractitioner(service: FhirService, roles: Found<'PractitionerRole'> | undefined): string {
  const { reference } = referTo('HealthcareService', service.id);
  const giving = (roles?.matches ?? []).filter(
    ({ active, healthcareService = [] }) =>
      active !== false && healthcareService.some((each) => each.reference === reference),
  );
  const ids = new Set(giving.map(practitionerOf));
  return ids.size === 1 ? ([...ids][0] ?? '') : '';
}

function toCareService(
  service: FhirService,
  found: Found<'HealthcareService'>,
  roles: Found<'PractitionerRole'> | undefined,
  backend: Backend,
): CareService {
  const { codes, zone } = backend;
  const extension = (name: string) => extensionIn(service, codes.extension(name));
  const created = extension('created-at')?.valueDateTime;
  const deleted = extension('deleted-at')?.valueDateTime;
  const updated = momentOf(service.meta?.lastUpdated ?? created ?? '1970-01-01', zone);
  const [place] = service.location ?? [];
  const kind = codeIn(service.category, codes.system('hcs-kind'));
  return {
    id: service.id,
    name: service.name ?? '',
    description: service.comment ?? '',
    type: kind === 'PRACTICA' ? 'PRACTICA' : 'CONSULTA',
    active: service.active !== false,
    offeredIn: found.follow(place, 'Location')?.name ?? place?.display ?? service.providedBy?.display ?? '',
    practitionerId: namedPractitioner(service, backend) ?? onlyPractitioner(service, roles),
    extraDetails: service.extraDetails ?? '',
    patientInstruction: extension('hcs-patient-instruction')?.valueMarkdown ?? '',
    integrationId:
      valueIn(service.identifier, [codes.sid('integration')]) ?? codeOf(service, codes.system('hcs')) ?? '',
    appointmentRequired: service.appointmentRequired ?? false,
    requiresAuthorization: extension('hcs-requires-authorization')?.valueBoolean ?? false,
    availabilityExceptions: service.availabilityExceptions ?? null,
    ...limitsOf(service, backend),
    createdAt: created === undefined ? updated : momentOf(created, zone),
    updatedAt: updated,
    deletedAt: deleted === undefined ? null : momentOf(deleted, zone),
  };
}
