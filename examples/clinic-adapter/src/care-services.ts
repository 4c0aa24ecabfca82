import {
  type Call,
  type CareService,
  type CareServices,
  checkApplicant,
  computeFrequentSince,
  createNameOrder,
  type Eligibility,
  isEligible,
  rankByUse,
  throwIfAborted,
} from 'puente/adapter';
import type { Catalogue } from './catalogue.ts';
import type { Clinic } from './clinic.ts';
import { findCoverage } from './insurance.ts';
import { findPatient } from './patients.ts';
import type { Turnos } from './turnos.ts';

export const createCareServices = (clinic: Clinic, catalogue: Catalogue, turnos: Turnos): CareServices => {
  const { zone, locale } = clinic.rules;

  const listAvailable = (who: Eligibility, call: Call): CareService[] => {
    const applicant = findApplicant(clinic, who);
    return catalogue
      .list(call)
      .filter((service) => isEligible(service, applicant, zone.toLocalDay(call.now)))
      .map(({ careService }) => careService)
      .toSorted(createNameOrder(locale));
  };

  return {
    available: async (who, call) => {
      throwIfAborted(call);
      return listAvailable(who, call);
    },

    frequent: async (who, call) => {
      throwIfAborted(call);
      const since = zone.toLocalTime(computeFrequentSince(zone, call));
      return rankByUse(listAvailable(who, call), turnos.listUses(who.patientId, since, call));
    },
  };
};

/** The patient and the coverage with these ids. @throws Failure invalid as `CareServices.available` promises. */
export function findApplicant(clinic: Clinic, who: Eligibility) {
  const applicant = { patient: findPatient(clinic, who.patientId), coverage: findCoverage(clinic, who.coverageId) };
  checkApplicant(who, applicant);
  return applicant;
}
