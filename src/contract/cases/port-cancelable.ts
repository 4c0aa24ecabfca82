import assert from 'node:assert/strict';
import type { Instant } from '../../ports/index.ts';
import { bookA, findFreeSlot, takePatient } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { addMinutes, toInstant } from '../days.ts';
import { expectFailure } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';

/** Books an appointment. Returns when it starts, and whether it is said to be cancelable at a moment. */
async function bookForCancelling(subject: PortsSubject) {
  const slot = await findFreeSlot(subject);
  const patientId = await takePatient(subject);
  const appointmentId = await bookA(subject, patientId, slot);
  const isCancelable = async (now: Instant): Promise<boolean> => {
    const call = subject.createCall({ now });
    const { items } = await subject.getPort('appointments').list(patientId, { order: 'ascending' }, call);
    const found = items.find(({ id }) => id === appointmentId);
    assert.ok(found, 'the appointment is not listed');
    return found.cancelable;
  };
  return { patientId, appointmentId, start: toInstant(subject, slot.date), isCancelable };
}

const base = { level: 'destructive', requires: ['appointments.slots', 'appointments.book'], section: '3' } as const;

/** Until when an appointment can be canceled. */
export const cancelableCases: readonly Case[] = [
  definePortCase(base, 'ports.cancelable.zone', {
    needs: 'appointments.list',
    fixtures: ['cancelUntilHours'],
    title: 'list: cancelable ends so many hours before the start in the institution’s zone, and in no other',
    rule: 'no-canceling',
    run: async (subject) => {
      const { start, isCancelable } = await bookForCancelling(subject);
      const limit = addMinutes(start, -60 * subject.fixtures.cancelUntilHours);
      assert.deepEqual(
        [await isCancelable(addMinutes(limit, -1)), await isCancelable(addMinutes(limit, 1))],
        [true, false],
      );
    },
  }),
  definePortCase(base, 'ports.midnight.cancelable', {
    needs: 'appointments.list',
    section: '2',
    title: 'list: what is cancelable does not change at midnight of UTC',
    run: async (subject) => {
      const { start, isCancelable } = await bookForCancelling(subject);
      for (const daysBefore of [0, 1, 2]) {
        const midnight = `${addMinutes(start, -daysBefore * 1440).slice(0, 10)}T00:00:00.000Z`;
        // At a round hour before its start it may become too late to cancel.
        if (midnight >= start || (Date.parse(start) - Date.parse(midnight)) % 3_600_000 === 0) continue;
        const before = await isCancelable(addMinutes(midnight, -1));
        const after = await isCancelable(addMinutes(midnight, 1));
        assert.equal(after, before, `${daysBefore} days before the appointment`);
      }
      assert.equal(await isCancelable(addMinutes(start, 1)), false);
    },
  }),
  definePortCase(base, 'ports.cancelable.agrees', {
    needs: 'appointments.cancel',
    requires: ['appointments.list'],
    title: 'cancel: what list calls cancelable can be canceled to the last minute, and is refused in the next',
    run: async (subject) => {
      const { patientId, appointmentId, start, isCancelable } = await bookForCancelling(subject);
      let [yes, no] = [Math.floor(subject.now().getTime() / 60_000), Math.floor(Date.parse(start) / 60_000) + 1];
      const toMoment = (minute: number) => new Date(minute * 60_000).toISOString();
      assert.deepEqual([await isCancelable(toMoment(yes)), await isCancelable(toMoment(no))], [true, false]);
      while (no - yes > 1) {
        const middle = Math.floor((yes + no) / 2);
        if (await isCancelable(toMoment(middle))) yes = middle;
        else no = middle;
      }
      const cancel = (minute: number) =>
        subject.getPort('appointments').cancel(patientId, appointmentId, subject.createCall({ now: toMoment(minute) }));
      await expectFailure(cancel(no), { code: 'not_cancelable' }, 'cancel accepts what list calls not cancelable');
      await cancel(yes);
      assert.equal(await isCancelable(toMoment(yes)), false);
    },
  }),
];
