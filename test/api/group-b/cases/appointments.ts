import assert from 'node:assert/strict';
import {
  buildBookingA,
  buildBookingB,
  findFreeSlot,
  pickAny,
  skipEarlier,
  takePatient,
} from '../../../../src/contract/arrange.ts';
import { type Case, defineCase } from '../../../../src/contract/case.ts';
import { expectFault, expectProblem, getBody } from '../../../../src/contract/expect.ts';
import type { Request, Subject } from '../../../../src/contract/index.ts';
import {
  buildSlotSearch,
  emptyPage,
  listAppointmentsB,
  listSlotsB,
  toStart,
} from '../../../../src/contract/queries.ts';
import type { SlotA, SlotB } from '../../../../src/contract/resources.ts';
import type { Query } from '../../../../src/contract/subject.ts';

const listBase = { level: 'safe', needs: 'appointments.list', section: '4.B' } as const;
const toListRequest = (query: Query): Request => ({ route: 'GET /v1/appointments', query });

const createBase = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list'],
  section: '4.B',
} as const;
const toRequest = (body: object): Request => ({ route: 'POST /v1/appointments', body });

/** Appointments of Group B, as far as it does with a port what Group A does. */
export const appointmentCases: readonly Case[] = [
  defineCase(listBase, 'appointments.b.none', {
    title: 'a patient without appointments has an empty page',
    run: async (subject) => {
      const { patients } = subject.fixtures;
      assert.deepEqual(await getBody(subject, toListRequest({ patientId: patients.bare })), emptyPage);
    },
  }),
  defineCase(listBase, 'appointments.b.unknown-patient', {
    title: 'the appointments of an unknown patient are a 404',
    run: (subject) => expectProblem(subject, toListRequest({ patientId: subject.fixtures.unknown }), 404, 'not_found'),
  }),
  defineCase(listBase, 'appointments.b.limits', {
    section: '8',
    title: 'a limit lies between 1 and 100, and a page is not negative',
    run: async (subject) => {
      const patientId = subject.fixtures.patients.complete;
      await getBody(subject, toListRequest({ patientId, limit: '100' }));
      for (const limit of ['0', '101', '-1', '1.5', '']) {
        await expectFault(subject, toListRequest({ patientId, limit }), 'query /limit');
      }
      await expectFault(subject, toListRequest({ patientId, page: '-1' }), 'query /page');
    },
  }),
  defineCase(createBase, 'appointments.b.create-parallel', {
    title: 'of twenty parallel bookings of one slot through both groups one succeeds',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const offer = await findOffer(subject, slot);
      const patients = await Promise.all(Array.from({ length: 20 }, () => takePatient(subject)));
      const lists = await Promise.all(
        [...new Set(patients)].map((id) => skipEarlier(subject, () => listAppointmentsB(subject, id))),
      );
      const requests = patients.map((id, index): Request => {
        if (index % 2 === 0) return toRequest(buildBookingB(id, offer));
        return { route: 'POST /patients/{id}/appointments', params: { id }, body: buildBookingA(slot) };
      });
      const statuses = (await Promise.all(requests.map(subject.send))).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [201, ...Array.from({ length: 19 }, () => 409)]);
      assert.equal((await Promise.all(lists.map((list) => list()))).flat().length, 1);
    },
  }),
];

/** The offer of Group B for a slot of Group A. */
async function findOffer(subject: Subject, { date, practitioner_id, location_id }: SlotA): Promise<SlotB> {
  const day = date.slice(0, 10);
  const offers = await listSlotsB(subject, { ...buildSlotSearch(subject), dateConfig: { dateFrom: day, dateTo: day } });
  return pickAny(
    offers.filter(
      (offer) =>
        toStart(offer) === date && offer.practitionerId === practitioner_id && offer.locationId === location_id,
    ),
  );
}
