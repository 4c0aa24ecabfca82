import { z } from 'zod';
import { type Coverage, Failure } from '../../ports/index.ts';
import { patientId } from '../ids.ts';
import { operation } from '../operation.ts';
import { exactText, flagOut, id, toFlag } from '../scalars.ts';

const carrierBody = z
  .object({
    id: id.meta({ description: 'Addition of this gateway: identifies the carrier in the path of its plans.' }),
    carrier: z.string().meta({ description: 'The name of the carrier.' }),
    active: flagOut,
  })
  .meta({ id: 'Carrier' });

const planBody = z
  .object({
    id: id.meta({ description: 'Addition of this gateway: identifies the plan.' }),
    plan: z.string().meta({ description: 'The name of the plan.' }),
    active: flagOut,
  })
  .meta({ id: 'Plan' });

const healthInsurance = z
  .object({
    id: id.meta({ description: 'Other operations call it `health_insurance_id`.' }),
    carrier: z.string().meta({ description: 'The name of the carrier.' }),
    plan: z.string().meta({ description: 'The name of the plan.' }),
    credential_number: z.string().meta({ description: 'The number on the patient’s insurance card.' }),
    active: flagOut,
  })
  .meta({ id: 'HealthInsurance', description: 'A patient’s health insurance; Group B calls it a coverage.' });

/** As an id, but a name may have spaces; first as it is sent, because an institution need not write names in NFC. */
const carrierKey = exactText(128)
  .regex(/\S/, 'must not be empty')
  .regex(/^(?!\.{1,2}$)[^/\\?#%]+$/, 'must not contain / \\ ? # %')
  .meta({ description: 'The id of the carrier, or its exact name.' });

export const listCarriers = operation({
  name: 'listCarriers',
  route: 'GET /health_insurance_carriers/',
  summary: 'List health insurance carriers',
  additions: ['Each carrier has an `id`, which the path of its plans accepts.'],
  scope: 'insurance:read',
  uses: ['insurance.carriers'],
  example: {},
  returns: [200, z.object({ health_insurance_carriers: z.array(carrierBody) })],
  handle: async (insurance, _input, call) => {
    const carriers = await insurance.carriers({}, call);
    return {
      health_insurance_carriers: carriers.map(({ id, name, active }) => ({
        id,
        carrier: name,
        active: toFlag(active),
      })),
    };
  },
});

export const listPlans = operation({
  name: 'listPlans',
  route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
  summary: 'List the plans of a carrier',
  additions: ['Each plan has an `id`. The path accepts the id of the carrier or its exact name.'],
  scope: 'insurance:read',
  uses: ['insurance.plans'],
  params: z.object({ id: carrierKey }),
  example: { params: { id: 'osde' } },
  returns: [200, z.object({ health_insurance_plans: z.array(planBody) })],
  fails: ['not_found'],
  handle: async (insurance, { params }, call) => {
    const composed = params.id.normalize('NFC');
    const plans = await insurance.plans(params.id, call).catch((error: unknown) => {
      if (composed === params.id || !(error instanceof Failure) || error.kind !== 'not_found') throw error;
      return insurance.plans(composed, call);
    });
    return {
      health_insurance_plans: plans.map(({ id, name, active }) => ({ id, plan: name, active: toFlag(active) })),
    };
  },
});

export const toInsuranceBody = ({ credentialNumber, active, ...coverage }: Coverage) => ({
  ...coverage,
  credential_number: credentialNumber,
  active: toFlag(active),
});

export const listHealthInsurances = operation({
  name: 'listHealthInsurances',
  route: 'GET /patients/{id}/health_insurances',
  summary: 'List a patient’s health insurances',
  additions: ['Inactive health insurances are included, with `active` `"false"`.'],
  scope: 'patients:read',
  uses: ['insurance.coverages'],
  params: z.object({ id: patientId }),
  example: { params: { id: 'ana' } },
  returns: [200, z.object({ health_insurances: z.array(healthInsurance) })],
  fails: ['not_found'],
  handle: async (insurance, { params }, call) => {
    const coverages = await insurance.coverages(params.id, call);
    return { health_insurances: coverages.map(toInsuranceBody) };
  },
});
