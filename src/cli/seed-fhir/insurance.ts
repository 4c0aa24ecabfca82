import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { Context, Seed, Step } from './plan.ts';
import { concept, typedId } from './terms.ts';

/** Who pays, what they sell, and with whom the institution has a contract. */
export function insurance({ hospital, codes }: Context): Step[] {
  const carriers = hospital.carriers.map(
    ({ id, name, active }): Seed => ({
      type: 'Organization',
      name: id,
      elements: () => ({ active, type: [concept(hl7.organizationType, 'ins')], name }),
    }),
  );
  const plans = hospital.carriers.flatMap(({ id: carrier, active: trades, plans }) =>
    plans.map(
      ({ id, name, active }): Seed => ({
        type: 'InsurancePlan',
        name: id,
        elements: (known) => ({
          identifier: [{ system: codes.sid('plan'), value: id }],
          status: active && trades ? 'active' : 'retired',
          name,
          ownedBy: known.to('Organization', carrier),
        }),
      }),
    ),
  );
  const contracts = hospital.carriers.flatMap(({ id: carrier, owners }) =>
    owners.map(
      (owner): Seed => ({
        type: 'OrganizationAffiliation',
        name: `${owner}-${carrier}`,
        elements: (known) => ({
          active: true,
          organization: known.to('Organization', owner),
          participatingOrganization: known.to('Organization', carrier),
        }),
      }),
    ),
  );
  return [
    { title: 'carriers', seeds: carriers },
    { title: 'plans', seeds: plans },
    { title: 'contracts with carriers', seeds: contracts },
  ];
}

/** What the patients have. */
export function coverages({ hospital, codes }: Context): Step {
  const sold = new Map(
    hospital.carriers.flatMap((carrier) => carrier.plans.map((plan) => [plan.id, { plan, carrier }] as const)),
  );
  const seeds = hospital.coverages.map(({ id, patientId, planId, credentialNumber, active }): Seed => {
    const { plan, carrier } = sold.get(planId)!;
    return {
      type: 'Coverage',
      name: id,
      elements: (known) => ({
        extension: [{ url: hl7.coveragePlan, valueReference: known.to('InsurancePlan', planId) }],
        identifier: [
          typedId('MB', codes.sid(`credential/${known.idOf('Organization', carrier.id)}`), credentialNumber),
        ],
        status: active ? 'active' : 'cancelled',
        subscriberId: credentialNumber,
        beneficiary: known.to('Patient', patientId),
        payor: [{ ...known.to('Organization', carrier.id), display: carrier.name }],
        class: [{ type: concept(hl7.coverageClass, 'plan'), value: planId, name: plan.name }],
      }),
    };
  });
  return { title: 'coverages', seeds };
}
