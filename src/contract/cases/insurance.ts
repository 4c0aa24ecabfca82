import assert from 'node:assert/strict';
import {
  createCoverage,
  createDni,
  registerPatient,
  sendFirstTaken,
  takePatient,
  takePatientWith,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import {
  checkSuccess,
  expectCount,
  expectFault,
  expectIds,
  expectProblem,
  expectPromised,
  getBody,
  getList,
} from '../expect.ts';
import { createCollator, listCoverages, listPages, sortById, toIds } from '../queries.ts';
import type { CarrierA, CarrierB, PlanBody } from '../resources.ts';
import type { Request, Subject } from '../subject.ts';
import { Skipped } from '../thrown.ts';

const listPlans = async (subject: Subject, id: string): Promise<PlanBody[]> =>
  sortById(
    await getList(subject, 'health_insurance_plans', {
      route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
      params: { id },
    }),
  );

const listCarriers = (subject: Subject): Promise<CarrierB[]> =>
  listPages(subject, { route: 'GET /v1/insurance-carriers' });

const toOwnerRequest = (ownerId: string): Request => ({
  route: 'GET /v1/insurance-carriers/by-owner',
  query: { ownerId },
});

const toCreateRequest = (body: object): Request => ({ route: 'POST /v1/coverages', body });
const toEditRequest = (coverageId: string, body: object): Request => ({
  route: 'PUT /v1/coverages/{coverageId}',
  params: { coverageId },
  body,
});

const listBase = { level: 'safe', needs: 'insurance.carriers', section: '4.B' } as const;
const plansBase = { level: 'safe', needs: 'insurance.plans' } as const;
const coveragesBase = { ...plansBase, needs: 'insurance.coverages' } as const;
const createBase = {
  level: 'write',
  needs: 'insurance.create',
  requires: ['insurance.coverages'],
  section: '4.B',
} as const;
const editBase = {
  ...createBase,
  needs: 'insurance.edit',
  requires: [...createBase.requires, 'insurance.create'],
} as const;

/** Cases that change a record of the fixtures, and cannot change it back. */
export const insuranceChangeCases: readonly Case[] = [
  defineCase({ ...createBase, rule: 'one-coverage' }, 'insurance.create.lapsed', {
    requires: ['insurance.edit', 'insurance.plans'],
    title: 'create makes a lapsed coverage active again, with the given plan, or refuses it',
    run: async (subject) => {
      const { patients, coverages, carriers, plans } = subject.fixtures;
      const list = () => listCoverages(subject, patients.complete);
      const lapsed = (await list()).find(({ id }) => id === coverages.inactive);
      expectPromised(lapsed, 'coverages.inactive among the coverages of patients.complete');
      const skip = new Skipped('the system does not take up a lapsed coverage again');
      // The coverage then has the same carrier as the given plan, and another plan.
      const moved = toEditRequest(lapsed.id, { insurancePlanId: plans.another });
      if ((await subject.send(moved)).status !== 200) throw skip;
      const { credential_number } = lapsed;
      const body = { credentialNumber: credential_number, beneficiaryId: patients.complete };
      const request = toCreateRequest({ ...body, insurancePlanId: plans.accepted });
      const response = await subject.send(request);
      if ([409, 422].includes(response.status)) throw skip;
      checkSuccess(request.route, response, 201);
      const { model } = response.body as { readonly model: { readonly id: string } };
      const { id: carrierId, name: carrier } = carriers.withPlans;
      const plan = (await listPlans(subject, carrierId)).find(({ id }) => id === plans.accepted)?.plan;
      assert.deepEqual(
        (await list()).find(({ id }) => id === model.id),
        { id: model.id, carrier, plan, credential_number, active: 'true' },
        'a lapsed coverage was created again under another plan, and is not shown as it was given: write its plan, too',
      );
    },
  }),
];

const carrierCases: readonly Case[] = [
  defineCase({ ...listBase, section: '4.A' }, 'insurance.carriers', {
    title: 'the carriers of Group A are those of Group B, and have their status',
    run: async (subject) => {
      const route = 'GET /health_insurance_carriers/';
      const ofA = await getList<CarrierA>(subject, 'health_insurance_carriers', { route });
      const { id, name } = subject.fixtures.carriers.withPlans;
      assert.deepEqual(
        ofA.find((carrier) => carrier.id === id),
        { id, carrier: name, active: 'true' },
      );
      const known = new Map(ofA.map(({ id, carrier }) => [id, carrier]));
      for (const carrier of await listCarriers(subject)) assert.equal(known.get(carrier.id), carrier.name);
    },
  }),
  defineCase(listBase, 'insurance.carriers.order', {
    title: 'carriers are sorted by name in the order of the institution’s language',
    run: async (subject) => {
      const names = (await listCarriers(subject)).map(({ name }) => name);
      if (names.length < 2) throw new Skipped('there are fewer than two carriers, so their order proves nothing');
      assert.deepEqual(names, names.toSorted(createCollator(subject).compare));
    },
  }),
  defineCase(listBase, 'insurance.carriers.owner', {
    title: 'ownerId narrows to the carriers with a contract with that institution, and the id of a carrier is refused',
    run: async (subject) => {
      const ownerId = subject.fixtures.carriers.withPlans.id;
      const ofCarrier = { route: 'GET /v1/insurance-carriers/by-owner', query: { ownerId } } as const;
      await expectFault(subject, ofCarrier, 'query /ownerId');
      const all = await listCarriers(subject);
      const data = await listPages<CarrierB>(subject, toOwnerRequest(subject.fixtures.owner));
      expectPromised(data.length > 0, 'a carrier with a contract with the owner');
      const fewer = `with ownerId, the list has ${data.length} carriers, and without it ${all.length}: it must have fewer`;
      assert.ok(data.length < all.length, fewer);
      const ids = new Set(data.map(({ id }) => id));
      assert.deepEqual(
        data,
        all.filter(({ id }) => ids.has(id)),
      );
      await expectFault(subject, toOwnerRequest(subject.fixtures.unknown), 'query /ownerId');
    },
  }),
  defineCase(plansBase, 'insurance.plans', {
    title: 'plans are found by the id of the carrier or by its exact name',
    run: async (subject) => {
      const { carriers, plans } = subject.fixtures;
      const byId = await listPlans(subject, carriers.withPlans.id);
      const active = byId.filter((plan) => plan.active === 'true');
      expectIds(toIds(active), 'the active plans of carriers.withPlans', { has: [plans.accepted] });
      assert.deepEqual(await listPlans(subject, carriers.withPlans.name), byId);
    },
  }),
  defineCase(plansBase, 'insurance.plans.none', {
    title: 'a carrier without plans has an empty list',
    run: async (subject) => assert.deepEqual(await listPlans(subject, subject.fixtures.carriers.withoutPlans), []),
  }),
];

const coverageCases: readonly Case[] = [
  defineCase(coveragesBase, 'insurance.coverages.active', {
    title: 'a patient’s health insurances are listed, including those that are no longer active',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const active = new Map((await listCoverages(subject, patients.complete)).map((one) => [one.id, one.active]));
      assert.deepEqual([active.get(coverages.active), active.get(coverages.inactive)], ['true', 'false']);
    },
  }),
  defineCase({ ...coveragesBase, level: 'write' }, 'insurance.coverages.none', {
    requires: ['patients.register'],
    title: 'a patient without health insurance has an empty list',
    run: async (subject) => {
      const [first, second] = [await registerPatient(subject), await registerPatient(subject)];
      const given = await listCoverages(subject, first);
      // The institution gives some coverages to each patient.
      const ofOther = toIds(await listCoverages(subject, second));
      assert.deepEqual(
        toIds(given).filter((id) => ofOther.includes(id)),
        [],
      );
      if (given.length > 0) throw new Skipped('every new patient has a health insurance there');
    },
  }),
  defineCase(createBase, 'insurance.create.read-back', {
    requires: ['insurance.plans'],
    title: 'create adds an active coverage with this carrier, plan and credential',
    run: async (subject) => {
      const { id: carrierId, name: carrier } = subject.fixtures.carriers.withPlans;
      const sold = (await listPlans(subject, carrierId)).filter(({ active }) => active === 'true');
      for (const [index, { id: insurancePlanId, plan }] of [sold.at(0), sold.at(-1)]
        .flatMap((each) => each ?? [])
        .entries()) {
        const { id: beneficiaryId, list } = await takePatientWith(subject, listCoverages);
        // A system may accept only digits, or refuse leading zeros, but must keep those that it takes.
        const [digits, plain] = [`00${createDni()}`, String(createDni())];
        const { value: credential_number, body } = await sendFirstTaken(
          subject,
          index === 0 ? [`60-${createDni()}-1`, digits, plain] : [digits, plain],
          'body /credentialNumber',
          (credentialNumber) => toCreateRequest({ credentialNumber, beneficiaryId, insurancePlanId }),
        );
        const { status, model } = body as { status: string; model: { id: string } };
        assert.equal(status, 'created');
        assert.deepEqual(await list(), [{ id: model.id, carrier, plan, credential_number, active: 'true' }]);
      }
    },
  }),
  defineCase(createBase, 'insurance.create.exists', {
    title: 'create refuses a credential that the beneficiary already has, in any spelling',
    run: async (subject) => {
      const { id: beneficiaryId, list } = await takePatientWith(subject, listCoverages);
      const credentialNumber = String(createDni());
      const body = { credentialNumber, beneficiaryId, insurancePlanId: subject.fixtures.plans.accepted };
      await getBody(subject, toCreateRequest(body), 201);
      await expectProblem(subject, toCreateRequest(body), 409, 'coverage_exists');
      const spelt = { ...body, credentialNumber: ` ${credentialNumber.slice(0, 4)} ${credentialNumber.slice(4)}` };
      // A system whose credentials have no blanks may refuse them.
      const { status } = await subject.send(toCreateRequest(spelt));
      if (status === 422) await expectFault(subject, toCreateRequest(spelt), 'body /credentialNumber');
      else await expectProblem(subject, toCreateRequest(spelt), 409, 'coverage_exists');
      expectCount(await list(), 1, 'coverages');
      await getBody(subject, toCreateRequest({ ...body, beneficiaryId: await takePatient(subject) }), 201);
    },
  }),
  defineCase(createBase, 'insurance.create.refused', {
    title: 'create answers 404 for an unknown beneficiary or plan, and refuses a plan that is no longer sold',
    run: async (subject) => {
      const { unknown, plans } = subject.fixtures;
      const { id: beneficiaryId, list } = await takePatientWith(subject, listCoverages);
      const body = { credentialNumber: String(createDni()), beneficiaryId, insurancePlanId: plans.accepted };
      await expectProblem(subject, toCreateRequest({ ...body, beneficiaryId: unknown }), 404, 'not_found');
      await expectProblem(subject, toCreateRequest({ ...body, insurancePlanId: unknown }), 404, 'not_found');
      const withdrawn = toCreateRequest({ ...body, insurancePlanId: plans.withdrawn });
      await expectFault(subject, withdrawn, 'body /insurancePlanId');
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase(editBase, 'insurance.edit.read-back', {
    title: 'edit changes the given fields and keeps the others',
    run: async (subject) => {
      const { accepted, another } = subject.fixtures.plans;
      // In both orders, because either plan may be the first of its carrier.
      for (const [first, second] of [
        [accepted, another],
        [another, accepted],
      ] as const) {
        const { id: patientId, list } = await takePatientWith(subject, listCoverages);
        const id = await createCoverage(subject, patientId, first);
        const [before] = await list();
        const credentialNumber = String(createDni());
        assert.notEqual(before?.credential_number, credentialNumber);
        const edited = await getBody(subject, toEditRequest(id, { credentialNumber }));
        assert.deepEqual(edited, { status: 'updated', model: { id } });
        const renumbered = { ...before, credential_number: credentialNumber };
        assert.deepEqual(await list(), [renumbered]);
        await getBody(subject, toEditRequest(id, { insurancePlanId: second }));
        const [after] = await list();
        assert.notEqual(after?.plan, before?.plan);
        assert.deepEqual({ ...after, plan: before?.plan, carrier: before?.carrier }, renumbered);
      }
    },
  }),
  defineCase(editBase, 'insurance.edit.refused', {
    title: 'edit requires a change, answers 404 for an unknown plan, and refuses a plan that is no longer sold',
    run: async (subject) => {
      const { unknown, plans } = subject.fixtures;
      const { id: patientId, list } = await takePatientWith(subject, listCoverages);
      const id = await createCoverage(subject, patientId);
      const before = await list();
      await expectProblem(subject, toEditRequest(id, {}), 422, 'validation');
      await expectProblem(subject, toEditRequest(id, { insurancePlanId: unknown }), 404, 'not_found');
      await expectFault(subject, toEditRequest(id, { insurancePlanId: plans.withdrawn }), 'body /insurancePlanId');
      assert.deepEqual(await list(), before);
    },
  }),
];

export const insuranceCases: readonly Case[] = [...carrierCases, ...coverageCases];
