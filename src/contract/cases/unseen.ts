import assert from 'node:assert/strict';
import { getField } from '../../toolkit/records.ts';
import { buildBookingA, buildCancellation, findFreeSlot, takePatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectProblem, expectPromised } from '../expect.ts';
import { listAppointmentsA, listSlotsA, toIds } from '../queries.ts';
import type { Subject } from '../subject.ts';

const ofComplete = (subject: Subject) => listAppointmentsA(subject, subject.fixtures.patients.complete);

const cancelBase = {
  level: 'destructive',
  needs: 'appointments.cancel',
  requires: ['appointments.list'],
  section: '2',
} as const;

/** Records of the system that the API must not show, or must not change. */
export const unseenCases: readonly Case[] = [
  defineCase({ level: 'safe', needs: 'appointments.list', section: '2' }, 'appointments.list.removed', {
    fixtures: ['appointments.removed'],
    title: 'list leaves out an appointment that the system marks as deleted',
    run: async (subject) => {
      const listed = toIds(await ofComplete(subject));
      expectPromised(listed.length > 0, 'an appointment of patients.complete');
      assert.ok(!listed.includes(subject.fixtures.appointments.removed), 'a deleted appointment is listed');
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.removed', {
    fixtures: ['appointments.removed'],
    title: 'cancel answers 404 for an appointment that the system marks as deleted, and changes nothing',
    run: async (subject) => {
      const { appointments, patients } = subject.fixtures;
      const before = await ofComplete(subject);
      await expectProblem(subject, buildCancellation(patients.complete, appointments.removed), 404, 'not_found');
      assert.deepEqual(await ofComplete(subject), before);
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.attended', {
    fixtures: ['appointments.attended'],
    title: 'cancel refuses a past appointment that the patient attended, which stays active',
    run: async (subject) => {
      const { appointments, patients } = subject.fixtures;
      await expectProblem(subject, buildCancellation(patients.complete, appointments.attended), 409, 'not_cancelable');
      const shown = (await ofComplete(subject)).find(({ id }) => id === appointments.attended);
      assert.ok(shown, 'an attended appointment is not listed');
      const what = 'status and cancelable of appointments.attended';
      assert.deepEqual([shown.status, shown.cancelable], ['active', false], what);
    },
  }),
  defineCase({ level: 'safe', needs: 'appointments.slots', section: '2' }, 'slots.blocked', {
    fixtures: ['slots.blocked'],
    title: 'a time that the system blocks is not offered',
    run: async (subject) => {
      const { practitioner, start } = subject.fixtures.slots.blocked;
      const starts = (await listSlotsA(subject, { practitioner_id: practitioner })).map(({ date }) => date);
      expectPromised(starts.length > 0, 'a free slot of the practitioner of slots.blocked');
      assert.deepEqual(
        starts.filter((date) => date.endsWith(start)),
        [],
      );
    },
  }),
  defineCase({ level: 'write', needs: 'appointments.book', section: '2' }, 'appointments.book.blocked', {
    requires: ['appointments.slots', 'appointments.list'],
    fixtures: ['slots.blocked'],
    title: 'book refuses a time that the system blocks',
    run: async (subject) => {
      const { practitioner, start } = subject.fixtures.slots.blocked;
      const slot = await findFreeSlot(subject, { practitioner_id: practitioner });
      const id = await takePatient(subject);
      const before = await listAppointmentsA(subject, id);
      const date = start.startsWith('T') ? `${slot.date.slice(0, 10)}${start}` : start;
      const body = { ...buildBookingA(slot), date };
      const { status, body: answer } = await subject.send({
        route: 'POST /patients/{id}/appointments',
        params: { id },
        body,
      });
      // A blocked time is a taken slot, or no slot.
      assert.match(`${status} ${getField(answer, 'code')}`, /^(409 slot_taken|422 slot_unknown)$/);
      assert.deepEqual(await listAppointmentsA(subject, id), before);
    },
  }),
];
