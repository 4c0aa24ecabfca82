import type { Call, CareService, CareServices, Eligibility } from '../../../src/ports/index.ts';
import { computeFrequentSince, isEligible, rankByUse } from '../../common/care-services.ts';
import { listServiceIds, toStatusFor } from '../appointments/read.ts';
import type { FhirContext } from '../context.ts';
import { allAppointments, searchPatientCompartment } from '../patients/person.ts';
import { isCurrent } from '../practitioners/read.ts';
import { reportOmitted } from '../rest/omitted.ts';
import { type SearchResult, toRows } from '../rest/search-result.ts';
import { createIsInForce } from '../schema/read.ts';
import type { FhirService } from '../schema/resources.ts';
import { appointmentStatuses } from '../schema/terminology.ts';
import { findApplicant, readPayer } from './eligibility.ts';
import { findNamedPractitioner, isAvailable, readLimits, toCareService } from './read.ts';

/** Services are `HealthcareService` resources of the institution. */
export function createCareServices(context: FhirContext): CareServices {
  const { catalogue, compareNames, zone } = context;
  return {
    async available(who, call) {
      const { found, offers } = await findAvailable(who, call);
      return toCareServices(found, offers, call);
    },

    async frequent(who, call) {
      const { found, offers } = await findAvailable(who, call);
      return toCareServices(found, await rankByAppointments(context, who.patientId, offers, call), call);
    },
  };

  /** The eligible services, by name. */
  async function findAvailable(who: Eligibility, call: Call) {
    const applicant = await findApplicant(context, who, call);
    const found = await catalogue.services.get(call);
    const offered = found.matches
      .filter((service) => isAvailable(service, context))
      .toSorted(compareNames)
      .map((service) => ({ service, limits: readLimits(service, context) }));
    const limits = offered.map((each) => each.limits);
    const coverage = await readPayer(applicant, limits, context, call);
    const today = zone.toLocalDay(call.now);
    const eligible = offered.filter((each) => isEligible(each.limits, { ...applicant, coverage }, today));
    return { found, offers: eligible.map(({ service }) => service) };
  }

  async function toCareServices(
    found: SearchResult<'HealthcareService'>,
    services: readonly FhirService[],
    call: Call,
  ): Promise<CareService[]> {
    const allNamed = services.every((service) => findNamedPractitioner(service, context));
    const all = allNamed ? [] : (await catalogue.roles.get(call)).matches;
    const isInForce = createIsInForce(call, zone);
    const roles = all.filter((role) => isCurrent(role, isInForce));
    return toRows(found, services, (service) => toCareService(service, found, roles, context), call);
  }
}

/** The services that the patient used, by frequency. */
async function rankByAppointments(
  { client, codes, zone }: FhirContext,
  patientId: string,
  services: readonly FhirService[],
  call: Call,
) {
  const query = {
    date: `ge${computeFrequentSince(zone, call)}`,
    status: appointmentStatuses.active.join(','),
    _sort: '-date',
    _count: '200',
  };
  const search = { who: patientId, query, ...allAppointments, lenient: true } as const;
  const { found, person } = await searchPatientCompartment(client, 'Appointment', search, call);
  reportOmitted(found.unreadable, call);
  const active = found.matches.filter((each) => toStatusFor(person.ids, each) === 'active');
  const uses = active.flatMap((each) =>
    listServiceIds(each, services, codes).map((serviceId) => ({
      serviceId,
      begins: Date.parse(each.start ?? '') || 0,
    })),
  );
  return rankByUse(services, uses);
}
