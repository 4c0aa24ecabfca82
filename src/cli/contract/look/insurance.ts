import { z } from 'zod';
import type { ApiReader } from './api-reader.ts';
import type { FoundFixtures } from './found-fixtures.ts';
import type { Person } from './patients.ts';

const carrierBody = z.object({ id: z.string(), carrier: z.string(), active: z.string() });
const planBody = z.object({ id: z.string(), plan: z.string(), active: z.string() });

/** So many carriers are asked for their plans. */
const MAX_CARRIERS = 60;

/** Finds carriers, and plans that can stand for those that are accepted or no longer sold. */
export async function lookForInsurance(
  reader: ApiReader,
  person: Person | undefined,
  findings: FoundFixtures,
): Promise<void> {
  const carriers = await reader.list(carrierBody, 'health_insurance_carriers', {
    route: 'GET /health_insurance_carriers/',
  });
  const active = person?.coverages.find((coverage) => coverage.active === 'true');
  // That of the patient first: its plan is accepted somewhere.
  const sorted = carriers
    .filter((carrier) => carrier.active === 'true')
    .toSorted(
      (first, second) => Number(second.carrier === active?.carrier) - Number(first.carrier === active?.carrier),
    );
  const known = [];
  for (const { id, carrier } of sorted.slice(0, MAX_CARRIERS)) {
    const plans = await reader.list(planBody, 'health_insurance_plans', {
      route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
      params: { id },
    });
    known.push({ id, name: carrier, plans });
  }
  const all = known.flatMap(({ plans }) => plans);
  const sold = known.map((each) => ({ ...each, plans: each.plans.filter((plan) => plan.active === 'true') }));
  const withPlans = sold.find(({ plans }) => plans.length > 1) ?? sold.find(({ plans }) => plans.length > 0);
  const accepted = withPlans?.plans.find(({ plan }) => plan === active?.plan) ?? withPlans?.plans[0];
  const another = withPlans?.plans.find((plan) => plan !== accepted);
  findings.add('carriers.withPlans', withPlans && { id: withPlans.id, name: withPlans.name });
  findings.add('carriers.withoutPlans', known.find(({ plans }) => plans.length === 0)?.id);
  findings.add(
    'plans.accepted',
    accepted?.id,
    accepted && accepted.plan !== active?.plan ? 'is it accepted?' : undefined,
  );
  findings.add('plans.another', another?.id, 'is it accepted?');
  findings.add('plans.withdrawn', all.find((plan) => plan.active === 'false')?.id);
}
