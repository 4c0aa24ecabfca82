import assert from 'node:assert/strict';
import {
  bookA,
  bookB,
  bookWithPayment,
  buildBookingA,
  buildBookingB,
  buildCancellation,
  createCoverage,
  findFreeSlot,
  findSimultaneousSlots,
  registerPatient,
  takePatient,
  takePatientWith,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectFault, expectIds, expectPromised, getBody, getList } from '../expect.ts';
import {
  buildSlotSearch,
  changeLetterCase,
  checkPages,
  computeDayAhead,
  listAppointmentsB,
  listDistinct,
  listServicesB,
  listSlotsA,
  listSlotsB,
  toIds,
} from '../queries.ts';
import type { ServiceB, SlotB } from '../resources.ts';
import type { Request, Subject } from '../subject.ts';
import { Skipped, tooShort } from '../thrown.ts';

const base = { level: 'safe', needs: 'appointments.slots' } as const;

/** Available slots in Group A. */
export const slotCases: readonly Case[] = [
  defineCase(base, 'slots.future', {
    title: 'available slots are in the future, within the horizon, in time order',
    run: async (subject) => {
      const dates = (await listSlotsA(subject)).map(({ date }) => date);
      expectPromised(dates.length > 0, 'a free slot of services.bookable');
      assert.deepEqual(dates, dates.toSorted());
      const [today, end] = [0, subject.fixtures.bookingHorizonDays + 1].map((days) => computeDayAhead(subject, days));
      const outside = dates.filter((date) => date < String(today) || date >= String(end));
      assert.deepEqual(outside, [], `slots are offered before ${today}, or from ${end} on, after the horizon`);
    },
  }),
  defineCase(base, 'slots.practitioner', {
    title: 'only slots of the given practitioner are returned',
    run: async (subject) => {
      const { bookable, second } = subject.fixtures.practitioners;
      const found = await listSlotsA(subject, { practitioner_id: bookable });
      assert.deepEqual(listDistinct(found, 'practitioner_id'), [bookable]);
      assert.deepEqual(await listSlotsA(subject, { practitioner_id: second }), []);
    },
  }),
  defineCase(base, 'slots.location', {
    title: 'only slots at the given location are returned',
    run: async (subject) => {
      const { first, another } = subject.fixtures.locations;
      const everywhere = listDistinct(await listSlotsA(subject), 'location_id');
      expectIds(everywhere.map(String), 'the locations of all slots', { has: [first, another] });
      for (const location_id of [first, another]) {
        assert.deepEqual(listDistinct(await listSlotsA(subject, { location_id }), 'location_id'), [location_id]);
      }
    },
  }),
  defineCase(base, 'slots.unknown-things', {
    title: 'the search names the parameter whose record does not exist, even if only the case of a letter differs',
    run: async (subject) => {
      const { services, practitioners, locations } = subject.fixtures;
      const health_care_service_id = services.bookable;
      for (const name of [
        'health_care_service_id',
        'practitioner_id',
        'location_id',
        'patient_id',
        'health_insurance_id',
      ]) {
        const query = { health_care_service_id, [name]: subject.fixtures.unknown };
        await expectFault(subject, { route: 'GET /available-appointments/search', query }, `query /${name}`);
      }
      const known = { health_care_service_id, practitioner_id: practitioners.bookable, location_id: locations.first };
      for (const [name, id] of Object.entries(known)) {
        const query = { health_care_service_id, [name]: changeLetterCase(id) };
        if (query[name] === id) continue;
        await expectFault(subject, { route: 'GET /available-appointments/search', query }, `query /${name}`);
      }
    },
  }),
  defineCase(base, 'slots.several-unknown-things', {
    title: 'the search names the first unknown record of service, practitioner, location, patient and insurance',
    run: async (subject) => {
      const names = ['practitioner_id', 'location_id', 'patient_id', 'health_insurance_id'];
      for (const [index, name] of names.entries()) {
        const unknown = names.slice(index).map((each) => [each, subject.fixtures.unknown] as const);
        const query = { health_care_service_id: subject.fixtures.services.bookable, ...Object.fromEntries(unknown) };
        await expectFault(subject, { route: 'GET /available-appointments/search', query }, `query /${name}`);
        const nothing = { ...query, health_care_service_id: subject.fixtures.unknown };
        const place = 'query /health_care_service_id';
        await expectFault(subject, { route: 'GET /available-appointments/search', query: nothing }, place);
      }
    },
  }),
  defineCase({ ...base, requires: ['insurance.coverages'] }, 'slots.somebody-else', {
    title: 'the search refuses a health insurance of another patient',
    run: async (subject) => {
      const { patients, coverages, services } = subject.fixtures;
      const query = {
        health_care_service_id: services.bookable,
        patient_id: patients.complete,
        health_insurance_id: coverages.ofBare,
      };
      await expectFault(subject, { route: 'GET /available-appointments/search', query }, 'query /health_insurance_id');
    },
  }),
  defineCase(base, 'slots.age', {
    title: 'a patient outside the age limits of the service gets no slots',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const findSlots = (patient_id: string, health_care_service_id: string) =>
        listSlotsA(subject, { patient_id, health_care_service_id });
      assert.deepEqual(await findSlots(patients.child, services.bookable), []);
      assert.notDeepEqual(await findSlots(patients.complete, services.bookable), []);
      assert.deepEqual(await findSlots(patients.complete, services.childrenOnly), []);
      assert.notDeepEqual(await findSlots(patients.child, services.childrenOnly), []);
    },
  }),
  defineCase(base, 'slots.sex', {
    title: 'a patient of the other sex gets no slots',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const findSlots = (patient_id: string) =>
        listSlotsA(subject, { patient_id, health_care_service_id: services.womenOnly });
      assert.deepEqual(await findSlots(patients.bare), []);
      assert.notDeepEqual(await findSlots(patients.complete), []);
    },
  }),
  defineCase({ ...base, level: 'write', requires: ['patients.register'] }, 'slots.sex-other', {
    rule: 'verified-later',
    title: 'a patient who is neither Male nor Female gets the slots of a service for one sex',
    run: async (subject) => {
      const patient_id = await registerPatient(subject, { gender: 'Other' });
      const health_care_service_id = subject.fixtures.services.womenOnly;
      assert.notDeepEqual(await listSlotsA(subject, { patient_id, health_care_service_id }), []);
    },
  }),
  defineCase({ ...base, level: 'write', requires: ['insurance.create'], rule: 'one-coverage' }, 'slots.plan', {
    fixtures: ['services.restricted'],
    title: 'a health insurance whose plan the service does not accept gets no slots',
    run: async (subject) => {
      const { services, plans } = subject.fixtures;
      const patient_id = await takePatient(subject);
      const findSlots = async (plan: string) =>
        listSlotsA(subject, {
          patient_id,
          health_insurance_id: await createCoverage(subject, patient_id, plan),
          health_care_service_id: services.restricted,
        });
      assert.deepEqual(await findSlots(plans.refused), []);
      assert.notDeepEqual(await findSlots(plans.accepted), []);
    },
  }),
];

