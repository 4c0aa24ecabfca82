import type { Call, CareService, CareServices, Eligibility } from '../../../src/ports/index.ts';
import { checkApplicant, isEligible, type ServiceLimits } from '../../common/eligibility.ts';
import { computeFrequentSince, rankByUse } from '../../common/frequent-services.ts';
import { listAppointments } from './appointment-records.ts';
import type { Hospital } from './hospital.ts';
import { findCoverage } from './insurance.ts';
import { findPatient } from './patients.ts';

/** A service, and what decides who is eligible for it. */
export interface OfferedService extends ServiceLimits {
  readonly careService: CareService;
}

export const createCareServices = (hospital: Hospital): CareServices => ({
  available: (who, call) => listAvailable(hospital, who, call),

  frequent: async (who, call) => {
    const [available, appointments] = await Promise.all([
      listAvailable(hospital, who, call),
      listAppointments(hospital, { patientId: who.patientId }, call),
    ]);
    const since = Date.parse(computeFrequentSince(hospital.zone, call));
    const uses = appointments
      .filter(({ status, begins }) => status === 'active' && begins >= since)
      .flatMap(({ services, begins }) => services.map(({ id }) => ({ serviceId: id, begins })));
    return rankByUse(available, uses);
  },
});

async function listAvailable(hospital: Hospital, who: Eligibility, call: Call): Promise<CareService[]> {
  const [applicant, services] = await Promise.all([findApplicant(hospital, who, call), listServices(hospital, call)]);
  checkApplicant(who, applicant);
  return services
    .filter((service) => isEligible(service, applicant, hospital.zone.toLocalDay(call.now)))
    .map(({ careService }) => careService)
    .toSorted(hospital.compareNames);
}

/** The patient and the coverage with these ids, as far as they exist. */
export async function findApplicant(hospital: Hospital, { patientId, coverageId }: Eligibility, call: Call) {
  const [patient, coverage] = await Promise.all([
    findPatient(hospital, patientId, call),
    findCoverage(hospital, coverageId, patientId, call),
  ]);
  return { patient, coverage };
}

/** The services that are offered now. */
export async function listServices(hospital: Hospital, call: Call): Promise<OfferedService[]> {
  const records = await hospital.find('services', 'all', {}, call);
  return records
    .filter(({ active }) => active)
    .map(({ sex, plans, createdAt = UNKNOWN, updatedAt = createdAt, ...record }) => ({
      minAge: record.minAge,
      maxAge: record.maxAge,
      sex,
      plans: plans.length === 0 ? null : new Set(plans.map(({ id }) => id)),
      careService: { ...record, createdAt, updatedAt },
    }));
}

/** When a service was made of which the system does not say it. */
const UNKNOWN = '1970-01-01T00:00:00.000Z';
