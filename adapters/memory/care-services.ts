import type { Call, CareService, CareServices, Eligibility } from '../../src/ports/index.ts';
import { isEligible } from '../common/eligibility.ts';
import { computeFrequentSince, rankByUse } from '../common/frequent-services.ts';
import { findApplicant } from './slots.ts';
import type { World } from './world.ts';

export function createCareServices(world: World): CareServices {
  return {
    available: async (who, call) => findAvailable(who, call),

    async frequent(who, call) {
      const available = findAvailable(who, call);
      const since = Date.parse(computeFrequentSince(world.zone, call));
      const uses = world.appointments
        .findByPatient(who.patientId)
        .filter(({ status, interval }) => status === 'active' && interval.begins >= since)
        .flatMap(({ services, interval: { begins } }) => services.map(({ id }) => ({ serviceId: id, begins })));
      return rankByUse(available, uses);
    },
  };

  function findAvailable(who: Eligibility, { now }: Call): CareService[] {
    const applicant = findApplicant(world, who);
    const today = world.today(now);
    return [...world.services.values()]
      .filter((service) => service.careService.active && isEligible(service, applicant, today))
      .map(({ careService }) => careService);
  }
}
