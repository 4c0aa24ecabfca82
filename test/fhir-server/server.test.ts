import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Binary, Bundle, OperationOutcome, Patient, Resource, Slot } from '@medplum/fhirtypes';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { call, get, getNextUrl, listFound, search } from './caller.ts';

const { server, id } = await startHospital();
const toUrl = (path: string): string => `${server.url}/${path}`;
const person: Patient = {
  resourceType: 'Patient',
  birthDate: '1970-01-01',
  identifier: [{ system: 'urn:x', value: '1' }],
};

beforeEach(() => server.reset());

describe('the FHIR stand-in', () => {
  test('answers a create with 201, the id it chose, an ETag and a Location', async () => {
    const { status, headers, body } = await call(toUrl('Patient'), 'POST', { ...person, id: 'chosen-by-client' });
    expect(status).toBe(201);
    expect(body.id).not.toBe('chosen-by-client');
    expect(headers.get('etag')).toBe('W/"1"');
    expect(headers.get('location')).toBe(toUrl(`Patient/${body.id}/_history/1`));
  });

  test('answers a write without a body when the caller prefers the minimum', async () => {
    const { status, body } = await call(toUrl('Patient'), 'POST', person, { prefer: 'return=minimal' });
    expect([status, body]).toEqual([201, undefined]);
  });

  test('refuses a resource that breaks the definitions, and says where', async () => {
    const { status, body } = await call<OperationOutcome>(toUrl('Slot'), 'POST', {
      resourceType: 'Slot',
      status: 'free',
    });
    expect(status).toBe(400);
    expect(body.issue.flatMap(({ expression }) => expression)).toContain('Slot.start');
  });

  test('refuses to store a subset that it answered itself', async () => {
    const subset = await get(toUrl(`Patient/${id('Patient/ana')}?_elements=name`));
    expect(Object.keys(subset.body).sort()).toEqual(['id', 'meta', 'name', 'resourceType']);
    const { status } = await call(toUrl(`Patient/${id('Patient/ana')}`), 'PUT', subset.body);
    expect(status).toBe(422);
  });

  test('answers 404 for what never existed and 410 for what was deleted', async () => {
    const { body } = await call(toUrl('Patient'), 'POST', person);
    expect((await get(toUrl('Patient/never'))).status).toBe(404);
    expect((await call(toUrl(`Patient/${body.id}`), 'DELETE')).status).toBe(200);
    expect((await get(toUrl(`Patient/${body.id}`))).status).toBe(410);
    expect(listFound(await search(toUrl('Patient?identifier=urn:x%7C1')))).toEqual([]);
  });

  test('keeps every version, newest first in the history', async () => {
    const ana = await server.read('Patient', id('Patient/ana'));
    await call(toUrl(`Patient/${ana.id}`), 'PUT', { ...ana, gender: 'other' });
    const history = await get<Bundle<Patient>>(toUrl(`Patient/${ana.id}/_history`));
    expect(history.body.entry?.map(({ resource }) => resource?.gender)).toEqual(['other', 'female']);
    const first = await get<Patient>(toUrl(`Patient/${ana.id}/_history/1`));
    expect(first.body.gender).toBe('female');
  });

  test('makes no new version of an update that changes nothing', async () => {
    const ana = await server.read('Patient', id('Patient/ana'));
    const { status, headers } = await call(toUrl(`Patient/${ana.id}`), 'PUT', ana);
    expect([status, headers.get('etag')]).toEqual([200, 'W/"1"']);
  });

  test('lets one of many updates with the same If-Match win', async () => {
    const ana = await server.read('Patient', id('Patient/ana'));
    const updates = Array.from({ length: 8 }, (_, index) =>
      call(toUrl(`Patient/${ana.id}`), 'PUT', { ...ana, birthDate: `198${index}-01-01` }, { 'if-match': 'W/"1"' }),
    );
    const statuses = (await Promise.all(updates)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  test('creates one resource for many conditional creates, and 412 where several exist', async () => {
    const create = () => call(toUrl('Patient'), 'POST', person, { 'if-none-exist': 'identifier=urn:x%7C1' });
    const replies = await Promise.all([create(), create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    await server.create(person);
    expect((await create()).status).toBe(412);
  });

  test('undoes a whole transaction when one entry fails', async () => {
    const slot = await findFreeSlot();
    const { status } = await call(server.url, 'POST', makeBooking(slot, 'W/"99"'));
    expect(status).toBe(409);
    expect(await server.search('Basic')).toEqual([]);
    expect((await server.read('Slot', slot.id!)).status).toBe('free');
  });

  test('lets one of twenty transactions on one version of a slot win', async () => {
    const slot = await findFreeSlot();
    const bookings = Array.from({ length: 20 }, () => call(server.url, 'POST', makeBooking(slot, 'W/"1"')));
    const statuses = (await Promise.all(bookings)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(409)]);
    expect(await server.search('Basic')).toHaveLength(1);
  });

  test('commits a transaction whole, with versions, and with the resources when they are preferred', async () => {
    const slot = await findFreeSlot();
    const reply = await call<Bundle>(server.url, 'POST', makeBooking(slot, 'W/"1"'), {
      prefer: 'return=representation',
    });
    expect(reply.body.type).toBe('transaction-response');
    expect(reply.body.entry?.map(({ response }) => [response?.status, response?.etag])).toEqual([
      ['201 Created', '1'],
      ['200 OK', '2'],
    ]);
    const basic = reply.body.entry?.[0]?.resource;
    expect(reply.body.entry?.[0]?.response?.location).toBe(`Basic/${basic?.id}/_history/1`);
    const bare = await call<Bundle>(server.url, 'POST', makeBooking({ ...slot, comment: 'again' }, 'W/"2"'));
    expect(bare.body.entry?.map(({ resource }) => resource)).toEqual([undefined, undefined]);
  });

  test('resolves urn:uuid placeholders of a transaction', async () => {
    const fullUrl = 'urn:uuid:5f0c0f4e-6d1b-4c39-9d43-0a4a6f3b0001';
    const related: Resource = { resourceType: 'RelatedPerson', patient: { reference: fullUrl } };
    await call(server.url, 'POST', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        { request: { method: 'POST', url: 'RelatedPerson' }, resource: related },
        { fullUrl, request: { method: 'POST', url: 'Patient' }, resource: person },
      ],
    });
    const [patient] = await server.search('Patient', 'identifier=urn:x|1');
    expect(await server.search('RelatedPerson', `patient=Patient/${patient?.id}`)).toHaveLength(1);
  });

  test('answers every entry of a batch by itself', async () => {
    const entry = [
      'Patient/never',
      `Patient/${id('Patient/ana')}`,
      `Coverage?beneficiary=Patient/${id('Patient/ana')}`,
    ];
    const reply = await call<Bundle>(server.url, 'POST', {
      resourceType: 'Bundle',
      type: 'batch',
      entry: entry.map((url) => ({ request: { method: 'GET', url } })),
    });
    expect(reply.body.entry?.map(({ response }) => response?.status)).toEqual(['404 Not Found', '200 OK', '200 OK']);
  });

  test('takes raw content as a Binary and gives it back raw, or as a resource to who accepts FHIR alone', async () => {
    const content = Buffer.from([0, 255, 1, 254]);
    const created = await fetch(toUrl('Binary'), {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: content,
    });
    const { id: binary } = (await created.json()) as Binary;
    const raw = await fetch(toUrl(`Binary/${binary}`), { headers: { accept: '*/*' } });
    expect(raw.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await raw.arrayBuffer())).toEqual(content);
    const resource = await get<Binary>(toUrl(`Binary/${binary}`));
    expect(resource.body.data).toBe(content.toString('base64'));
  });

  test.each(['Nonsense', '../fhirPatient', 'Nonsense/1', '../metadata', 'patient/1'])(
    'answers 404 for %s',
    async (path) => {
      expect((await get(toUrl(path))).status).toBe(404);
    },
  );

  test.each(['not json', '[]', ''])('refuses the body %j', async (body) => {
    const response = await fetch(toUrl('Patient'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(400);
  });

  test('follows next links to the end without a row twice', async () => {
    const rows: string[] = [];
    for (let url: string | undefined = toUrl('Slot?_count=100&_sort=_lastUpdated'); url; ) {
      const page = await search(url);
      rows.push(...listFound(page));
      url = getNextUrl(page);
    }
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows).toHaveLength((await server.search('Slot')).length);
  });

  test('writes down what it was asked, byte for byte', async () => {
    await call(toUrl('Patient/_search'), 'POST', 'identifier=urn:x%7C1');
    await get(toUrl('Patient/%2e%2e%2fadmin?a=b'));
    expect(server.requests.calls).toEqual(['POST Patient/_search', 'GET Patient/%2e%2e%2fadmin']);
    expect(server.requests.all[0]?.body).toBe('identifier=urn:x%7C1');
    expect(server.requests.all[1]?.query.get('a')).toBe('b');
  });

  test('brings back the resources and the quirks with a reset', async () => {
    const before = id('Patient/ana');
    server.quirks.versionConflict = 412;
    await call(toUrl('Patient'), 'POST', person);
    server.reset();
    expect(server.quirks.versionConflict).toBe(409);
    expect(server.requests.all).toEqual([]);
    expect(await server.search('Patient', 'identifier=urn:x|1')).toEqual([]);
    expect(id('Patient/ana')).toBe(before);
  });
});

async function findFreeSlot(): Promise<Slot> {
  const [slot] = await server.search('Slot', 'status=free');
  return slot!;
}

function makeBooking(slot: Slot, ifMatch: string): Bundle {
  const basic: Resource = { resourceType: 'Basic', code: { text: 'a booking' } };
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [
      { request: { method: 'POST', url: 'Basic' }, resource: basic },
      { request: { method: 'PUT', url: `Slot/${slot.id}`, ifMatch }, resource: { ...slot, status: 'busy' } },
    ],
  };
}
