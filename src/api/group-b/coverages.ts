import { z } from 'zod';
import { operation } from '../operation.ts';
import { present } from '../present.ts';
import { id, someText } from '../scalars.ts';

const credentialNumber = z
  .union([someText(64), z.int().nonnegative()], { error: 'must be a credential number' })
  .transform(String)
  .meta({ description: 'The number on the insurance card, as text or as a number.' });

const toSavedBody = (status: 'created' | 'updated') => z.object({ status: z.literal(status), model: z.object({ id }) });

export const createCoverage = operation({
  name: 'createCoverage',
  route: 'POST /v1/coverages',
  summary: 'Create a coverage',
  additions: [
    '`status` is `created`. An unknown beneficiary or plan is a 404; a credential that the beneficiary has already, a 409 with the code `coverage_exists`.',
  ],
  scope: 'coverage:write',
  uses: 'insurance.create',
  body: z.strictObject({
    credentialNumber,
    beneficiaryId: id.meta({ description: 'The patient who is insured.' }),
    insurancePlanId: id,
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
  additions: ['`status` is `updated`. At least one field must be given; what is left out stays as it is.'],
  scope: 'coverage:write',
  uses: 'insurance.edit',
  params: z.object({ coverageId: id }),
  body: z
    .strictObject({ credentialNumber, insurancePlanId: id })
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'give credentialNumber or insurancePlanId',
    }),
  example: { params: { coverageId: 'ana-osde' }, body: { insurancePlanId: 'osde-310' } },
  returns: [200, toSavedBody('updated')],
  fails: ['not_found'],
  places: { credentialNumber: 'body /credentialNumber', planId: 'body /insurancePlanId' },
  listedStatuses: true,
  handle: async (insurance, { params, body }, call) => {
    await insurance.edit(
      params.coverageId,
      present({ credentialNumber: body.credentialNumber, planId: body.insurancePlanId }),
      call,
    );
    return { status: 'updated' as const, model: { id: params.coverageId } };
  },
});
