import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Call, Failure } from '../../ports/index.ts';
import { createDni, pickAny, skipEarlier, takePatient, takePatientWith } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { expectFailure } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';

const base = { level: 'write', section: '4.A' } as const;

type Write = (call: Call) => Promise<{ readonly id: string }>;

/** What the write answers that must not be refused for its key. */
async function repeat(write: () => ReturnType<Write>): ReturnType<Write> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.fail(`under its key it fails with ${error.kind} ${error.code ?? ''}`);
  }
}

/**
 * Asserts that the first write happens once under one key, and that the second is refused under it. Returns a call with
 * that key of another client.
 */
async function expectOnce(subject: PortsSubject, first: Write, second: Write): Promise<Call> {
  const call = subject.createCall({ idempotencyKey: randomUUID() });
  const made = await first(call);
  assert.equal((await repeat(() => first(call))).id, made.id);
  const reused = { kind: 'invalid', code: 'idempotency_key_reused' } as const;
  await expectFailure(second(call), reused, 'the key that was used for something else is accepted');
  assert.equal((await repeat(() => first(call))).id, made.id);
  return { ...call, client: 'another' };
}

const listAppointments = async (subject: PortsSubject, id: string) =>
  (await subject.getPort('appointments').list(id, { order: 'ascending' }, subject.createCall())).items;

const listTickets = (subject: PortsSubject, id: string) =>
  subject.getPort('tickets').list(id, {}, subject.createCall());

/** Free slots of the bookable service, some days ahead. */
async function listFree(subject: PortsSubject) {
  const query = { serviceId: subject.fixtures.services.bookable, from: computeDayAhead(subject, 6) };
  return (await subject.getPort('appointments').slots(query, subject.createCall())).items;
}

const ticketBase = { level: 'write', needs: 'tickets.open', requires: ['tickets.list'], section: '4.A' } as const;