const availabilityBase = { section: '2' } as const;

/** Rules of booking, where the API document is silent. */
export const availabilityCases: readonly Case[] = [
  defineCase({ ...availabilityBase, level: 'destructive', needs: 'appointments.book' }, 'appointments.b.overlapping', {
    requires: ['appointments.slots', 'appointments.list'],
    section: '4.B',
    title: 'a patient may hold two appointments at one time',
    rule: ['one-appointment-at-a-time', 'days-between-bookings'],
    run: async (subject) => {
      const slots = await findSimultaneousSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const ids: string[] = [];
      for (const slot of slots) ids.push(await bookB(subject, buildBookingB(patientId, slot)));
      assert.deepEqual(toIds(await list()).toSorted(), ids.toSorted());
    },
  }),
  defineCase({ ...availabilityBase, level: 'safe', needs: 'appointments.slots' }, 'slots.inactive-service', {
    title: 'a service that is no longer offered answers like an unknown one',
    run: async (subject) => {
      const { inactive } = subject.fixtures.services;
      const body = { ...buildSlotSearch(subject), hcsId: inactive };
      await expectFault(subject, { route: 'POST /v1/available-slots', body }, 'body /hcsId');
      const route = 'GET /available-appointments/search';
      await expectFault(
        subject,
        { route, query: { health_care_service_id: inactive } },
        'query /health_care_service_id',
      );
    },
  }),
  defineCase({ ...availabilityBase, level: 'write' }, 'appointments.book.inactive-service', {
    needs: 'appointments.book',
    requires: ['appointments.slots'],
    title: 'a service that is no longer offered is refused like an unknown one',
    run: async (subject) => {
      const slot = { ...(await findFreeSlot(subject)), health_care_service_id: subject.fixtures.services.inactive };
      const params = { id: await takePatient(subject) };
      const request: Request = { route: 'POST /patients/{id}/appointments', params, body: buildBookingA(slot) };
      await expectFault(subject, request, 'body /health_care_service_id');
    },
  }),
  defineCase({ ...availabilityBase, level: 'safe' }, 'care-services.available.inactive', {
    needs: 'care-services.available',
    title: 'a service that is no longer offered is in no list',
    run: async (subject) => {
      const { inactive } = subject.fixtures.services;
      if (subject.supports('insurance.coverages')) {
        expectIds(toIds(await listServicesB(subject)), 'the list of Group B', { lacks: [inactive] });
      }
      const ofA = await getList<ServiceB>(subject, 'health_care_services', {
        route: 'GET /health-care-services/search',
      });
      expectIds(toIds(ofA), 'the list of Group A', { lacks: [inactive] });
    },
  }),
  defineCase({ ...availabilityBase, level: 'destructive', needs: 'appointments.book' }, 'appointments.b.create-keeps', {
    requires: ['appointments.slots', 'appointments.list'],
    section: '4.B',
    title:
      'every field of a booking is stored, even without insurance, and a copay and an authorization are stored or answered 501',
    run: async (subject) => {
      const [slot] = await findSimultaneousSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const given = buildBookingB(patientId, slot);
      const { id, kept } = await bookWithPayment(subject, { ...given, appointmentId: slot.appointmentId }, false);
      const { modality } = slot;
      assert.deepEqual(await list(), [
        { id, ...given, ...kept, patientCoverageId: null, appointmentStatus: 'active', modality },
      ]);
    },
  }),
  defineCase({ ...availabilityBase, rule: 'verified-later' }, 'care-services.frequent.canceled', {
    level: 'destructive',
    needs: 'care-services.frequent',
    requires: [
      'appointments.book',
      'appointments.cancel',
      'appointments.slots',
      'insurance.create',
      'patients.register',
    ],
    section: '4.B',
    title: 'a service whose only appointment was canceled is not frequent',
    run: async (subject) => {
      const patientId = await registerPatient(subject);
      const query = { patientId, patientCoverageId: await createCoverage(subject, patientId) };
      const request: Request = { route: 'GET /v1/frequent-health-care-services', query };
      const list = async () => toIds(await getList<ServiceB>(subject, 'data', request));
      const appointment_id = await bookA(subject, patientId, await findFreeSlot(subject));
      assert.deepEqual(await list(), [subject.fixtures.services.bookable]);
      await getBody(subject, buildCancellation(patientId, appointment_id));
      assert.deepEqual(await list(), []);
    },
  }),
];

