import assert from 'node:assert/strict';
import { createCoverage, registerPatient, takePatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { expectFault } from '../expect.ts';
import { changeLetterCase, listDistinct, listSlotsA } from '../queries.ts';

const base = { level: 'safe', needs: 'appointments.slots', section: '4.A' } as const;

/** Available slots in Group A. */
export const slotCases: readonly Case[] = [
  defineCase(base, 'slots.future', {
    title: 'available slots lie in the future, within the horizon, in time order',
    run: async (subject) => {
      const dates = (await listSlotsA(subject)).map(({ date }) => date);
      assert.ok(dates.length > 0);
      assert.deepEqual(dates, dates.toSorted());
      assert.ok((dates[0] ?? '') >= computeDayAhead(subject, 0));
      assert.ok((dates.at(-1) ?? '') < computeDayAhead(subject, subject.fixtures.bookingHorizonDays + 1));
    },
  }),
  defineCase(base, 'slots.practitioner', {
    title: 'only slots of the practitioner who is given are returned',
    run: async (subject) => {
      const { bookable, second } = subject.fixtures.practitioners;
      const found = await listSlotsA(subject, { practitioner_id: bookable });
      assert.deepEqual(listDistinct(found, 'practitioner_id'), [bookable]);
      assert.deepEqual(await listSlotsA(subject, { practitioner_id: second }), []);
    },
  }),
  defineCase(base, 'slots.location', {
    title: 'only slots at the location that is given are returned',
    run: async (subject) => {
      const { first, another } = subject.fixtures.locations;
      const everywhere = listDistinct(await listSlotsA(subject), 'location_id');
      assert.ok(everywhere.includes(first) && everywhere.includes(another));
      for (const location_id of [first, another]) {
        assert.deepEqual(listDistinct(await listSlotsA(subject, { location_id }), 'location_id'), [location_id]);
      }
    },
  }),
  defineCase(base, 'slots.unknown-things', {
    title:
      'the search names the parameter whose thing does not exist, also where it differs from one in a letter’s case',
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
    title:
      'of several things that do not exist the search names the service, practitioner, location, patient or insurance',
    run: async (subject) => {
      const names = ['practitioner_id', 'location_id', 'patient_id', 'health_insurance_id'];
      for (const [index, name] of names.entries()) {
        const unknown = names.slice(index).map((each) => [each, subject.fixtures.unknown]);
        const query = { health_care_service_id: subject.fixtures.services.bookable, ...Object.fromEntries(unknown) };
        await expectFault(subject, { route: 'GET /available-appointments/search', query }, `query /${name}`);
        const nothing = { ...query, health_care_service_id: subject.fixtures.unknown };
        const place = 'query /health_care_service_id';
        await expectFault(subject, { route: 'GET /available-appointments/search', query: nothing }, place);
      }
    },
  }),
  defineCase(base, 'slots.somebody-else', {
    requires: ['insurance.coverages'],
    title: 'the search refuses a health insurance of somebody else',
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
    title: 'a patient outside the age of the service gets no slots',
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
  defineCase(base, 'slots.sex-other', {
    level: 'write',
    requires: ['patients.register'],
    title: 'a patient who is neither Male nor Female gets the slots of a service for one sex',
    run: async (subject) => {
      const patient_id = await registerPatient(subject, { gender: 'Other' });
      const health_care_service_id = subject.fixtures.services.womenOnly;
      assert.notDeepEqual(await listSlotsA(subject, { patient_id, health_care_service_id }), []);
    },
  }),
  defineCase(base, 'slots.plan', {
    fixtures: ['services.restricted'],
    level: 'write',
    requires: ['insurance.create'],
    title: 'a health insurance whose plan the service does not accept gets no slots',
    rule: 'one-coverage',
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
