import assert from 'node:assert/strict';
import { bookA, buildCancellation, findFreeSlot, takePatient, takePatientWith } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectFault, expectProblem, getBody } from '../expect.ts';
import { isOfferedInA, listAppointmentsA } from '../queries.ts';

const cancelBase = {
  level: 'destructive',
  needs: 'appointments.cancel',
  requires: ['appointments.slots', 'appointments.list', 'appointments.book'],
  section: '3',
} as const;
const lateBase = {
  level: 'destructive',
  needs: 'appointments.cancel',
  requires: ['appointments.list'],
  section: '3',
} as const;

/** Cancelling, which only Group A has. */
export const cancellingCases: readonly Case[] = [
  defineCase(cancelBase, 'appointments.cancel.frees', {
    title: 'cancel shows the appointment as canceled and offers its slot again',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const appointmentId = await bookA(subject, id, slot);
      assert.ok(!(await isOfferedInA(subject, slot)));
      assert.deepEqual(await getBody(subject, buildCancellation(id, appointmentId)), {});
      assert.deepEqual(
        (await list()).map(({ id, status }) => ({ id, status })),
        [{ id: appointmentId, status: 'canceled' }],
      );
      assert.ok(await isOfferedInA(subject, slot));
      await bookA(subject, await takePatient(subject), slot);
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.twice', {
    title: 'cancel answers 200 for what is canceled already, and changes nothing',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const appointmentId = await bookA(subject, id, slot);
      await getBody(subject, buildCancellation(id, appointmentId));
      await bookA(subject, await takePatient(subject), slot);
      const before = await list();
      assert.deepEqual(await getBody(subject, buildCancellation(id, appointmentId)), {});
      assert.deepEqual(await list(), before);
      assert.ok(!(await isOfferedInA(subject, slot)), 'the slot of the next patient was freed');
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.other-patient', {
    title: 'cancel answers 404 for an appointment of another patient, which stays',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const appointmentId = await bookA(subject, id, await findFreeSlot(subject));
      await expectProblem(subject, buildCancellation(await takePatient(subject), appointmentId), 404, 'not_found');
      assert.equal((await list())[0]?.status, 'active');
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.status', {
    title: 'cancel takes no other status than canceled',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const request = buildCancellation(id, await bookA(subject, id, await findFreeSlot(subject)));
      await expectFault(subject, { ...request, body: { status: 'active' } }, 'body /status');
      assert.equal((await list())[0]?.status, 'active');
    },
  }),
  defineCase(lateBase, 'appointments.cancel.too-late', {
    title: 'cancel refuses an appointment that is not cancelable',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const before = await listAppointmentsA(subject, id);
      const past = before.find(({ cancelable, status }) => status === 'active' && !cancelable);
      assert.ok(past, 'patients.complete has no past appointment: see the fixtures');
      await expectProblem(subject, buildCancellation(id, past.id), 409, 'not_cancelable');
      assert.deepEqual(await listAppointmentsA(subject, id), before);
    },
  }),
];
