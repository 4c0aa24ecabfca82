import assert from 'node:assert/strict';
import { createDni, createMember, registerPatient, takePatient, takePatientWith } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { getBody } from '../expect.ts';
import { listCoverages, listFamilyGroup } from '../queries.ts';
import type { Request, Subject } from '../subject.ts';

const base = { level: 'write', section: '4.A' } as const;

/** Sends the request ten times at once, and asserts that one succeeds and the others are refused as conflicts with this code. */
async function expectOneSuccess(subject: Subject, requests: readonly Request[], status: number, code: string) {
  const answers = await Promise.all(requests.map((request) => subject.send(request)));
  const outcomes = answers.map((answer) =>
    answer.status === status ? status : `${answer.status} ${(answer.body as { readonly code?: string }).code}`,
  );
  const refusals = Array.from({ length: requests.length - 1 }, () => `409 ${code}`);
  assert.deepEqual(outcomes.toSorted(), [status, ...refusals].toSorted());
}

const repeat = (request: Request): Request[] => Array.from({ length: 10 }, () => request);

/** What holds when one patient, or an application for the patient, does the same several times at the same moment. */
export const parallelWriteCases: readonly Case[] = [
  defineCase(base, 'patients.update.parallel', {
    needs: 'patients.update',
    requires: ['patients.get', 'patients.register'],
    title: 'updates of different fields of one patient at the same moment all succeed',
    rule: ['fewer-patient-fields', 'upper-case', 'digits-only-phones'],
    run: async (subject) => {
      const id = await registerPatient(subject);
      const changes = { phone: '+54 11 4000-0001', email: 'otra@example.org', name: 'Rosa', last_name: 'Paredes' };
      const bodies = [...Object.entries(changes), ['gender', 'Other'], ['address', { street: 'Los Patos' }]];
      const requests = bodies.map(([field = '', value]): Request => {
        return { route: 'PUT /patients/{id}', params: { id }, body: { [String(field)]: value } };
      });
      const answers = await Promise.all(requests.map((request) => subject.send(request)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        requests.map(() => 200),
      );
      const { phone, email, name, last_name, gender, address } = await getBody<Record<string, unknown>>(subject, {
        route: 'GET /patients/{id}',
        params: { id },
      });
      assert.deepEqual({ phone, email, name, last_name }, changes);
      assert.deepEqual([gender, address], ['Other', { street: 'Los Patos' }]);
    },
  }),
  defineCase(base, 'practitioners.change.parallel', {
    needs: 'practitioners.requestChange',
    title: 'of requests for a change that are made at the same moment one is open',
    run: async (subject) => {
      const route = 'POST /patients/{id}/practitioner/change_request';
      const params = { id: await takePatient(subject) };
      const request: Request = { route, params, body: { reason_id: subject.fixtures.changeReason } };
      await expectOneSuccess(subject, repeat(request), 200, 'change_request_open');
    },
  }),
  defineCase(base, 'family-groups.add.parallel', {
    needs: 'family-groups.add',
    requires: ['family-groups.list'],
    title: 'a relative who is added several times at the same moment is in the group once',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const body = createMember(await takePatient(subject));
      const request: Request = { route: 'POST /patients/{id}/family_group', params: { id }, body };
      await expectOneSuccess(subject, repeat(request), 201, 'relation_exists');
      assert.equal((await list()).length, 1);
    },
  }),
  defineCase(base, 'insurance.create.parallel', {
    section: '4.B',
    needs: 'insurance.create',
    requires: ['insurance.coverages'],
    title: 'a credential that is given under several plans at the same moment is one coverage',
    run: async (subject) => {
      const { accepted, another, refused } = subject.fixtures.plans;
      const { id: beneficiaryId, list } = await takePatientWith(subject, listCoverages);
      const credentialNumber = String(createDni());
      const requests = [accepted, refused, another, refused].map((insurancePlanId): Request => {
        return { route: 'POST /v1/coverages', body: { credentialNumber, beneficiaryId, insurancePlanId } };
      });
      await expectOneSuccess(subject, requests, 201, 'coverage_exists');
      assert.equal((await list()).length, 1);
    },
  }),
];
