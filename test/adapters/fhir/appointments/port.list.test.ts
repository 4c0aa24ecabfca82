import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { ana, emptyBundle, json, setUpScript } from '../../../support/scripted-fhir.ts';

const { ports, server, url } = await setUpScript({ retries: 0 });

const appointments = [1, 2, 3, 4, 5].map((day) => ({
  resourceType: 'Appointment',
  id: `on-${day}`,
  status: 'booked',
  start: `2030-01-0${day}T12:00:00Z`,
  participant: [{ actor: { reference: 'Patient/ana' }, status: 'accepted' }],
}));

/** A page of two, whatever was asked for. */
const makePage = (from: number) => ({
  resourceType: 'Bundle',
  type: 'searchset',
  total: appointments.length,
  entry: appointments.slice(from, from + 2).map((resource) => ({ resource, search: { mode: 'match' } })),
  link: from + 2 < appointments.length ? [{ relation: 'next', url: `${url}/Appointment?cursor=${from + 2}` }] : [],
});

test.each([
  [0, ['on-1', 'on-2', 'on-3']],
  [1, ['on-4', 'on-5']],
])('page %i misses nothing where the server gives smaller pages than it is asked for', async (number, ids) => {
  server
    .get('/fhir/Appointment')
    .query(({ _offset }) => _offset === String(number * 3))
    .reply(200, makePage(number * 3), json);
  // The first page of an hour that is not the only one is compared with another.
  if (number === 1) {
    server
      .get('/fhir/Appointment')
      .query(({ _offset }) => _offset === '0')
      .reply(200, makePage(0), json);
  }
  if (number === 0) {
    server
      .get('/fhir/Appointment')
      .query(({ _count }) => _count === '200')
      .reply(200, makePage(0), json);
    for (const cursor of [2, 4]) {
      server
        .get('/fhir/Appointment')
        .query({ cursor: String(cursor) })
        .reply(200, makePage(cursor), json);
    }
  }
  server
    .get('/fhir/Patient')
    .query(({ _id }) => _id === 'ana')
    .reply(200, { ...emptyBundle, entry: [{ resource: ana }] }, json);
  const query = { order: 'ascending', page: { page: number, limit: 3 } } as const;
  const { items, total } = await ports.appointments.list('ana', query, callNow());
  expect(items.map(({ id }) => id)).toEqual(ids);
  expect(total).toBe(5);
});