const keyedCases: readonly Case[] = [
  definePortCase(base, 'idempotency.book', {
    level: 'destructive',
    needs: 'appointments.book',
    requires: ['appointments.slots', 'appointments.list'],
    section: '4.B',
    title:
      'a booking happens once under its Idempotency-Key, and another one under it is refused unless another client sends it',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const serviceId = subject.fixtures.services.bookable;
      const free = await listFree(subject);
      const slot = pickAny(free);
      const other = pickAny(free.filter(({ start }) => start !== slot.start));
      const { id: patientId, list } = await takePatientWith(subject, listAppointments);
      const book =
        ({ start, practitionerId, locationId }: typeof slot): Write =>
        (call) =>
          appointments.book(patientId, { serviceId, practitionerIds: [practitionerId], start, locationId }, call);
      const another = await expectOnce(subject, book(slot), book(other));
      assert.equal((await list()).length, 1);
      await repeat(() => book(other)(another));
      assert.equal((await list()).length, 2);
    },
  }),
  definePortCase(base, 'idempotency.book-again', {
    level: 'destructive',
    needs: 'appointments.book',
    requires: ['appointments.slots', 'appointments.list', 'appointments.cancel'],
    section: '4.B',
    title: 'a booking is told again under its Idempotency-Key when it was canceled, and when its time has passed',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const serviceId = subject.fixtures.services.bookable;
      const free = await listFree(subject);
      const { start, practitionerId, locationId } = pickAny(free);
      const { id: patientId, list } = await takePatientWith(subject, listAppointments);
      const key = { idempotencyKey: randomUUID() };
      const book = (call: Call) =>
        appointments.book(patientId, { serviceId, practitionerIds: [practitionerId], start, locationId }, call);
      const { id } = await book(subject.createCall(key));
      await appointments.cancel(patientId, id, subject.createCall());
      assert.equal((await repeat(() => book(subject.createCall(key)))).id, id);
      const now = new Date(subject.now().getTime() + 30 * 86_400_000).toISOString();
      assert.equal((await repeat(() => book(subject.createCall({ ...key, now })))).id, id);
      const items = await list();
      assert.deepEqual(
        items.map(({ status }) => status),
        ['canceled'],
      );
    },
  }),
  definePortCase(ticketBase, 'idempotency.ticket', {
    title:
      'a ticket is filed once under its Idempotency-Key, and another one under it is refused unless another client sends it',
    run: async (subject) => {
      const tickets = subject.getPort('tickets');
      const { id: patientId, list } = await takePatientWith(subject, listTickets);
      const { id, checked } = subject.fixtures.ticketType;
      const open =
        (observations: string): Write =>
        (call) =>
          tickets.open(patientId, id, { observations, fields: [{ id: checked.id, value: checked.fits }] }, call);
      const another = await expectOnce(subject, open('una vez'), open('otra cosa'));
      assert.equal((await list()).length, 1);
      await repeat(() => open('una vez')(another));
      assert.equal((await list()).length, 2);
    },
  }),
  definePortCase(ticketBase, 'idempotency.tickets-at-once', {
    title: 'a ticket that is sent several times at once under its Idempotency-Key is filed once',
    run: async (subject) => {
      const tickets = subject.getPort('tickets');
      const { id: patientId, list } = await takePatientWith(subject, listTickets);
      const { id, checked } = subject.fixtures.ticketType;
      const call = subject.createCall({ idempotencyKey: randomUUID() });
      const ticket = { observations: 'a la vez', fields: [{ id: checked.id, value: checked.fits }] };
      const open = () => tickets.open(patientId, id, ticket, call);
      const opened = await Promise.all(Array.from({ length: 5 }, open));
      const listed = await list();
      assert.deepEqual(
        opened.map((each) => each.id),
        opened.map(() => listed[0]?.id),
      );
      assert.equal(listed.length, 1);
    },
  }),
  definePortCase(base, 'idempotency.change-request', {
    needs: 'practitioners.requestChange',
    title: 'a request for a change is made once under its Idempotency-Key, and another one under it is refused',
    run: async (subject) => {
      const practitioners = subject.getPort('practitioners');
      const reasonId = subject.fixtures.changeReason;
      const [patientId, other] = [await takePatient(subject), await takePatient(subject)];
      const request =
        (id: string, more = {}): Write =>
        (call) =>
          practitioners.requestChange(id, { reasonId, ...more }, call);
      await expectOnce(subject, request(patientId), request(patientId, { observations: 'por favor' }));
      await expectOnce(subject, request(other), request(await takePatient(subject)));
    },
  }),
  definePortCase(base, 'idempotency.coverage', {
    needs: 'insurance.create',
    requires: ['insurance.coverages', 'insurance.edit'],
    section: '4.B',
    title: 'a coverage that is created again under its Idempotency-Key is the same one, also when it was changed',
    run: async (subject) => {
      const insurance = subject.getPort('insurance');
      const { id: beneficiaryId, list } = await takePatientWith(subject, (_subject, id) =>
        insurance.coverages(id, subject.createCall()),
      );
      const coverage = {
        beneficiaryId,
        planId: subject.fixtures.plans.accepted,
        credentialNumber: String(createDni()),
      };
      const key = { idempotencyKey: randomUUID() };
      const create = () => insurance.create(coverage, subject.createCall(key));
      const { id } = await create();
      assert.equal((await repeat(create)).id, id);
      await insurance.edit(id, { credentialNumber: String(createDni()) }, subject.createCall());
      assert.equal((await repeat(create)).id, id);
      assert.equal((await list()).length, 1);
    },
  }),
  definePortCase(base, 'idempotency.relative', {
    needs: 'family-groups.add',
    requires: ['family-groups.list'],
    title: 'a relative who is added again under its Idempotency-Key is the same one, and a conflict under another',
    run: async (subject) => {
      const groups = subject.getPort('family-groups');
      const [patientId, relatedPatientId] = [await takePatient(subject), await takePatient(subject)];
      const list = await skipEarlier(subject, () => groups.list(patientId, subject.createCall()));
      const member = { relatedPatientId, relationshipCode: 5, relationshipDescription: 'hermana' };
      const add = (active: boolean, idempotencyKey: string) =>
        groups.add(patientId, { ...member, active }, subject.createCall({ idempotencyKey }));
      const [first, second] = [randomUUID(), randomUUID()];
      const { id } = await add(false, first);
      assert.equal((await repeat(() => add(false, first))).id, id);
      assert.equal((await list())[0]?.active, false);
      for (let turn = 0; turn < 2; turn++) assert.equal((await repeat(() => add(true, second))).id, id);
      const exists = { kind: 'conflict', code: 'relation_exists' } as const;
      await expectFailure(add(true, randomUUID()), exists, 'the relative is added twice');
      assert.equal((await list()).length, 1);
    },
  }),
];

/** What an Idempotency-Key promises of the writes that may be sent again, which only a call of a port can carry here. */
export const idempotencyCases: readonly Case[] = keyedCases.map((each) => ({ ...each, needsRetry: true }));
