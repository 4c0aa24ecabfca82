import assert from 'node:assert/strict';
import { takePatientForChange } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectCount, expectFault, expectIds, expectProblem, getBody, getList } from '../expect.ts';
import { ofPatient, toIds } from '../queries.ts';
import type { DirectoryEntryBody, LocationBody, PractitionerBody } from '../resources.ts';
import type { Subject } from '../subject.ts';
import { noPlaces, Skipped } from '../thrown.ts';

const listPractitioners = (subject: Subject): Promise<PractitionerBody[]> =>
  getList(subject, 'practitioner', { route: 'GET /practitioner/' });

const toGetRequest = (id: string) => ofPatient('GET /patients/{id}/practitioner/change_request', id);
const toPostRequest = (id: string, body: object) =>
  ofPatient('POST /patients/{id}/practitioner/change_request', id, body);

const postBase = {
  level: 'write',
  needs: 'practitioners.requestChange',
  requires: ['practitioners.changeRequestOf'],
} as const;

export const practitionerCases: readonly Case[] = [
  defineCase({ level: 'safe', needs: 'practitioners.list' }, 'practitioners.list', {
    title: 'the practitioners of the institution are listed without duplicates',
    run: async (subject) => {
      const ids = toIds(await listPractitioners(subject));
      const { bookable, second } = subject.fixtures.practitioners;
      expectIds(ids, 'GET /practitioner/', { has: [bookable, second] });
      expectCount([...new Set(ids)], ids.length, 'different ids in the list');
    },
  }),
  defineCase({ level: 'safe', needs: 'practitioners.mainOf', requires: ['practitioners.list'] }, 'practitioners.main', {
    title: 'the main practitioner belongs to the institution',
    run: async (subject) => {
      const params = { id: subject.fixtures.patients.complete };
      const main = await getBody<PractitionerBody>(subject, { route: 'GET /patients/{id}/practitioner', params });
      assert.deepEqual(
        (await listPractitioners(subject)).find(({ id }) => id === main.id),
        main,
      );
    },
  }),
  defineCase({ level: 'safe', needs: 'practitioners.mainOf' }, 'practitioners.main.none', {
    title: 'a patient without a main practitioner answers 404 with its own code',
    run: async (subject) => {
      const route = 'GET /patients/{id}/practitioner';
      // A record of one patient must not be returned for another.
      await getBody(subject, { route, params: { id: subject.fixtures.patients.complete } });
      const params = { id: subject.fixtures.patients.bare };
      await expectProblem(subject, { route, params }, 404, 'no_main_practitioner');
    },
  }),
  defineCase({ level: 'safe', needs: 'practitioners.changeReasons' }, 'practitioners.reasons', {
    title: 'the reasons for a change are listed with their texts',
    run: async (subject) => {
      const reasons = await getBody<{ id: string; status: string }[]>(subject, {
        route: 'GET /practitioner/change_request/reasons',
      });
      expectIds(toIds(reasons), 'the list of reasons', { has: [subject.fixtures.changeReason] });
      const empty = reasons.filter(({ status }) => status === '');
      assert.deepEqual(empty, [], 'a reason has no text');
    },
  }),
  defineCase(postBase, 'practitioners.change.read-back', {
    title: 'a request for a change is in progress and can be read',
    run: async (subject) => {
      const reason_id = subject.fixtures.changeReason;
      const id = await takePatientForChange(subject);
      await expectProblem(subject, toGetRequest(id), 404, 'no_change_request');
      const made = await getBody<{ id: string; reason_id: string }>(subject, toPostRequest(id, { reason_id }));
      assert.equal(made.reason_id, reason_id);
      assert.deepEqual(await getBody(subject, toGetRequest(id)), { id: made.id, status: 'in_progress' });
    },
  }),
  defineCase(postBase, 'practitioners.change.open', {
    title: 'a second request is refused while the first is in progress',
    run: async (subject) => {
      const body = { reason_id: subject.fixtures.changeReason };
      const id = await takePatientForChange(subject);
      await getBody(subject, toPostRequest(id, body));
      const before = await getBody(subject, toGetRequest(id));
      await expectProblem(subject, toPostRequest(id, body), 409, 'change_request_open');
      assert.deepEqual(await getBody(subject, toGetRequest(id)), before);
      await getBody(subject, toPostRequest(await takePatientForChange(subject), body));
    },
  }),
  defineCase(postBase, 'practitioners.change.unknown-things', {
    title: 'the error names an unknown reason and an unknown practitioner, and no request is created',
    run: async (subject) => {
      const { unknown, changeReason } = subject.fixtures;
      const id = await takePatientForChange(subject);
      await expectFault(subject, toPostRequest(id, { reason_id: unknown }), 'body /reason_id');
      const body = { reason_id: changeReason, practitioner_id: unknown };
      await expectFault(subject, toPostRequest(id, body), 'body /practitioner_id');
      await expectProblem(subject, toGetRequest(id), 404, 'no_change_request');
    },
  }),
];

export const directoryCases: readonly Case[] = [
  defineCase({ level: 'safe', needs: 'directory.locations' }, 'directory.locations', {
    title: 'the locations of the institution are listed without duplicates, each with an address',
    run: async (subject) => {
      const locations = await getList<LocationBody>(subject, 'locations', { route: 'GET /location/' });
      const ids = toIds(locations);
      const { first, another } = subject.fixtures.locations;
      expectIds(ids, 'GET /location/', { has: [first, another] });
      expectCount([...new Set(ids)], ids.length, 'different ids in the list');
      const { address = {} } = locations.find(({ id }) => id === first) ?? {};
      assert.ok('street' in address, 'the address of locations.first has no street, not even an empty one');
    },
  }),
  defineCase({ level: 'safe', needs: 'directory.entries' }, 'directory.entries', {
    title: 'the places of the medical directory have their latitude in degrees, or none',
    run: async (subject) => {
      const entries = await getBody<DirectoryEntryBody[]>(subject, { route: 'GET /api/medical-directory' });
      if (entries.length === 0) throw new Skipped(noPlaces);
      for (const { location } of entries) assert.match(location.latitude, /^(-?\d{1,2}(\.\d+)?)?$/);
    },
  }),
];
