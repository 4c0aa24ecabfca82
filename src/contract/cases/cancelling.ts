import assert from 'node:assert/strict';
import { bookA, freeSlot, freshPatient } from '../arrange.ts';
import type { Case } from '../case.ts';
import { answer, faulty, refused } from '../expect.ts';
import { appointmentsA, isOfferedInA } from '../shown.ts';
import type { Request } from '../subject.ts';

const canceling = (id: string, appointment_id: string): Request => ({
  route: 'PUT /patients/{id}/appointments/{appointment_id}',
  params: { id, appointment_id },
  body: { status: 'canceled' },
});

const cancels = {
  level: 'destructive',
  needs: 'appointments.cancel',
  also: ['appointments.slots', 'appointments.list', 'patients.register', 'appointments.book'],
  section: '3',
} as const;

/** Cancelling, which Group A alone can do. */
export const cancellingCases: readonly Case[] = [
  {
    ...cancels,
    id: 'appointments.cancel.frees',
    title: 'cancel shows the appointment as canceled and offers its slot again',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const id = await freshPatient(subject);
      const appointmentId = await bookA(subject, id, slot);
      assert.ok(!(await isOfferedInA(subject, slot)));
      assert.deepEqual(await answer(subject, canceling(id, appointmentId)), {});
      assert.deepEqual(
        (await appointmentsA(subject, id)).map(({ id, status }) => ({ id, status })),
        [{ id: appointmentId, status: 'canceled' }],
      );
      assert.ok(await isOfferedInA(subject, slot));
      await bookA(subject, await freshPatient(subject), slot);
    },
  },
  {
    ...cancels,
    id: 'appointments.cancel.twice',
    title: 'cancel answers 200 for what is canceled already, and changes nothing',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const id = await freshPatient(subject);
      const appointmentId = await bookA(subject, id, slot);
      await answer(subject, canceling(id, appointmentId));
      await bookA(subject, await freshPatient(subject), slot);
      const before = await appointmentsA(subject, id);
      assert.deepEqual(await answer(subject, canceling(id, appointmentId)), {});
      assert.deepEqual(await appointmentsA(subject, id), before);
      assert.ok(!(await isOfferedInA(subject, slot)), 'the slot of the next patient was freed');
    },
  },
  {
    ...cancels,
    id: 'appointments.cancel.other-patient',
    title: 'cancel answers 404 for an appointment of another patient, which stays',
    run: async (subject) => {
      const id = await freshPatient(subject);
      const appointmentId = await bookA(subject, id, await freeSlot(subject));
      await refused(subject, canceling(await freshPatient(subject), appointmentId), 404, 'not_found');
      assert.equal((await appointmentsA(subject, id))[0]?.status, 'active');
    },
  },
  {
    ...cancels,
    id: 'appointments.cancel.status',
    title: 'cancel takes no other status than canceled',
    run: async (subject) => {
      const id = await freshPatient(subject);
      const request = canceling(id, await bookA(subject, id, await freeSlot(subject)));
      await faulty(subject, { ...request, body: { status: 'active' } }, 'body /status');
      assert.equal((await appointmentsA(subject, id))[0]?.status, 'active');
    },
  },
  {
    ...cancels,
    also: ['appointments.list'],
    id: 'appointments.cancel.too-late',
    title: 'cancel refuses an appointment that is not cancelable',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const before = await appointmentsA(subject, id);
      const past = before.find(({ cancelable, status }) => status === 'active' && !cancelable);
      assert.ok(past, 'patients.complete has no past appointment: see the fixtures');
      await refused(subject, canceling(id, past.id), 409, 'not_cancelable');
      assert.deepEqual(await appointmentsA(subject, id), before);
    },
  },
];
