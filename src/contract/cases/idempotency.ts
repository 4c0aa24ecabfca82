import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Call, type Capability, Failure } from '../../ports/index.ts';
import { getField } from '../../toolkit/records.ts';
import {
  createDni,
  pickAny,
  prepareMember,
  registerPatient,
  takePatient,
  takePatientForChange,
  takePatientWith,
  takeRelative,
  takeTicketPatient,
} from '../arrange.ts';
import { type Case, defineCase, definePortCase } from '../case.ts';
import { expectCount, expectFailure } from '../expect.ts';
import { computeDayAhead, getPatient, listCoverages, listFamilyGroup, ofPatient } from '../queries.ts';
import { showAddress } from '../resources.ts';
import type { PortsSubject, Request, Subject } from '../subject.ts';
import { type Prepared, writes } from './port-calls.ts';
import { countRecords } from './reliability.ts';

const base = { level: 'write' } as const;

/** Returns the result of a write that must not be refused for its key. */
async function repeat<T>(write: () => Promise<T>, where = 'under its key'): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.fail(`${where} it fails with ${error.kind} ${error.code ?? ''}`);
  }
}

const listAppointments = async (subject: PortsSubject, id: string) =>
  (await subject.getPort('appointments').list(id, { order: 'ascending' }, subject.createCall())).items;

const listTickets = (subject: PortsSubject, id: string) =>
  subject.getPort('tickets').list(id, {}, subject.createCall());

/** Lists free slots of the bookable service, some days ahead. */
async function listFree(subject: PortsSubject) {
  const query = { serviceId: subject.fixtures.services.bookable, from: computeDayAhead(subject, 6) };
  return (await subject.getPort('appointments').slots(query, subject.createCall())).items;
}

const ticketBase = { level: 'write', needs: 'tickets.open', requires: ['tickets.list'] } as const;

/** Writes that refuse another content under their key. Other writes may detect a repetition by their content alone. */
const strict: readonly Capability[] = ['appointments.book', 'tickets.open', 'practitioners.requestChange'];

/** How to take another patient for a write. Default: `takePatient`. */
const takers: { readonly [C in Capability]?: typeof takePatient } = {
  'tickets.open': takeTicketPatient,
  'practitioners.requestChange': takePatientForChange,
};

/** Writes that conflict with their own result under another key. */
const conflicting: readonly Capability[] = ['insurance.create', 'family-groups.add', 'practitioners.requestChange'];

const creating: readonly Capability[] = [...strict, 'patients.register', 'insurance.create', 'family-groups.add'];

const toId = (made: unknown): unknown => getField(made, 'id');

/** Asserts that another content under the key of a write is refused, or is written. */
async function expectHeeded(
  subject: PortsSubject,
  { write, read }: Prepared,
  { call, made }: { readonly call: Call; readonly made: unknown },
  other: object,
) {
  const before = await read(subject.createCall());
  const outcome = await write(call, other).then(toId, (error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });
  if (outcome instanceof Failure) return;
  const isWritten = outcome !== toId(made) || !isDeepStrictEqual(await read(subject.createCall()), before);
  const names = Object.keys(other).join(', ');
  assert.ok(isWritten, `under its key, another ${names} is answered with the first record, and is not written`);
}

const getStart = ({ given }: { readonly given: unknown }): unknown => getField(given, 'start');

const onceCases = writes
  .filter(({ needs }) => creating.includes(needs))
  .map(
    ({ needs, requires, prepare }): Case =>
      definePortCase({ level: 'destructive', needs, requires }, `idempotency.${needs}`, {
        title: `${needs} happens once under its Idempotency-Key${strict.includes(needs) ? ', which is refused for another content or patient unless another client sends it' : ', which no other content shares'}`,
        run: async (subject) => {
          const one = await prepare(subject);
          let other = await prepare(subject);
          // Two bookings may have found the same time.
          while (getStart(other) && getStart(other) === getStart(one)) other = await prepare(subject);
          const call = subject.createCall({ idempotencyKey: randomUUID() });
          const before = countRecords(await one.read(subject.createCall()));
          const made = await one.write(call);
          const message = 'it returns another result under its key than the first time';
          const expectSame = async () => assert.deepEqual(await repeat(() => one.write(call)), made, message);
          await expectSame();
          if (strict.includes(needs)) {
            const reused = { kind: 'invalid', code: 'idempotency_key_reused' } as const;
            await expectFailure(other.write(call), reused, 'the key of another request is accepted');
            for (const content of (await one.others?.()) ?? []) {
              const names = Object.keys(content).join(', ');
              const accepted = `the key is accepted for a request with another value in ${names}: compare the whole content, nested fields too`;
              await expectFailure(one.write(call, content), reused, accepted);
            }
            const take = takers[needs] ?? takePatient;
            const ofAnother = one.write(call, {}, await take(subject));
            await expectFailure(ofAnother, reused, 'the key is accepted for another patient');
            await expectSame();
            await repeat(
              () => other.write({ ...call, client: 'another' }),
              'under the key of another client (call.client), whose keys are its own,',
            );
          }
          assert.ok(
            countRecords(await one.read(subject.createCall())) - before <= 1,
            'it happened more than once under its key',
          );
          for (const content of strict.includes(needs) ? [] : ((await one.others?.()) ?? []))
            await expectHeeded(subject, one, { call, made }, content);
          const anew = () => one.write(subject.createCall({ idempotencyKey: randomUUID() }));
          const ignored = 'another key returns the first result';
          if (conflicting.includes(needs)) await expectFailure(anew(), { kind: 'conflict' }, ignored);
          if (needs === 'tickets.open') assert.notEqual(toId(await anew()), toId(made), ignored);
        },
      }),
  );

