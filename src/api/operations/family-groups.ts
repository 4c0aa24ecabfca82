import { z } from 'zod';
import { Failure } from '../../ports/index.ts';
import { operation } from '../operation.ts';
import { empty, familyMemberId, id, patientId, text } from '../scalars.ts';

const familyMember = z
  .object({
    id,
    related_patient_id: id,
    relationship_code: z.int().meta({ description: 'The institution’s code for the relationship.' }),
    relationship_description: z.string().meta({ description: 'Relation of the relative to the patient.' }),
    active: z.boolean(),
  })
  .meta({ id: 'FamilyMember' });

export const listFamilyGroup = operation({
  name: 'listFamilyGroup',
  route: 'GET /patients/{id}/family_group',
  summary: 'List a patient’s family group',
  scope: 'patients:read',
  uses: ['family-groups.list'],
  params: z.object({ id: patientId }),
  example: { params: { id: 'ana' } },
  returns: [200, z.object({ family_group: z.array(familyMember) })],
  patientsIn: ({ family_group: members }) => members.map(({ related_patient_id: id }) => id),
  fails: ['not_found'],
  handle: async (groups, { params }, call) => {
    const members = await groups.list(params.id, call);
    return {
      family_group: members.map((member) => ({
        id: member.id,
        related_patient_id: member.relatedPatientId,
        relationship_code: member.relationshipCode,
        relationship_description: member.relationshipDescription,
        active: member.active,
      })),
    };
  },
});

export const addFamilyMember = operation({
  name: 'addFamilyMember',
  route: 'POST /patients/{id}/family_group',
  summary: 'Add a relative to a patient’s family group',
  additions: [
    '`relationship_description` is optional and empty by default. `active` is optional and true by default.',
    'A patient in their own group, or an unknown relative, is 422. A relative who is already an active member is 409 `relation_exists`. A former member gets the values of the request.',
  ],
  scope: 'family:write',
  uses: ['family-groups.add'],
  params: z.object({ id: patientId }),
  body: z.strictObject({
    related_patient_id: patientId,
    relationship_code: z.int().meta({ description: 'The institution’s code for the relationship.' }),
    relationship_description: text(200).default('').meta({ description: 'Relation of the relative to the patient.' }),
    active: z.boolean().default(true),
  }),
  example: {
    params: { id: 'ana' },
    body: {
      related_patient_id: 'dario',
      relationship_code: 5,
      relationship_description: 'hermano',
      active: true,
    },
  },
  returns: [201, empty],
  fails: ['not_found', 'relation_exists'],
  places: {
    relatedPatientId: 'body /related_patient_id',
    relationshipCode: 'body /relationship_code',
    relationshipDescription: 'body /relationship_description',
    active: 'body /active',
  },
  handle: (groups, { params, body }, call) =>
    groups.add(
      params.id,
      {
        relatedPatientId: body.related_patient_id,
        relationshipCode: body.relationship_code,
        relationshipDescription: body.relationship_description,
        active: body.active,
      },
      call,
    ),
});

export const removeFamilyMember = operation({
  name: 'removeFamilyMember',
  route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
  summary: 'Remove a member from a patient’s family group',
  additions: ['A member of another patient’s group is 404.'],
  scope: 'family:write',
  uses: ['family-groups.remove'],
  params: z.object({ id: patientId, family_group_member_id: familyMemberId }),
  example: { params: { id: 'ana', family_group_member_id: 'ana-bruno' } },
  returns: [200, empty],
  fails: ['not_found'],
  handle: async (groups, { params }, call) => {
    await groups.remove(params.id, params.family_group_member_id, call).catch((error: unknown) => {
      // A retry after a lost answer may have succeeded before: the member then no longer exists.
      if (!call.resumed || !(error instanceof Failure) || error.kind !== 'not_found') throw error;
    });
    return {};
  },
});