const baseB = { level: 'safe', needs: 'appointments.slots', section: '4.B' } as const;

/** The slots of the usual search, narrowed further by `dateConfig`. */
const listSlotsWithin = (subject: Subject, dateConfig: object): Promise<SlotB[]> =>
  listSlotsB(subject, { dateConfig: { ...buildSlotSearch(subject).dateConfig, ...dateConfig } });

const toWeekday = (day: string): string =>
  new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(day)).toUpperCase();

/** Available slots in Group B. */
export const slotCasesB: readonly Case[] = [
  defineCase(baseB, 'slots.b.same', {
    title: 'both groups offer the same slots',
    run: async (subject) => {
      const day = (await findFreeSlot(subject)).date.slice(0, 10);
      const ofA = (await listSlotsA(subject)).filter(({ date }) => date.startsWith(day));
      const ofB = await listSlotsB(subject, { dateConfig: { dateFrom: day, dateTo: day } });
      assert.deepEqual(
        ofB.map((slot) => ({
          date: `${slot.appointmentDate}T${slot.appointmentStart}:00`,
          health_care_service_id: slot.hcsId,
          practitioner_id: slot.practitionerId,
          location_id: slot.locationId,
          mode: slot.modality,
        })),
        ofA,
      );
    },
  }),
  defineCase(baseB, 'slots.b.weekdays', {
    title: 'daysOfWeek narrows to the named days, and an empty list allows any',
    run: async (subject) => {
      const all = await listSlotsB(subject);
      const weekdays = [...new Set(all.map(({ appointmentDate }) => toWeekday(appointmentDate)))];
      const daysOfWeek = weekdays.slice(0, 1);
      const some = await listSlotsWithin(subject, { daysOfWeek });
      assert.deepEqual([...new Set(some.map(({ appointmentDate }) => toWeekday(appointmentDate)))], daysOfWeek);
      assert.deepEqual(await listSlotsWithin(subject, { daysOfWeek: [] }), all);
      if (weekdays.length < 2) throw new Skipped('there are free slots on one day of the week alone');
    },
  }),
  defineCase(baseB, 'slots.b.modality', {
    title: 'modalityVirtual narrows to virtual or in-person slots, and null to neither',
    run: async (subject) => {
      const { bookable, virtual } = subject.fixtures.services;
      for (const [hcsId, modality, isVirtual] of [
        [bookable, 'in-person', false],
        [virtual, 'virtual', true],
      ] as const) {
        const any = await listSlotsB(subject, { hcsId });
        assert.deepEqual(listDistinct(any, 'modality'), [modality]);
        assert.deepEqual(await listSlotsB(subject, { hcsId, modalityVirtual: isVirtual }), any);
        assert.deepEqual(await listSlotsB(subject, { hcsId, modalityVirtual: !isVirtual }), []);
      }
    },
  }),
  defineCase({ ...baseB, section: '8' }, 'slots.b.pages', {
    title: 'the pages of the available slots count from 0, contain each slot once, and have the total',
    run: async (subject) => {
      // The search ends after some slots, because each page reads all of them.
      const [first, ...others] = (await listSlotsB(subject)).slice(0, 40);
      const [dateFrom, dateTo] = [first, others.at(-1)].map((slot) => slot?.appointmentDate);
      if (!dateFrom || !dateTo) throw new Skipped(tooShort);
      const body = { ...buildSlotSearch(subject), dateConfig: { dateFrom, dateTo } };
      await checkPages(subject, { route: 'POST /v1/available-slots', body });
    },
  }),
];