const keyedCases: readonly Case[] = [
  ...onceCases,
  definePortCase({ ...base, level: 'destructive', needs: 'appointments.book' }, 'idempotency.book-again', {
    requires: ['appointments.slots', 'appointments.list', 'appointments.cancel'],
    section: '4.B',
    title:
      'a booking under a used Idempotency-Key returns the first result, even if it was canceled, or if its time has passed',
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
      const [told, ...others] = await list();
      assert.deepEqual([told?.status, others], ['canceled', []]);
    },
  }),
  definePortCase(ticketBase, 'idempotency.tickets-at-once', {
    title: 'a ticket that is sent several times at once under its Idempotency-Key is created once',
    run: async (subject) => {
      const tickets = subject.getPort('tickets');
      const { id: patientId, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
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
      expectCount(listed, 1, 'tickets');
    },
  }),
  definePortCase({ ...base, needs: 'insurance.create', section: '4.B' }, 'idempotency.coverage', {
    requires: ['insurance.coverages', 'insurance.edit'],
    title: 'a coverage under a used Idempotency-Key returns the first result, even after a change',
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
      expectCount(await list(), 1, 'coverages');
    },
  }),
];

/** The promises of an Idempotency-Key for retryable writes. Here, only a port call can carry a key. */
export const idempotencyCases: readonly Case[] = keyedCases.map((each) => ({ ...each, needsRetry: true }));

/** Sends the requests at once. Asserts that one succeeds and that the others are refused with 409 and this code. */
async function expectOneSuccess(subject: Subject, requests: readonly Request[], status: number, code: string) {
  const answers = await Promise.all(requests.map((request) => subject.send(request)));
  const outcomes = answers.map((answer) =>
    answer.status === status ? status : `${answer.status} ${(answer.body as { readonly code?: string }).code}`,
  );
  const refusals = Array.from({ length: requests.length - 1 }, () => `409 ${code}`);
  assert.deepEqual(outcomes.toSorted(), [status, ...refusals].toSorted());
}

const sendOften = (request: Request): Request[] => Array.from({ length: 10 }, () => request);

/** Simultaneous requests for one patient, sent by the patient or by an application. */
export const parallelWriteCases: readonly Case[] = [
  defineCase({ ...base, needs: 'patients.update' }, 'patients.update.parallel', {
    requires: ['patients.get', 'patients.register'],
    title: 'updates of different fields of one patient at the same moment all succeed',
    rule: ['fewer-patient-fields', 'spelling', 'digits-only-phones'],
    run: async (subject) => {
      const id = await registerPatient(subject);
      const changes = { phone: '+54 11 4000-0001', email: 'otra@example.org', name: 'Rosa', last_name: 'Paredes' };
      const bodies = [...Object.entries(changes), ['gender', 'Other'], ['address', { street: 'Los Patos' }]];
      const requests = bodies.map(([field, value]) => ofPatient('PUT /patients/{id}', id, { [String(field)]: value }));
      const answers = await Promise.all(requests.map((request) => subject.send(request)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        requests.map(() => 200),
      );
      const { phone, email, name, last_name, gender, address } = await getPatient(subject, id);
      assert.deepEqual({ phone, email, name, last_name }, changes);
      assert.deepEqual([gender, address], ['Other', showAddress({ street: 'Los Patos' })]);
    },
  }),
  defineCase({ ...base, needs: 'practitioners.requestChange' }, 'practitioners.change.parallel', {
    title: 'of simultaneous requests for a change, one is accepted',
    run: async (subject) => {
      const body = { reason_id: subject.fixtures.changeReason };
      const request = ofPatient(
        'POST /patients/{id}/practitioner/change_request',
        await takePatientForChange(subject),
        body,
      );
      await expectOneSuccess(subject, sendOften(request), 200, 'change_request_open');
    },
  }),
  defineCase({ ...base, needs: 'family-groups.add', requires: ['family-groups.list'] }, 'family-groups.add.parallel', {
    title: 'a relative who is added several times at once is in the group once',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listFamilyGroup);
      const request = ofPatient(
        'POST /patients/{id}/family_group',
        id,
        await prepareMember(subject, await takeRelative(subject, id)),
      );
      await expectOneSuccess(subject, sendOften(request), 201, 'relation_exists');
      expectCount(await list(), 1, 'relatives');
    },
  }),
  defineCase({ ...base, section: '4.B', needs: 'insurance.create' }, 'insurance.create.parallel', {
    requires: ['insurance.coverages'],
    title: 'a credential that is sent with several plans at once is one coverage',
    run: async (subject) => {
      const { accepted, another, refused } = subject.fixtures.plans;
      const { id: beneficiaryId, list } = await takePatientWith(subject, listCoverages);
      const credentialNumber = String(createDni());
      const requests = [accepted, refused, another, refused].map((insurancePlanId): Request => {
        return { route: 'POST /v1/coverages', body: { credentialNumber, beneficiaryId, insurancePlanId } };
      });
      await expectOneSuccess(subject, requests, 201, 'coverage_exists');
      expectCount(await list(), 1, 'coverages');
    },
  }),
];
