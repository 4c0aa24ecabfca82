import { z } from 'zod';
import { type Call, type Coverage, type CoverageChanges, Failure, type Insurance } from '../../ports/index.ts';
import { omitUndefined, toRecord } from '../../toolkit/records.ts';
import { operation } from '../operation.ts';
import { coverageId, exactText, flagOut, id, patientId, planId, someText, sortDirection, toFlag } from '../scalars.ts';
import { includesText, pageAddition, pageBody, pageQuery, paginate, search } from './page.ts';

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

/**
 * Like an id, but a name may contain spaces. The text as sent comes first, because an institution's names may not be in
 * NFC.
 */
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

const carrierRow = z.object({ id, name: z.string() }).meta({ id: 'InsuranceCarrier' });

const query = z.object({
  search,
  ...pageQuery,
  sortProperty: z.enum(['name', 'id']).meta({ id: 'CarrierSortProperty' }).default('name'),
  sortDirection: sortDirection.default('ASC'),
});

const additions = [
  pageAddition,
  '`sortProperty` is `name` (default) or `id`. `sortDirection` is `ASC` (default) or `DESC`. Inactive carriers are left out.',
];

const byOwner = query.extend({
  ownerId: id.meta({ description: 'Only carriers with a contract with this institution.' }).optional(),
});

const byId = new Intl.Collator('en', { numeric: true });

async function listCarriersPage(insurance: Pick<Insurance, 'carriers'>, request: z.output<typeof byOwner>, call: Call) {
  const { sortProperty, sortDirection } = request;
  const carriers = await insurance.carriers(omitUndefined({ ownerId: request.ownerId }), call);
  const rows = carriers
    .filter(({ active, name }) => active && includesText(name, request.search))
    .map(({ id, name }) => ({ id, name }));
  if (sortProperty === 'id') rows.sort((a, b) => byId.compare(a.id, b.id));
  return paginate(sortDirection === 'ASC' ? rows : rows.toReversed(), request);
}

export const getInsuranceCarriers = operation({
  name: 'getInsuranceCarriers',
  route: 'GET /v1/insurance-carriers',
  summary: 'List insurance carriers (paged)',
  additions,
  scope: 'insurance:read',
  uses: ['insurance.carriers'],
  query,
  example: { query: { search: 'os', page: '0', limit: '10', sortProperty: 'name', sortDirection: 'ASC' } },
  returns: [200, pageBody(carrierRow)],
  listedStatuses: true,
  handle: (insurance, { query }, call) => listCarriersPage(insurance, query, call),
});

export const getInsuranceCarriersByOwner = operation({
  name: 'getInsuranceCarriersByOwner',
  route: 'GET /v1/insurance-carriers/by-owner',
  summary: 'List insurance carriers by institution (paged)',
  additions: [
    ...additions,
    '`ownerId` is the id of an institution with a contract with the carriers. Without it, all carriers are listed. The id of a carrier is 422.',
  ],
  scope: 'insurance:read',
  uses: ['insurance.carriers'],
  query: byOwner,
  example: { query: { ownerId: 'sanatorio-del-puente', search: 'os' } },
  returns: [200, pageBody(carrierRow)],
  places: { ownerId: 'query /ownerId' },
  listedStatuses: true,
  handle: (insurance, { query }, call) => listCarriersPage(insurance, query, call),
});

const credentialNumber = z
  .union([someText(64), z.int().nonnegative()], { error: 'must be a credential number' })
  .transform(String)
  .meta({ description: 'The number on the insurance card, as a string or a number.' });

const toSavedBody = (status: 'created' | 'updated') => z.object({ status: z.literal(status), model: z.object({ id }) });

export const createCoverage = operation({
  name: 'createCoverage',
  route: 'POST /v1/coverages',
  summary: 'Create a coverage',
  additions: [
    '`status` is `created`. An unknown beneficiary or plan is 404. A credential number that an active coverage of the beneficiary already has is 409 `coverage_exists`: blanks and case are ignored. A lapsed coverage of the same carrier is reactivated with its id.',
  ],
  scope: 'coverage:write',
  uses: ['insurance.create'],
  body: z.strictObject({
    credentialNumber,
    beneficiaryId: patientId,
    insurancePlanId: planId,
  }),
  example: { body: { credentialNumber: '60-998877-1', beneficiaryId: 'bruno', insurancePlanId: 'swiss-smg20' } },
  returns: [201, toSavedBody('created')],
  fails: ['not_found', 'coverage_exists'],
  places: {
    credentialNumber: 'body /credentialNumber',
    beneficiaryId: 'body /beneficiaryId',
    planId: 'body /insurancePlanId',
  },
  listedStatuses: true,
  handle: async (insurance, { body }, call) => {
    const { credentialNumber, beneficiaryId, insurancePlanId: planId } = body;
    const { id } = await insurance.create({ credentialNumber, beneficiaryId, planId }, call);
    return { status: 'created' as const, model: { id } };
  },
});

export const editCoverage = operation({
  name: 'editCoverage',
  route: 'PUT /v1/coverages/{coverageId}',
  summary: 'Edit a coverage',
  additions: ['`status` is `updated`. At least one field is required. Only the given fields change.'],
  scope: 'coverage:write',
  uses: ['insurance.edit'],
  params: z.object({ coverageId }),
  body: z
    .strictObject({ credentialNumber, insurancePlanId: planId })
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'credentialNumber or insurancePlanId is required',
    })
    .meta({ minProperties: 1 }),
  example: { params: { coverageId: 'ana-osde' }, body: { insurancePlanId: 'osde-310' } },
  returns: [200, toSavedBody('updated')],
  fails: ['not_found'],
  places: { credentialNumber: 'body /credentialNumber', planId: 'body /insurancePlanId' },
  listedStatuses: true,
  handle: async (insurance, { params, body }, call) => {
    await insurance.edit(
      params.coverageId,
      toRecord<CoverageChanges>({ credentialNumber: body.credentialNumber, planId: body.insurancePlanId }),
      call,
    );
    return { status: 'updated' as const, model: { id: params.coverageId } };
  },
});
