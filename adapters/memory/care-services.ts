import { type Call, type CareService, CareServices, type Eligibility, type Instant } from '../../src/ports/index.ts';
import { throwIfAborted } from '../abort.ts';
import { addMonths } from '../zone.ts';
import { findApplicant, isEligible } from './eligibility.ts';
import { compareText } from './lists.ts';
import type { World } from './world.ts';

const FREQUENT_MONTHS = 24;

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
    const uses = this.#countUses(who.patientId, call.now);
    return available
      .flatMap((service) => {
        const use = uses.get(service.id);
        return use ? [{ service, ...use }] : [];
      })
      .sort((a, b) => b.count - a.count || compareText(b.latest, a.latest))
      .map(({ service }) => service);
  }

  #findAvailable(who: Eligibility, { now }: Call): CareService[] {
    const applicant = findApplicant(this.#world, who);
    const today = this.#world.today(now);
    return [...this.#world.services.values()]
      .filter((service) => isEligible(service, applicant, today))
      .map(({ careService }) => careService);
  }

  /** How often the patient booked each service and when last, without canceled appointments. */
  #countUses(patientId: string, now: Instant): Map<string, Use> {
    const since = `${addMonths(this.#world.today(now), -FREQUENT_MONTHS)}T00:00:00`;
    const uses = new Map<string, Use>();
    for (const { status, start, services } of this.#world.appointments.findByPatient(patientId)) {
      if (status !== 'active' || start < since) continue;
      for (const { id } of services) {
        const use = uses.get(id);
        uses.set(id, { count: (use?.count ?? 0) + 1, latest: pickLater(use?.latest, start) });
      }
    }
    return uses;
  }
}

const pickLater = (known = '', start: string): string => (known > start ? known : start);

interface Use {
  readonly count: number;
  readonly latest: string;
}
