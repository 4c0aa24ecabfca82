import assert from 'node:assert/strict';
import {
  addMember,
  createMember,
  listRelations,
  prepareMember,
  sendFirstTaken,
  skipEarlier,
  takePatient,
  takePatientWith,
  takeRelative,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectCount, expectFault, expectProblem, getBody } from '../expect.ts';
import { listFamilyGroup, ofPatient, toIds } from '../queries.ts';
import type { Request } from '../subject.ts';

const toAddRequest = (id: string, body: object) => ofPatient('POST /patients/{id}/family_group', id, body);

const toRemoveRequest = (id: string, family_group_member_id: string): Request => ({
  route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
  params: { id, family_group_member_id },
});

const addBase = { level: 'write', needs: 'family-groups.add', requires: ['family-groups.list'] } as const;
const removeBase = {
  ...addBase,
  needs: 'family-groups.remove',
  requires: [...addBase.requires, 'family-groups.add'],
} as const;

export const familyGroupCases: readonly Case[] = [
  defineCase({ level: 'safe', needs: 'family-groups.list' }, 'family-groups.list.none', {
    title: 'a patient without relatives has an empty family group',
    run: async (subject) => assert.deepEqual(await listFamilyGroup(subject, subject.fixtures.patients.bare), []),
  }),
  defineCase(addBase, 'family-groups.add.read-back', {
    title: 'add stores the relation unchanged, only for the patient who names it',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const related = await takeRelative(subject, id);
      const listOther = await skipEarlier(() => listFamilyGroup(subject, related));
      const aunt = { relationship_code: 7, relationship_description: 'tía' };
      assert.deepEqual(await list(), []);
      const { value, body } = await sendFirstTaken(
        subject,
        [aunt, ...(await listRelations(subject)).slice(-1)],
        'body /relationship_code',
        (relation) => toAddRequest(id, { ...createMember(related), ...relation, active: false }),
      );
      assert.deepEqual(body, {});
      const member = { ...createMember(related), ...value, active: false };
      const [added, ...others] = await list();
      assert.deepEqual(others, []);
      assert.deepEqual(added, { id: added?.id, ...member });
      assert.deepEqual(await listOther(), []);
    },
  }),
  defineCase(addBase, 'family-groups.add.refused', {
    title: 'add refuses a relation to oneself and to an unknown patient',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      await expectFault(subject, toAddRequest(id, await prepareMember(subject, id)), 'body /related_patient_id');
      const unknownMember = await prepareMember(subject, subject.fixtures.unknown);
      await expectFault(subject, toAddRequest(id, unknownMember), 'body /related_patient_id');
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase(addBase, 'family-groups.add.exists', {
    title: 'add refuses a relative who is already in the group',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const member = await prepareMember(subject, await takeRelative(subject, id));
      await getBody(subject, toAddRequest(id, member), 201);
      const [other = { relationship_code: 9 }] = (await listRelations(subject)).slice(1);
      await expectProblem(subject, toAddRequest(id, { ...member, ...other }), 409, 'relation_exists');
      expectCount(await list(), 1, 'relatives');
    },
  }),
  defineCase(addBase, 'family-groups.add.inactive', {
    title: 'add reactivates a relative who was in the group as no longer active',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const member = await prepareMember(subject, await takeRelative(subject, id));
      await getBody(subject, toAddRequest(id, { ...member, active: false }), 201);
      const [inactive] = await list();
      const [other = { relationship_code: 9, relationship_description: 'tía' }] = (await listRelations(subject)).slice(
        1,
      );
      const again = { ...member, ...other };
      await getBody(subject, toAddRequest(id, again), 201);
      assert.deepEqual(await list(), [{ id: inactive?.id, ...again }]);
      await expectProblem(subject, toAddRequest(id, again), 409, 'relation_exists');
    },
  }),
  defineCase(removeBase, 'family-groups.remove.gone', {
    title: 'remove takes only this member out of the group',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const first = await addMember(subject, id);
      await getBody(subject, toAddRequest(id, await prepareMember(subject, await takeRelative(subject, id))), 201);
      const before = await list();
      expectCount(before, 2, 'relatives');
      assert.deepEqual(await getBody(subject, toRemoveRequest(id, first)), {});
      assert.deepEqual(
        await list(),
        before.filter((member) => member.id !== first),
      );
      await expectProblem(subject, toRemoveRequest(id, first), 404, 'not_found');
    },
  }),
  defineCase(removeBase, 'family-groups.remove.other-patient', {
    title: 'remove answers 404 for a member of another patient’s group, and keeps that member',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const member = await addMember(subject, id);
      await expectProblem(subject, toRemoveRequest(await takePatient(subject), member), 404, 'not_found');
      assert.deepEqual(toIds(await list()), [member]);
    },
  }),
  defineCase(removeBase, 'family-groups.remove.add-again', {
    title: 'a removed relative can be added again',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const memberId = await addMember(subject, id);
      const [member] = await list();
      await getBody(subject, toRemoveRequest(id, memberId));
      await getBody(subject, toAddRequest(id, await prepareMember(subject, member?.related_patient_id ?? '')), 201);
      expectCount(await list(), 1, 'relatives');
    },
  }),
];
