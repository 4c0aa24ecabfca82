import assert from 'node:assert/strict';
import { bookA, createCoverage, findFreeSlot, takePatient } from '../../../../src/contract/arrange.ts';
import { type Case, defineCase } from '../../../../src/contract/case.ts';
import { expectFault } from '../../../../src/contract/expect.ts';
import type { Request, Subject } from '../../../../src/contract/index.ts';
import { buildSlotSearch, listDistinct, listSlotsB } from '../../../../src/contract/queries.ts';

const base = { level: 'safe', needs: 'appointments.slots', section: '4.B' } as const;

const toRequest = (subject: Subject, body: object): Request => ({
  route: 'POST /v1/available-slots',
  body: { ...buildSlotSearch(subject), ...body },
});

/** The search for slots of Group B, as far as it does with a port what that of Group A does. */
export const slotCases: readonly Case[] = [
  defineCase(base, 'slots.b.who-and-where', {
    title: 'practitionerId and locationId narrow, and null means any',
    run: async (subject) => {
      const { practitioners, locations } = subject.fixtures;
      const his = await listSlotsB(subject, { practitionerId: practitioners.bookable });
      assert.deepEqual(listDistinct(his, 'practitionerId'), [practitioners.bookable]);
      assert.deepEqual(await listSlotsB(subject, { practitionerId: practitioners.second }), []);
      const first = await listSlotsB(subject, { locationId: locations.first });
      assert.deepEqual(listDistinct(first, 'locationId'), [locations.first]);
    },
  }),
  defineCase(base, 'slots.b.patient', {
    title: 'a patient whom the service excludes gets an empty page',
    run: async (subject) => {
      const { patients } = subject.fixtures;
      assert.deepEqual(await listSlotsB(subject, { patientId: patients.child }), []);
      assert.notDeepEqual(await listSlotsB(subject, { patientId: patients.complete }), []);
    },
  }),
  defineCase(base, 'slots.b.coverage', {
    level: 'write',
    requires: ['insurance.create', 'insurance.coverages'],
    fixtures: ['services.restricted'],
    title: 'a patient or coverage that the service excludes gets an empty page, also where both are given',
    run: async (subject) => {
      const { patients, coverages, services, plans } = subject.fixtures;
      const insured = { patientId: patients.complete, patientCoverageId: coverages.active };
      assert.notDeepEqual(await listSlotsB(subject, insured), []);
      const child = { patientId: patients.child, patientCoverageId: coverages.ofChild };
      assert.deepEqual(await listSlotsB(subject, child), []);
      const patientId = await takePatient(subject);
      const refused = await createCoverage(subject, patientId, plans.refused);
      const search = { patientId, patientCoverageId: refused };
      assert.notDeepEqual(await listSlotsB(subject, search), []);
      assert.deepEqual(await listSlotsB(subject, { ...search, hcsId: services.restricted }), []);
    },
  }),
  defineCase(base, 'slots.b.unknown-things', {
    title: 'the search of Group B names the field whose thing does not exist',
    run: async (subject) => {
      for (const field of ['hcsId', 'practitionerId', 'locationId', 'patientId', 'patientCoverageId']) {
        await expectFault(subject, toRequest(subject, { [field]: subject.fixtures.unknown }), `body /${field}`);
      }
    },
  }),
  defineCase(base, 'slots.b.somebody-else', {
    requires: ['insurance.coverages'],
    title: 'the search of Group B refuses a coverage of somebody else',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const mixed = { patientId: patients.complete, patientCoverageId: coverages.ofBare };
      await expectFault(subject, toRequest(subject, mixed), 'body /patientCoverageId');
    },
  }),
  defineCase(base, 'slots.b.range', {
    title: 'the search takes 62 days, and refuses more, and days or hours that run backwards',
    run: async (subject) => {
      const dateFrom = '2027-01-01';
      await listSlotsB(subject, { dateConfig: { dateFrom, dateTo: '2027-03-03' } });
      for (const [dateConfig, field] of [
        [{ dateFrom, dateTo: '2027-03-04' }, 'dateTo'],
        [{ dateFrom, dateTo: '2026-12-31' }, 'dateTo'],
        [{ hourFrom: '10:00', hourTo: '09:00' }, 'hourTo'],
      ] as const) {
        await expectFault(subject, toRequest(subject, { dateConfig }), `body /dateConfig/${field}`);
      }
    },
  }),
  defineCase(base, 'slots.b.misfits', {
    title: 'the search names each field of dateConfig whose value does not fit',
    run: async (subject) => {
      for (const [field, misfit] of Object.entries({
        dateFrom: '2026-02-30',
        dateTo: '2026/03/01',
        daysOfWeek: 'MONDAY',
        hourFrom: '25:00',
        hourTo: '9',
        unheardOf: 1,
      })) {
        await expectFault(
          subject,
          toRequest(subject, { dateConfig: { [field]: misfit } }),
          `body /dateConfig/${field}`,
        );
      }
      const days = { dateConfig: { daysOfWeek: ['MONDAY', 'Tuesday'] } };
      await expectFault(subject, toRequest(subject, days), 'body /dateConfig/daysOfWeek/1');
    },
  }),
  defineCase(base, 'slots.b.booked', {
    level: 'destructive',
    requires: ['appointments.book'],
    title: 'a slot that was booked in Group A is no longer offered in Group B',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const day = slot.date.slice(0, 10);
      const starts = async () =>
        (await listSlotsB(subject, { dateConfig: { dateFrom: day, dateTo: day } })).map(
          (other) => other.appointmentStart,
        );
      assert.ok((await starts()).includes(slot.date.slice(11, 16)));
      await bookA(subject, await takePatient(subject), slot);
      assert.ok(!(await starts()).includes(slot.date.slice(11, 16)));
    },
  }),
];
