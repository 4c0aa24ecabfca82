import { z } from 'zod';
import { omitUndefined } from '../../ports/omit-undefined.ts';
import { coverageId, patientId, planId } from '../ids.ts';
import { operation } from '../operation.ts';
import { id, someText } from '../scalars.ts';

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
    '`status` is `created`. An unknown beneficiary or plan is 404; a credential number that the beneficiary already has on an active coverage, blanks and case aside, is 409 `coverage_exists`. A coverage of the same carrier that has lapsed is taken up again, with its id.',
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
  additions: ['`status` is `updated`. At least one field is required; only the fields that are given change.'],
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
      omitUndefined({ credentialNumber: body.credentialNumber, planId: body.insurancePlanId }),
      call,
    );
    return { status: 'updated' as const, model: { id: params.coverageId } };
  },
});
