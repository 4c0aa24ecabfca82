import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Bundle, OperationOutcome, Patient, Slot, Task } from '@medplum/fhirtypes';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { call, get, getNextUrl, listFound, search } from './caller.ts';
import { hapi, medplum } from './quirks.ts';

const { server, id } = await startHospital();
const toUrl = (path: string): string => `${server.url}/${path}`;
const person: Patient = {
  resourceType: 'Patient',
  birthDate: '1970-01-01',
  identifier: [{ system: 'urn:x', value: '1' }],
};

beforeEach(() => server.reset());

describe('a quirk of the FHIR stand-in', () => {
  test.each([409, 412] as const)('answers a stale If-Match with %d', async (versionConflict) => {
    server.reset({ versionConflict });
    const ana = await server.read('Patient', id('Patient/ana'));
    const stale = { ...ana, gender: 'other' as const };
    const { status } = await call(toUrl(`Patient/${ana.id}`), 'PUT', stale, { 'if-match': 'W/"7"' });
    expect(status).toBe(versionConflict);
    expect((await server.read('Patient', ana.id)).gender).toBe('female');
  });

  test('runs a transaction as a batch that still calls itself a transaction', async () => {
    server.reset({ transactions: 'batch' });
    const { status, body } = await call<Bundle>(server.url, 'POST', await makeHalfBrokenTransaction());
    expect([status, body.type]).toEqual([200, 'transaction-response']);
    expect(body.entry?.map(({ response }) => response?.status)).toEqual(['201 Created', '409 Conflict']);
    expect(await server.search('Basic')).toHaveLength(1);
  });

  test('shows a cached version by id and as an include after a crash, until it is written anew; searches are right', async () => {
    const ana = await server.read('Patient', id('Patient/ana'));
    const url = toUrl(`Patient/${ana.id}`);
    const change = (gender: Patient['gender']) => call<Patient>(url, 'PUT', { ...ana, gender }).catch(() => undefined);
    const show = async () => {
      const [found] = (await search(toUrl(`Patient?_id=${ana.id}`))).body.entry ?? [];
      const coverages = (await search(toUrl(`Coverage?beneficiary=${ana.id}&_include=Coverage:beneficiary`))).body
        .entry;
      const included = coverages?.find(({ resource }) => resource?.resourceType === 'Patient')?.resource as Patient;
      return [(await get<Patient>(url)).body.gender, included.gender, (found?.resource as Patient | undefined)?.gender];
    };
    server.reset({
      fault: ({ method }) => (method === 'PUT' ? { commits: true, answer: 'reset', crashes: true } : undefined),
    });
    expect(await change('other')).toBeUndefined();
    expect(await show()).toEqual(['female', 'female', 'other']);
    server.quirks.fault = () => undefined;
    await change('male');
    expect(await show()).toEqual(['male', 'male', 'male']);
  });

  test('refuses all but its capabilities with 400 while its database is away', async () => {
    server.reset({ databaseAway: true });
    expect((await get(toUrl('metadata'))).status).toBe(200);
    for (const path of ['Patient', `Patient/${id('Patient/ana')}`, 'Slot?status=free']) {
      const { status, body } = await get<OperationOutcome>(toUrl(path));
      expect([status, body.issue[0]?.details?.text]).toEqual([400, 'connect ECONNREFUSED 127.0.0.1:5432']);
    }
  });

  test('tells its quota with each answer, and 429 beyond it', async () => {
    server.reset({ quota: 1 });
    const replies = [await get(toUrl('Location')), await get(toUrl('Location'))];
    expect(replies.map(({ status }) => status)).toEqual([200, 429]);
    expect(replies.map(({ headers }) => [headers.get('ratelimit'), headers.get('retry-after')])).toEqual(
      Array(2).fill(['"requests";r=0;t=17, "load";r=50000;t=60', null]),
    );
  });

  test('leaves out totals that were asked for', async () => {
    const query = toUrl('Patient?_total=accurate');
    expect((await search(query)).body.total).toBe(7);
    server.quirks.totals = false;
    expect((await search(query)).body.total).toBeUndefined();
  });

  test('cuts the included resources of a page off without a word', async () => {
    server.reset({ includeLimit: 3 });
    const reply = await search(toUrl('PractitionerRole?_include=PractitionerRole:practitioner'));
    expect(listFound(reply).length).toBeGreaterThan(3);
    expect(listFound(reply, 'include')).toHaveLength(3);
  });

  test('names a foreign host in next links', async () => {
    server.reset({ nextHost: 'https://attacker.example' });
    expect(getNextUrl(await search(toUrl('Slot')))).toMatch(/^https:\/\/attacker\.example\/fhir\?_getpages=/);
    server.quirks.nextLinks = 'offset';
    expect(getNextUrl(await search(toUrl('Slot')))).toMatch(/^https:\/\/attacker\.example\/fhir\/Slot\?.*_offset=20/);
  });

  test('refuses a search by POST that names a parameter twice', async () => {
    const searchByForm = async (form: string) =>
      (await fetch(toUrl('Slot/_search'), { method: 'POST', body: new URLSearchParams(form) })).status;
    const twice = 'start=ge2020-01-01&start=lt2020-01-02';
    expect(await searchByForm(twice)).toBe(200);
    server.reset(medplum);
    expect(await searchByForm(twice)).toBe(400);
    expect(await searchByForm('start=ge2020-01-01')).toBe(200);
  });

  test('orders what a sort leaves open anew on each page', async () => {
    const listPages = async (sort: string) => {
      const ids: string[] = [];
      for (let offset = 0; offset < 6; offset++) {
        const reply = await search(toUrl(`Patient?active=true&_sort=${sort}&_count=1&_offset=${offset}`));
        ids.push(...listFound(reply));
      }
      return new Set(ids).size;
    };
    expect(await listPages('active')).toBeLessThan(6);
    expect(await listPages('active,_id')).toBe(6);
  });

  test('forgets the state of a search, and its next pages are gone', async () => {
    const url = getNextUrl(await search(toUrl('Slot'))) ?? '';
    expect((await search(url)).status).toBe(200);
    server.forgetSearches();
    expect((await search(url)).status).toBe(410);
  });

  test('gives ids as numbers or as UUIDs', async () => {
    const numbered = await call(toUrl('Patient'), 'POST', person);
    expect(numbered.body.id).toMatch(/^\d+$/);
    server.reset({ ids: 'uuid' });
    expect(id('Patient/ana')).toMatch(/^[0-9a-f-]{36}$/);
    const { body, headers } = await call(toUrl('Patient'), 'POST', person);
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('etag')).toMatch(/^W\/"[0-9a-f-]{36}"$/);
    const [relative] = await server.search('RelatedPerson', `patient=Patient/${id('Patient/ana')}`);
    expect(relative?.identifier?.[0]?.value).toBe(id('Patient/bruno'));
  });

  test.each([
    ['Medplum', medplum, [200, 1]],
    ['HAPI', { ...hapi, ids: 'uuid' as const }, [404, 0]],
  ])('finds a UUID in any letter case, or does not: %s', async (_, quirks, [status, found]) => {
    server.reset(quirks);
    const ana = id('Patient/ana');
    const reply = await get<Patient>(toUrl(`Patient/${ana.toUpperCase()}`));
    expect([reply.status, reply.body.id === ana]).toEqual([status, status === 200]);
    expect(listFound(await search(toUrl(`Patient?_id=${ana.toUpperCase()}`)))).toHaveLength(found!);
  });

  test('answers searches from memory for a while, unless the caller says no-cache', async () => {
    const url = toUrl('Patient?identifier=urn:x%7C1');
    expect(listFound(await get<Bundle>(url))).toEqual([]);
    await server.create(person);
    expect(listFound(await get<Bundle>(url))).toEqual([]);
    expect(listFound(await search(url))).toHaveLength(1);
    expect(listFound(await get<Bundle>(url))).toEqual([]);
    server.reset({ staleSearch: 0 });
    expect(listFound(await get<Bundle>(url))).toEqual([]);
    await server.create(person);
    expect(listFound(await get<Bundle>(url))).toHaveLength(1);
  });

  test('refuses dangling references and the deletion of what is referenced', async () => {
    const task: Task = { resourceType: 'Task', status: 'requested', intent: 'order', for: { reference: 'Patient/77' } };
    const dangling = await call<OperationOutcome>(toUrl('Task'), 'POST', task);
    expect([dangling.status, dangling.body.issue[0]?.code]).toEqual([400, 'processing']);
    expect((await call(toUrl(`Patient/${id('Patient/ana')}`), 'DELETE')).status).toBe(409);
    server.quirks.referentialIntegrity = false;
    expect((await call(toUrl('Task'), 'POST', task)).status).toBe(201);
    expect((await call(toUrl(`Patient/${id('Patient/ana')}`), 'DELETE')).status).toBe(200);
  });

  test('heeds a stale If-Match on PATCH, or ignores it as it does on DELETE', async () => {
    const created = await server.create(person);
    const stale = { 'if-match': 'W/"7"' };
    const patch = [{ op: 'replace', path: '/birthDate', value: '1971-01-01' }];
    expect((await call(toUrl(`Patient/${created.id}`), 'PATCH', patch, stale)).status).toBe(409);
    server.quirks.ifMatchOnPatch = false;
    expect((await call(toUrl(`Patient/${created.id}`), 'PATCH', patch, stale)).status).toBe(200);
    expect((await call(toUrl(`Patient/${created.id}`), 'DELETE', undefined, stale)).status).toBe(200);
  });

  test('deletes what never existed, or answers 404, and takes a second DELETE for done', async () => {
    const remove = async (name: string) => (await call(toUrl(`Patient/${name}`), 'DELETE')).status;
    expect(await remove('never')).toBe(200);
    server.quirks.deleteUnknown = 404;
    expect(await remove('never')).toBe(404);
    const { id: created } = await server.create(person);
    expect([await remove(created), await remove(created)]).toEqual([200, 200]);
  });

  test('says with each problem what it is, or calls everything processing', async () => {
    const codes = async () => {
      const { status, body } = await call<OperationOutcome>(toUrl('Nonsense'), 'GET');
      return [status, ...body.issue.map(({ code }) => code)];
    };
    expect(await codes()).toEqual([404, 'processing']);
    server.quirks.issueCodes = 'telling';
    expect(await codes()).toEqual([404, 'not-found']);
  });

  test('tells the entries of a transaction in words or in numbers', async () => {
    const basic = { resourceType: 'Basic', code: { text: 'one' } };
    const entry = [{ request: { method: 'POST', url: 'Basic' }, resource: basic }];
    const send = async () => {
      const { body } = await call<Bundle>(server.url, 'POST', { resourceType: 'Bundle', type: 'transaction', entry });
      return body.entry?.map(({ response }) => [response?.status, response?.etag]);
    };
    expect(await send()).toEqual([['201 Created', '1']]);
    server.quirks.entryAnswers = 'terse';
    expect(await send()).toEqual([['201', 'W/"1"']]);
  });

  test('creates by PUT under a name, or answers 404', async () => {
    const put = (name: string) => call(toUrl(`Patient/${name}`), 'PUT', { ...person, id: name });
    expect((await put('chosen')).status).toBe(201);
    expect((await put('123456789')).status).toBe(400);
    await server.delete('Patient', 'chosen');
    expect(
      (await call(toUrl('Patient/chosen'), 'PUT', { ...person, id: 'chosen' }, { 'if-match': 'W/"1"' })).status,
    ).toBe(409);
    expect((await put('chosen')).status).toBe(201);
    server.quirks.createByUpdate = false;
    expect((await put('another')).status).toBe(404);
  });

  test('refuses a conditional create that overlaps with another', async () => {
    server.reset({ createRace: 60_000 });
    const create = () => call(toUrl('Patient'), 'POST', person, { 'if-none-exist': 'identifier=urn:x%7C1' });
    const replies = await Promise.all([create(), create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await server.search('Patient', 'identifier=urn:x|1')).toHaveLength(1);
  });

  test('refuses conditional creates that overlap with another, whatever they create, and knows them by 40001', async () => {
    server.reset({ serializationFailures: 'overlapping' });
    const create = (value: string) =>
      call<OperationOutcome>(toUrl('Patient'), 'POST', person, { 'if-none-exist': `identifier=urn:x%7C${value}` });
    const replies = await Promise.all(['2', '3'].map(create));
    const refused = replies.find(({ status }) => status === 409);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(refused?.body.issue[0]?.details?.coding).toEqual([expect.objectContaining({ code: '40001' })]);
    expect((await create('4')).status).toBe(201);
  });

  test('remembers the criteria of a conditional create after the resource was deleted', async () => {
    server.reset({ keepsSearchUrls: true });
    const create = () => call(toUrl('Patient'), 'POST', person, { 'if-none-exist': 'identifier=urn:x%7C1' });
    const { body } = await create();
    expect((await create()).status).toBe(200);
    await server.delete('Patient', body.id!);
    expect((await create()).status).toBe(409);
  });

  test('refuses bodies beyond its limit, but not the content of a Binary', async () => {
    server.reset({ jsonLimit: 1000 });
    const long = { ...person, name: [{ text: 'x'.repeat(2000) }] };
    expect((await call(toUrl('Patient'), 'POST', long)).status).toBe(413);
    expect((await upload('x'.repeat(2000))).status).toBe(201);
  });

  test('answers the links of attachments signed and on another host, which needs no credentials', async () => {
    server.reset({ presignedFiles: true });
    const binary = (await (await upload('a file')).json()) as { id: string };
    const { id: photo } = await server.create({ ...person, photo: [{ url: `Binary/${binary.id}` }] });
    const { body } = await get<Patient>(toUrl(`Patient/${photo}`));
    const url = new URL(body.photo?.[0]?.url ?? '');
    expect(url.origin).not.toBe(new URL(server.url).origin);
    expect(await (await fetch(url)).text()).toBe('a file');
    expect((await fetch(url.origin + url.pathname)).status).toBe(403);
    expect(server.fileRequests.all.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test('commits and then loses the answer', async () => {
    server.reset({ loseAnswer: ({ method }) => method === 'POST' });
    await expect(call(toUrl('Patient'), 'POST', person)).rejects.toThrow();
    expect(await server.search('Patient', 'identifier=urn:x|1')).toHaveLength(1);
  });

  test('takes its time', async () => {
    server.reset({ delay: 100 });
    const start = performance.now();
    await get(toUrl('metadata'));
    expect(performance.now() - start).toBeGreaterThan(90);
  });

  test.each([hapi, medplum])('says what it is: $software', async (quirks) => {
    server.reset(quirks);
    const { body } = await get(toUrl('metadata'));
    expect(body).toMatchObject({ fhirVersion: '4.0.1', software: { name: quirks.software } });
  });
});

function upload(content: string): Promise<Response> {
  return fetch(toUrl('Binary'), { method: 'POST', headers: { 'content-type': 'text/plain' }, body: content });
}

async function makeHalfBrokenTransaction(): Promise<Bundle> {
  const [slot] = (await server.search('Slot', 'status=free')) as [Slot];
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [
      { request: { method: 'POST', url: 'Basic' }, resource: { resourceType: 'Basic', code: { text: 'half' } } },
      {
        request: { method: 'PUT', url: `Slot/${slot.id}`, ifMatch: 'W/"7"' },
        resource: { ...slot, status: 'busy' },
      },
    ],
  };
}
