import { type Call, type CareService, CareServices, type Eligibility } from '../../src/ports/index.ts';
import { throwIfAborted } from '../abort.ts';
import { isEligible } from '../eligibility.ts';
import { computeFrequentSince, rankByUse } from '../frequent-services.ts';
import { findApplicant } from './slots.ts';
import type { World } from './world.ts';

export class MemoryCareServices extends CareServices {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async available(who: Eligibility, call: Call): Promise<readonly CareService[]> {
    throwIfAborted(call);
    return this.#findAvailable(who, call);
  }

  async frequent(who: Required<Eligibility>, call: Call): Promise<readonly CareService[]> {
    throwIfAborted(call);
    const available = this.#findAvailable(who, call);
    const since = Date.parse(computeFrequentSince(this.#world.zone, call));
    const uses = this.#world.appointments
      .findByPatient(who.patientId)
      .filter(({ status, interval }) => status === 'active' && interval.begins >= since)
      .flatMap(({ services, interval: { begins } }) => services.map(({ id }) => ({ serviceId: id, begins })));
    return rankByUse(available, uses);
  }

  #findAvailable(who: Eligibility, { now }: Call): CareService[] {
    const applicant = findApplicant(this.#world, who);
    const today = this.#world.today(now);
    return [...this.#world.services.values()]
      .filter((service) => service.careService.active && isEligible(service, applicant, today))
      .map(({ careService }) => careService);
  }
}
