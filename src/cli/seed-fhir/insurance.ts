import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import { toConcept } from './datatypes.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';

export const buildCarriers = ({ world }: Context): Seed<'Organization'>[] =>
  world.carriers.map(({ id, name, active }) => ({
    id,
    resource: { resourceType: 'Organization', active, type: [toConcept(hl7.organizationType, 'ins')], name },
  }));

/** The plans that carriers sell; those of an inactive carrier are retired. */
export const buildPlans = ({ world, codes, ids }: Context): Seed<'InsurancePlan'>[] =>
  world.carriers.flatMap((carrier) =>
    carrier.plans.map(({ id, name, active }) => ({
      id,
      resource: {
        resourceType: 'InsurancePlan',
        identifier: [{ system: codes.sid('plan'), value: id }],
        status: active && carrier.active ? 'active' : 'retired',
        name,
        ownedBy: ids.refer('Organization', carrier.id),
      },
    })),
  );

/** Which institution has a contract with which carrier. */
export const buildContracts = ({ world, ids }: Context): Seed<'OrganizationAffiliation'>[] =>
  world.carriers.flatMap((carrier) =>
    carrier.owners.map((owner) => ({
      id: `${owner}-${carrier.id}`,
      resource: {
        resourceType: 'OrganizationAffiliation',
        active: true,
        organization: ids.refer('Organization', owner),
        participatingOrganization: ids.refer('Organization', carrier.id),
      },
    })),
  );

export function buildCoverages({ world, codes, ids }: Context): Seed<'Coverage'>[] {
  const sold = new Map(
    world.carriers.flatMap((carrier) => carrier.plans.map((plan) => [plan.id, { plan, carrier }] as const)),
  );
  return world.coverages.map(({ id, patientId, planId, credentialNumber, active }) => {
    const { plan, carrier } = sold.get(planId)!;
    const system = codes.sid(`credential/${ids.getId('Organization', carrier.id)}`);
    return {
      id,
      resource: {
        resourceType: 'Coverage',
        extension: [{ url: codes.extension('coverage-plan'), valueReference: ids.refer('InsurancePlan', planId) }],
        identifier: [{ type: toConcept(hl7.identifierType, 'MB'), system, value: credentialNumber }],
        status: active ? 'active' : 'cancelled',
        subscriberId: credentialNumber,
        beneficiary: ids.refer('Patient', patientId),
        payor: [{ ...ids.refer('Organization', carrier.id), display: carrier.name }],
        class: [{ type: toConcept(hl7.coverageClass, 'plan'), value: planId, name: plan.name }],
      },
    };
  });
}
