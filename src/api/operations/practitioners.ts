import { z } from 'zod';
import type { NewChangeRequest, Practitioner } from '../../ports/index.ts';
import { toRecord } from '../../toolkit/records.ts';
import { operation } from '../operation.ts';
import { id, patientId, practitionerId, reasonId, text } from '../scalars.ts';

const practitionerBody = z
  .object({
    id: z.string().meta({ description: 'Empty if the institution’s system has only the name.' }),
    name: z.string(),
    specialty: z.string(),
    email: z.string(),
    phone: z.string(),
    working_hours: z.string().meta({ description: 'Free text.' }),
    location: z.string().meta({ description: 'Free text.' }),
    is_available: z.boolean().meta({ description: 'True if the practitioner accepts patients now.' }),
  })
  .meta({ id: 'Practitioner' });

const toPractitionerBody = ({ workingHours, available, ...rest }: Practitioner): z.input<typeof practitionerBody> => ({
  ...rest,
  working_hours: workingHours,
  is_available: available,
});

export const getMainPractitioner = operation({
  name: 'getMainPractitioner',
  route: 'GET /patients/{id}/practitioner',
  summary: 'Get a patient’s main practitioner',
  additions: ['A patient without a main practitioner is 404 `no_main_practitioner`.'],
  scope: 'patients:read',
  uses: ['practitioners.mainOf'],
  params: z.object({ id: patientId }),
  example: { params: { id: 'ana' } },
  returns: [200, practitionerBody],
  fails: ['not_found', 'no_main_practitioner'],
  handle: async (practitioners, { params }, call) => toPractitionerBody(await practitioners.mainOf(params.id, call)),
});

export const requestPractitionerChange = operation({
  name: 'requestPractitionerChange',
  route: 'POST /patients/{id}/practitioner/change_request',
  summary: 'Request another main practitioner',
  additions: [
    'The body, which the API document does not define. `reason_id` is one of the change reasons. `practitioner_id`, the preferred practitioner, and `observations` are optional.',
    'While a request of the patient is `in_progress`, another one is 409 `change_request_open`.',
  ],
  scope: 'practitioner-change:write',
  uses: ['practitioners.requestChange'],
  params: z.object({ id: patientId }),
  body: z.strictObject({
    reason_id: reasonId,
    practitioner_id: practitionerId
      .meta({ description: `The preferred practitioner. ${practitionerId.description}` })
      .optional(),
    observations: text(4000).optional(),
  }),
  example: { params: { id: 'ana' }, body: { reason_id: 'mudanza', practitioner_id: 'vidal' } },
  returns: [200, z.object({ id, reason_id: id }).meta({ id: 'CreatedChangeRequest' })],
  fails: ['not_found', 'change_request_open'],
  places: {
    patientId: 'path /id',
    reasonId: 'body /reason_id',
    practitionerId: 'body /practitioner_id',
    observations: 'body /observations',
  },
  handle: async (practitioners, { params, body }, call) => {
    const { id, reasonId } = await practitioners.requestChange(
      params.id,
      toRecord<NewChangeRequest>({
        reasonId: body.reason_id,
        practitionerId: body.practitioner_id,
        observations: body.observations,
      }),
      call,
    );
    return { id, reason_id: reasonId };
  },
});

export const listPractitionerChangeReasons = operation({
  name: 'listPractitionerChangeReasons',
  route: 'GET /practitioner/change_request/reasons',
  summary: 'List the reasons for changing the main practitioner',
  scope: 'directory:read',
  uses: ['practitioners.changeReasons'],
  example: {},
  returns: [
    200,
    z.array(
      z
        .object({
          id,
          status: z.string().meta({ description: 'The text of the reason, despite the name of the field.' }),
        })
        .meta({ id: 'ChangeReason' }),
    ),
  ],
  handle: async (practitioners, _input, call) => {
    const reasons = await practitioners.changeReasons(call);
    return reasons.map(({ id, label }) => ({ id, status: label }));
  },
});

export const getPractitionerChange = operation({
  name: 'getPractitionerChange',
  route: 'GET /patients/{id}/practitioner/change_request',
  summary: 'Get a patient’s latest change request',
  additions: ['A patient without a change request is 404 `no_change_request`.'],
  scope: 'practitioner-change:read',
  uses: ['practitioners.changeRequestOf'],
  params: z.object({ id: patientId }),
  example: { params: { id: 'ana' } },
  returns: [
    200,
    z
      .object({
        id,
        status: z.string().meta({ description: '`in_progress` until the institution has processed the request.' }),
      })
      .meta({ id: 'ChangeRequest' }),
  ],
  fails: ['not_found', 'no_change_request'],
  handle: (practitioners, { params }, call) => practitioners.changeRequestOf(params.id, call),
});

export const listPractitioners = operation({
  name: 'listPractitioners',
  route: 'GET /practitioner/',
  summary: 'List the institution’s practitioners',
  scope: 'directory:read',
  uses: ['practitioners.list'],
  example: {},
  returns: [200, z.object({ practitioner: z.array(practitionerBody) })],
  handle: async (practitioners, _input, call) => ({
    practitioner: (await practitioners.list(call)).map(toPractitionerBody),
  }),
});
