import {
  type Call,
  type Carrier,
  type Coverage,
  type CoverageChanges,
  Failure,
  Insurance,
  type NewCoverage,
  type Plan,
} from '../../src/ports/index.ts';
import { throwIfAborted } from '../abort.ts';
import { isSameCredential } from '../credential.ts';
import { createPromisedFailure } from '../promised-failures.ts';
import { requireFound } from '../require-found.ts';
import { LastKeys } from './idempotent-writes.ts';
import type { SoldPlan, World } from './world.ts';

export class MemoryInsurance extends Insurance {
  readonly #world: World;
  readonly #keys = new LastKeys();

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async carriers({ ownerId }: { readonly ownerId?: string }, call: Call): Promise<readonly Carrier[]> {
    throwIfAborted(call);
    const { id, carriers } = this.#world;
    const chosen = ownerId === undefined ? carriers : carriers.filter(({ owners }) => owners.includes(ownerId));
    requireFound(ownerId === undefined || ownerId === id || chosen.length > 0, 'institution', 'ownerId');
    return chosen.map(({ id, name, active }) => ({ id, name, active }));
  }

  async plans(carrier: string, call: Call): Promise<readonly Plan[]> {
    throwIfAborted(call);
    const { carriers } = this.#world;
    const found = carriers.find(({ id }) => id === carrier) ?? carriers.find(({ name }) => name === carrier);
    if (!found) throw new Failure('not_found', 'there is no such carrier');
    return [...found.plans];
  }

  async coverages(patientId: string, call: Call): Promise<readonly Coverage[]> {
    throwIfAborted(call);
    this.#world.patients.get(patientId);
    return [...this.#world.coveragesOf.get(patientId)];
  }

  async create(wanted: NewCoverage, call: Call): Promise<{ readonly id: string }> {
    throwIfAborted(call);
    const { beneficiaryId, planId, credentialNumber } = wanted;
    this.#world.patients.get(beneficiaryId);
    const known = this.#world.coveragesOf.get(beneficiaryId);
    const own = known.find((each) => this.#keys.isOwn(each.id, call, wanted));
    if (own) return { id: own.id };
    const plan = this.#requireSoldPlan(planId);
    const same = known.filter((other) => isSameCredential(other.credentialNumber, credentialNumber));
    if (same.some(({ active }) => active)) throw createPromisedFailure('coverage_exists');
    const lapsed = same.find(({ carrier }) => carrier === plan.carrier);
    const id = lapsed?.id ?? crypto.randomUUID();
    const coverage = toCoverage({ id, patientId: beneficiaryId, planId, credentialNumber, active: true }, plan);
    if (lapsed) this.#world.replaceCoverage(coverage);
    else this.#world.addCoverage(coverage);
    this.#keys.set(id, call, wanted);
    return { id };
  }

  async edit(coverageId: string, { planId, credentialNumber }: CoverageChanges, call: Call): Promise<void> {
    throwIfAborted(call);
    const coverage = this.#world.coverages.get(coverageId);
    if (!coverage) throw new Failure('not_found', 'there is no such coverage');
    const plan = planId === undefined ? this.#world.plans.get(coverage.planId)! : this.#requireSoldPlan(planId);
    const number = credentialNumber ?? coverage.credentialNumber;
    this.#world.replaceCoverage(toCoverage({ ...coverage, planId: plan.id, credentialNumber: number }, plan));
  }

  #requireSoldPlan(id: string): SoldPlan {
    const plan = this.#world.plans.get(id);
    if (!plan) throw new Failure('not_found', 'there is no such plan');
    if (!plan.active) throw new Failure('invalid', 'the plan is no longer sold', { at: 'planId' });
    return plan;
  }
}

/** The coverage with the names of its plan and its carrier. */
export const toCoverage = (from: Omit<Coverage, 'carrier' | 'plan'>, plan: SoldPlan): Coverage =>
  Object.freeze({
    id: from.id,
    patientId: from.patientId,
    planId: from.planId,
    carrier: plan.carrier,
    plan: plan.name,
    credentialNumber: from.credentialNumber,
    active: from.active,
  });
