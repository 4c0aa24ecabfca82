import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Capability } from '../../ports/index.ts';
import { buildBookingA, createDni, createMember, createPerson, findFreeSlot, takePatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { findPatients, listAppointmentsA, listCoverages, listFamilyGroup } from '../queries.ts';
import type { Request, Subject } from '../subject.ts';

/** A request that makes something, and the list in which that shows. */
interface Creation {
  readonly request: Request;
  readonly list: () => Promise<readonly unknown[]>;
}

const defineLost = (
  needs: Capability,
  requires: readonly Capability[],
  create: (subject: Subject) => Promise<Creation>,
): Case =>
  defineCase({ level: 'destructive', needs, requires, section: '4.A' }, `lost.${needs}`, {
    outage: 'lost',
    title: `${needs}: a request whose answer is lost behind the gateway answers 504, and makes one thing, also when it is sent again under its key`,
    run: async (subject) => {
      for (const loss of ['cut', 'error'] as const) {
        const { request, list } = await create(subject);
        const keyed: Request = { ...request, headers: { 'idempotency-key': randomUUID() } };
        const before = (await list()).length;
        const end = await subject.fail?.lost?.(loss);
        const { status } = await subject.send(keyed);
        await end?.();
        const made = (await list()).length - before;
        const again = await subject.send(keyed);
        const madeThen = (await list()).length - before;
        assert.ok(made <= 1, `it was done ${made} times`);
        assert.ok(
          status === 504 || status < 300 === (made === 1),
          `it answers ${status}, and has ${made === 1 ? '' : 'not '}been done`,
        );
        assert.ok(madeThen <= 1, `sent again under its key it was done ${madeThen} times`);
        assert.ok(
          again.status < 300 === (madeThen === 1) || again.status === 504,
          `sent again it answers ${again.status}`,
        );
      }
    },
  });

/** What a gateway says of writes whose answers are lost on a line between it and its system. */
export const lostRequestCases: readonly Case[] = [
  defineLost('patients.register', ['patients.search'], async (subject) => {
    const body = createPerson();
    const query = { identifier: String(body.identifier), identifier_type: 'DNI' };
    return { request: { route: 'POST /patients/', body }, list: () => findPatients(subject, query) };
  }),
  defineLost('appointments.book', ['appointments.slots', 'appointments.list'], async (subject) => {
    const id = await takePatient(subject);
    const body = buildBookingA(await findFreeSlot(subject));
    const request: Request = { route: 'POST /patients/{id}/appointments', params: { id }, body };
    return { request, list: () => listAppointmentsA(subject, id) };
  }),
  defineLost('insurance.create', ['insurance.coverages'], async (subject) => {
    const beneficiaryId = await takePatient(subject);
    const insurancePlanId = subject.fixtures.plans.accepted;
    const body = { credentialNumber: String(createDni()), beneficiaryId, insurancePlanId };
    return { request: { route: 'POST /v1/coverages', body }, list: () => listCoverages(subject, beneficiaryId) };
  }),
  defineLost('family-groups.add', ['family-groups.list'], async (subject) => {
    const id = await takePatient(subject);
    const body = createMember(await takePatient(subject));
    const request: Request = { route: 'POST /patients/{id}/family_group', params: { id }, body };
    return { request, list: () => listFamilyGroup(subject, id) };
  }),
];
