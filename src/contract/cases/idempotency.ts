import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Call, Failure } from '../../ports/index.ts';
import { createDni, pickAny, registerPatient } from '../arrange.ts';
import type { PortCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import type { PortsSubject } from '../ports-subject.ts';

type Write = (call: Call) => Promise<{ readonly id: string }>;

/** Asserts that the first write happens once under one key, and that the second is refused under it but not under another. */
async function expectOnce(subject: PortsSubject, first: Write, second: Write): Promise<void> {
  const call = subject.createCall({ idempotencyKey: randomUUID() });
  const made = await first(call);
  assert.equal((await first(call)).id, made.id);
  await assert.rejects(
    second(call),
    (error) => error instanceof Failure && error.kind === 'invalid' && error.code === 'idempotency_key_reused',
    'the key that was used for something else is accepted',
  );
  assert.equal((await first(call)).id, made.id);
}

/** What an Idempotency-Key promises, which only a call of a port can carry here. */
export const idempotencyCases: readonly PortCase[] = [
  {
    level: 'destructive',
    needs: 'appointments.book',
    requires: ['appointments.slots', 'appointments.list', 'patients.register'],
    section: '4.B',
    id: 'idempotency.book',
    title: 'a booking happens once under its Idempotency-Key, and another one under it is refused',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const serviceId = subject.fixtures.services.bookable;
      const slots = await appointments.slots({ serviceId, from: computeDayAhead(subject, 6) }, subject.createCall());
      const slot = pickAny(slots);
      const other = pickAny(slots.filter(({ start }) => start !== slot.start));
      const patientId = await registerPatient(subject);
      const book =
        ({ start, practitionerId, locationId }: typeof slot): Write =>
        (call) =>
          appointments.book(patientId, { serviceId, practitionerIds: [practitionerId], start, locationId }, call);
      await expectOnce(subject, book(slot), book(other));
      const { items } = await appointments.list(patientId, { order: 'ascending' }, subject.createCall());
      assert.equal(items.length, 1);
      await book(other)(subject.createCall({ idempotencyKey: randomUUID() }));
    },
  },
  {
    level: 'destructive',
    needs: 'appointments.book',
    requires: ['appointments.slots', 'appointments.list', 'appointments.cancel', 'patients.register'],
    section: '4.B',
    id: 'idempotency.book-again',
    title: 'a booking is told again under its Idempotency-Key when it was canceled, and when its time has passed',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const serviceId = subject.fixtures.services.bookable;
      const slots = await appointments.slots({ serviceId, from: computeDayAhead(subject, 6) }, subject.createCall());
      const { start, practitionerId, locationId } = pickAny(slots);
      const patientId = await registerPatient(subject);
      const key = { idempotencyKey: randomUUID() };
      const book = (call: Call) =>
        appointments.book(patientId, { serviceId, practitionerIds: [practitionerId], start, locationId }, call);
      const { id } = await book(subject.createCall(key));
      await appointments.cancel(patientId, id, subject.createCall());
      assert.equal((await book(subject.createCall(key))).id, id);
      const now = new Date(subject.now().getTime() + 30 * 86_400_000).toISOString();
      assert.equal((await book(subject.createCall({ ...key, now }))).id, id);
      const { items } = await appointments.list(patientId, { order: 'ascending' }, subject.createCall());
      assert.deepEqual(
        items.map(({ status }) => status),
        ['canceled'],
      );
    },
  },
  {
    level: 'write',
    needs: 'tickets.open',
    requires: ['tickets.list', 'patients.register'],
    section: '4.A',
    id: 'idempotency.ticket',
    title: 'a ticket is filed once under its Idempotency-Key, and another one under it is refused',
    run: async (subject) => {
      const tickets = subject.getPort('tickets');
      const patientId = await registerPatient(subject);
      const { id, checked } = subject.fixtures.ticketType;
      const open =
        (observations: string): Write =>
        (call) =>
          tickets.open(patientId, id, { observations, fields: [{ id: checked.id, value: checked.fits }] }, call);
      await expectOnce(subject, open('una vez'), open('otra cosa'));
      assert.equal((await tickets.list(patientId, {}, subject.createCall())).length, 1);
    },
  },
  {
    level: 'write',
    needs: 'tickets.open',
    requires: ['tickets.list', 'patients.register'],
    section: '4.A',
    id: 'idempotency.tickets-at-once',
    title: 'a ticket that is sent several times at once under its Idempotency-Key is filed once',
    run: async (subject) => {
      const tickets = subject.getPort('tickets');
      const patientId = await registerPatient(subject);
      const { id, checked } = subject.fixtures.ticketType;
      const call = subject.createCall({ idempotencyKey: randomUUID() });
      const ticket = { observations: 'a la vez', fields: [{ id: checked.id, value: checked.fits }] };
      const open = () => tickets.open(patientId, id, ticket, call);
      const opened = await Promise.all(Array.from({ length: 5 }, open));
      const listed = await tickets.list(patientId, {}, subject.createCall());
      assert.deepEqual(
        opened.map((each) => each.id),
        opened.map(() => listed[0]?.id),
      );
      assert.equal(listed.length, 1);
    },
  },
  {
    level: 'write',
    needs: 'practitioners.requestChange',
    requires: ['patients.register'],
    section: '4.A',
    id: 'idempotency.change-request',
    title: 'a request for a change is made once under its Idempotency-Key, and another one under it is refused',
    run: async (subject) => {
      const practitioners = subject.getPort('practitioners');
      const reasonId = subject.fixtures.changeReason;
      const [patientId, other] = [await registerPatient(subject), await registerPatient(subject)];
      const request =
        (id: string, more = {}): Write =>
        (call) =>
          practitioners.requestChange(id, { reasonId, ...more }, call);
      await expectOnce(subject, request(patientId), request(patientId, { observations: 'por favor' }));
      await expectOnce(subject, request(other), request(await registerPatient(subject)));
    },
  },
  {
    level: 'write',
    needs: 'insurance.create',
    requires: ['insurance.coverages', 'insurance.edit', 'patients.register'],
    section: '4.B',
    id: 'idempotency.coverage',
    title: 'a coverage that is created again under its Idempotency-Key is the same one, also when it was changed',
    run: async (subject) => {
      const insurance = subject.getPort('insurance');
      const beneficiaryId = await registerPatient(subject);
      const coverage = {
        beneficiaryId,
        planId: subject.fixtures.plans.accepted,
        credentialNumber: String(createDni()),
      };
      const key = { idempotencyKey: randomUUID() };
      const create = () => insurance.create(coverage, subject.createCall(key));
      const { id } = await create();
      assert.equal((await create()).id, id);
      await insurance.edit(id, { credentialNumber: String(createDni()) }, subject.createCall());
      assert.equal((await create()).id, id);
      assert.equal((await insurance.coverages(beneficiaryId, subject.createCall())).length, 1);
    },
  },
  {
    level: 'write',
    needs: 'family-groups.add',
    requires: ['family-groups.list', 'patients.register'],
    section: '4.A',
    id: 'idempotency.relative',
    title: 'a relative who is added again under its Idempotency-Key is the same one, and a conflict under another',
    run: async (subject) => {
      const groups = subject.getPort('family-groups');
      const [patientId, relatedPatientId] = [await registerPatient(subject), await registerPatient(subject)];
      const member = { relatedPatientId, relationshipCode: 5, relationshipDescription: 'hermana' };
      const add = (active: boolean, idempotencyKey: string) =>
        groups.add(patientId, { ...member, active }, subject.createCall({ idempotencyKey }));
      const [first, second] = [randomUUID(), randomUUID()];
      const { id } = await add(false, first);
      assert.equal((await add(false, first)).id, id);
      assert.equal((await groups.list(patientId, subject.createCall()))[0]?.active, false);
      for (let turn = 0; turn < 2; turn++) assert.equal((await add(true, second)).id, id);
      await assert.rejects(
        add(true, randomUUID()),
        (error) => error instanceof Failure && error.kind === 'conflict' && error.code === 'relation_exists',
        'the relative is added twice',
      );
      assert.equal((await groups.list(patientId, subject.createCall())).length, 1);
    },
  },
];
