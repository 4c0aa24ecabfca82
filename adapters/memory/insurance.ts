import { type Coverage, Failure, type Insurance } from '../../src/ports/index.ts';
import { isSameCredential } from '../../src/toolkit/credential.ts';
import { checkOpenRecord } from '../common/eligibility.ts';
import { createPromisedFailure } from '../common/promised-failures.ts';
import { requireFound } from '../common/require-found.ts';
import { LastKeys } from './idempotent-writes.ts';
import type { SoldPlan, World } from './world.ts';

export function createInsurance(world: World): Insurance {
  const keys = new LastKeys();
  return {
    async carriers({ ownerId }) {
      const { id, carriers } = world;
      const chosen = ownerId === undefined ? carriers : carriers.filter(({ owners }) => owners.includes(ownerId));
      requireFound(ownerId === undefined || ownerId === id || chosen.length > 0, 'institution', 'ownerId');
      return chosen.map(({ id, name, active }) => ({ id, name, active }));
    },

    async plans(carrier) {
      const { carriers } = world;
      const found = carriers.find(({ id }) => id === carrier) ?? carriers.find(({ name }) => name === carrier);
      if (!found) throw new Failure('not_found', 'there is no such carrier');
      return [...found.plans];
    },

    async coverages(patientId) {
      world.patients.get(patientId);
      return [...world.coveragesOf.get(patientId)];
    },

    async create(wanted, call) {
      const { beneficiaryId, planId, credentialNumber } = wanted;
      world.patients.get(beneficiaryId);
      const known = world.coveragesOf.get(beneficiaryId);
      const own = known.find((each) => keys.isOwn(each.id, call, wanted));
      if (own) return { id: own.id };
      checkOpenRecord(world.patients.get(beneficiaryId), 'beneficiaryId');
      const plan = requireSoldPlan(planId);
      const same = known.filter((other) => isSameCredential(other.credentialNumber, credentialNumber));
      if (same.some(({ active }) => active)) throw createPromisedFailure('coverage_exists');
      const lapsed = same.find(({ carrier }) => carrier === plan.carrier);
      const id = lapsed?.id ?? crypto.randomUUID();
      const coverage = toCoverage({ id, patientId: beneficiaryId, planId, credentialNumber, active: true }, plan);
      if (lapsed) world.replaceCoverage(coverage);
      else world.addCoverage(coverage);
      keys.set(id, call, wanted);
      return { id };
    },

    async edit(coverageId, { planId, credentialNumber }) {
      const coverage = world.coverages.get(coverageId);
      if (!coverage) throw new Failure('not_found', 'there is no such coverage');
      const plan = planId === undefined ? world.plans.get(coverage.planId)! : requireSoldPlan(planId);
      const number = credentialNumber ?? coverage.credentialNumber;
      world.replaceCoverage(toCoverage({ ...coverage, planId: plan.id, credentialNumber: number }, plan));
    },
  };

  function requireSoldPlan(id: string): SoldPlan {
    const plan = world.plans.get(id);
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
