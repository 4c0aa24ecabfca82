import assert from 'node:assert/strict';
import {
  addMember,
  bookA,
  createCoverage,
  findFreeSlot,
  takePatient,
  takePatientForChange,
  takePatientWith,
  takeTicketPatient,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectProblem, getBody } from '../expect.ts';
import {
  computeDayAhead,
  getPatient,
  listAppointmentsA,
  listAppointmentsB,
  listCoverages,
  listFamilyGroup,
  listSlotsA,
  ofPatient,
  pickBelow,
  toIds,
} from '../queries.ts';
import type { PatientBody, SlotA } from '../resources.ts';
import type { Query, Request, Subject } from '../subject.ts';
import { Skipped } from '../thrown.ts';

const ownRecordsBase = { level: 'write', section: '2' } as const;

/**
 * Creates records of two patients. Asserts that each list contains the records of its patient and none of the other,
 * even if both are read at once.
 */
async function expectSeparate(
  subject: Subject,
  write: (patientId: string) => Promise<unknown>,
  lists: readonly ((patientId: string) => Promise<readonly string[]>)[],
  take = takePatient,
): Promise<void> {
  const [one, other] = [await take(subject), await take(subject)];
  await write(one);
  await write(other);
  for (const list of lists) {
    const [ofOne = [], ofOther = []] = await Promise.all([list(one), list(other)]);
    assert.ok(ofOne.length > 0 && ofOther.length > 0, 'a list lacks the last written record');
    assert.deepEqual(
      ofOne.filter((id) => ofOther.includes(id)),
      [],
      'a list contains a record of another patient',
    );
  }
}

/** The number of records, which exceeds a page of most systems. */
const MANY = 26;

/** Free slots at different times, some days ahead. */
async function findManySlots(subject: Subject): Promise<readonly SlotA[]> {
  const soon = computeDayAhead(subject, 5);
  const byDate = new Map(
    (await listSlotsA(subject)).filter(({ date }) => date > soon).map((slot) => [slot.date, slot]),
  );
  if (byDate.size < MANY) throw new Skipped(`there are no free slots at ${MANY} times`);
  const first = pickBelow(byDate.size - MANY + 1);
  return [...byDate.values()].slice(first, first + MANY);
}

/** Lists contain all records of the patient, and no record of another one. */
export const ownRecordCases: readonly Case[] = [
  defineCase({ ...ownRecordsBase, needs: 'patients.get' }, 'patients.get.own', {
    title: 'simultaneous reads of several patients each return their own patient',
    run: async (subject) => {
      const ids = [subject.fixtures.patients.complete, await takePatient(subject), await takePatient(subject)];
      const asked = [...ids, ...ids.toReversed()];
      const shown = await Promise.all(asked.map((id) => getPatient(subject, id)));
      assert.deepEqual(toIds(shown), asked);
      const alone = new Map<string, PatientBody>();
      for (const id of ids) alone.set(id, await getPatient(subject, id));
      assert.deepEqual(
        shown,
        asked.map((id) => alone.get(id)),
      );
    },
  }),
  defineCase({ ...ownRecordsBase, level: 'destructive', needs: 'appointments.list' }, 'appointments.list.own', {
    requires: ['appointments.book', 'appointments.slots'],
    title: 'no list of appointments contains one of another patient, with any filter or order',
    run: async (subject) => {
      const queries: Query[] = [
        {},
        { appointmentStatus: 'active' },
        { dateFrom: computeDayAhead(subject, 0) },
        { sortDirection: 'DESC', page: '0', limit: '5' },
      ];
      await expectSeparate(subject, async (id) => bookA(subject, id, await findFreeSlot(subject)), [
        async (id) => toIds(await listAppointmentsA(subject, id)),
        ...queries.map((query) => async (id: string) => toIds(await listAppointmentsB(subject, id, query))),
      ]);
    },
  }),
  defineCase({ ...ownRecordsBase, level: 'destructive', needs: 'appointments.list' }, 'appointments.list.many', {
    requires: ['appointments.book', 'appointments.slots'],
    title: `list contains all of ${MANY} appointments, which exceed a page of most systems`,
    rule: 'days-between-bookings',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const booked: string[] = [];
      for (const slot of await findManySlots(subject)) booked.push(await bookA(subject, id, slot));
      assert.deepEqual(toIds(await list()).toSorted(), booked.toSorted());
    },
  }),
  defineCase({ ...ownRecordsBase, needs: 'tickets.list' }, 'tickets.list.own', {
    requires: ['tickets.open', 'tickets.type'],
    title: 'no list of tickets contains one of another patient, with any filter',
    run: async (subject) => {
      const { id: type, checked } = subject.fixtures.ticketType;
      const openTicket = (id: string) => {
        const body = { observations: 'Por favor', fields: [{ id: checked.id, value: checked.fits }] };
        const route = 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket';
        return getBody(subject, { route, params: { id, ticket_type_id: type }, body }, 201);
      };
      const queries: Query[] = [{}, { ticket_type_id: type }, { start_date: computeDayAhead(subject, -2) }];
      const lists = queries.map((query) => async (id: string) => {
        const request: Request = { route: 'GET /patients/{id}/ticket/', params: { id }, query };
        return (await getBody<{ readonly uid: string }[]>(subject, request)).map(({ uid }) => uid);
      });
      await expectSeparate(subject, openTicket, lists, takeTicketPatient);
    },
  }),
  defineCase({ ...ownRecordsBase, needs: 'insurance.coverages' }, 'insurance.coverages.own', {
    requires: ['insurance.create'],
    title: 'no list of health insurances contains one of another patient',
    run: async (subject) =>
      expectSeparate(subject, (id) => createCoverage(subject, id), [
        async (id) => toIds(await listCoverages(subject, id)),
      ]),
  }),
  defineCase({ ...ownRecordsBase, needs: 'family-groups.list' }, 'family-groups.list.own', {
    requires: ['family-groups.add'],
    title: 'no family group contains a member of another patient’s group',
    run: async (subject) =>
      expectSeparate(subject, (id) => addMember(subject, id), [
        async (id) => toIds(await listFamilyGroup(subject, id)),
      ]),
  }),
  defineCase({ ...ownRecordsBase, needs: 'practitioners.changeRequestOf' }, 'practitioners.change.own', {
    requires: ['practitioners.requestChange'],
    title: 'a change request of another patient is not returned',
    run: async (subject) => {
      const route = 'POST /patients/{id}/practitioner/change_request';
      const [one, other] = [await takePatientForChange(subject), await takePatientForChange(subject)];
      await getBody(subject, { route, params: { id: one }, body: { reason_id: subject.fixtures.changeReason } });
      const request = ofPatient('GET /patients/{id}/practitioner/change_request', other);
      await expectProblem(subject, request, 404, 'no_change_request');
    },
  }),
];
