import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Capability, capabilities, type Finding } from '../../../src/ports/index.ts';
import { makeCertificate } from '../../fault-server/certificate.ts';
import { FaultServer } from '../../fault-server/server.ts';
import type { Answer } from '../../fhir-server/response.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { ownCodes, terms } from '../../hospital-in-fhir/terms.ts';
import { readDocumentedRights } from '../../support/documented-rights.ts';
import { connect } from '../../support/fhir-adapter.ts';

const { server, id } = await startHospital();
process.env.FHIR_EXAMINED_TOKEN = 'the token of these tests';

const all: ReadonlySet<Capability> = new Set(capabilities);

/** What an adapter with these settings finds out about the server. */
async function examine(settings: Record<string, unknown> = {}, uses = all): Promise<Finding[]> {
  const { readiness } = await connect(server, settings);
  const { signal } = new AbortController();
  return Array.fromAsync(readiness.examine?.({ signal, uses }) ?? []);
}

const listWrong = (findings: readonly Finding[]) => findings.filter(({ ok }) => ok === false);

/** The only thing that is wrong, after which nothing else was looked at. */
async function findLast(settings: Record<string, unknown>): Promise<Finding | undefined> {
  const findings = await examine(settings);
  expect(listWrong(findings)).toEqual(findings.slice(-1));
  expect(findings.at(-1)?.stops).toBe(true);
  return findings.at(-1);
}

const startedAt = Date.now();
beforeEach(() => server.reset());

/** The server says something else of itself. */
const spoilStatement = (change: (answer: Answer) => Partial<Answer>) =>
  server.reset({
    fault: ({ path }) =>
      path === 'metadata' ? { commits: true, answer: (answer) => ({ ...answer, ...change(answer) }) } : undefined,
  });

describe('the examination of a FHIR server', () => {
  test('finds nothing wrong with one that supports all, and everything that it looked at', async () => {
    const findings = await examine();
    expect(listWrong(findings)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      'connection',
      'FHIR end point',
      'FHIR version',
      'clock',
      'writes',
      'transactions',
      'credentials',
      'reading',
      'behavior',
      'conditional creates',
      'size of the catalogue',
      'time zone',
      'free slots',
      'documents',
    ]);
  });

  test('posts searches of people alone, and finds nothing wrong with a server that takes no name twice by POST', async () => {
    server.reset({ repeatedInForms: 'refused' });
    expect(listWrong(await examine())).toEqual([]);
    expect(server.requests.calls.filter((call) => /^POST .*_search/.test(call))).toEqual(['POST Patient/_search']);
  });

  test('changes nothing, and fetches nothing of a patient', async () => {
    await examine();
    const isRead = ({ method, path }: { method: string; path: string }) =>
      method === 'GET' || (method === 'POST' && path.endsWith('/_search'));
    const writes = server.requests.all.filter((each) => !isRead(each));
    expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(['POST Patient', 'POST Coverage', 'POST Appointment']),
    );
    expect(writes.filter(({ headers }) => !/^_id=[^,%]+(,|%2C)[^,%]+$/.test(String(headers['if-none-exist'])))).toEqual(
      [],
    );
    expect(server.requests.all.filter(({ path }) => path.includes(id('Patient/ana')))).toEqual([]);
    for (const { path } of writes) {
      const made = await server.search(path as 'Patient');
      expect(made.filter(({ meta }) => Date.parse(meta?.lastUpdated ?? '') > startedAt)).toEqual([]);
    }
  });

  test('names the rights to create and to read versions that are missing', async () => {
    const { Coverage, Binary, ...rest } = readDocumentedRights();
    server.reset({ rights: { ...rest, Coverage: ['read', 'search', 'update'], Binary: ['read', 'create', 'delete'] } });
    expect(Object.keys({ Coverage, Binary })).toHaveLength(2);
    expect(listWrong(await examine()).map(({ detail }) => detail)).toEqual([
      'Coverage (create), Binary (vread): the server forbids it (HTTP_403)',
    ]);
  });

  test('removes what a server makes that ignores If-None-Exist, and says so', async () => {
    const before = await server.search('Patient');
    server.reset({
      fault: ({ headers, path }) => {
        if (path === 'Patient') delete headers['if-none-exist'];
        return undefined;
      },
    });
    expect(listWrong(await examine()).map(({ detail }) => detail)).toEqual([
      'Patient (create): the server ignores If-None-Exist',
    ]);
    expect((await server.search('Patient')).map((each) => each.id)).toEqual(before.map((each) => each.id));
  });

  test('does with the documented rights, and names each that is missing', async () => {
    server.reset({ rights: readDocumentedRights() });
    expect(listWrong(await examine())).toEqual([]);
    const { Slot, Task, ...rest } = readDocumentedRights();
    server.reset({ rights: { ...rest, Slot: ['search', 'update'], Task: ['read', 'create', 'delete'] } });
    expect(Object.keys({ Slot, Task })).toHaveLength(2);
    expect(listWrong(await examine()).map(({ detail }) => detail)).toEqual([
      'Slot (read), Task (search): the server forbids it (HTTP_403)',
    ]);
  });

  test('asks for no right that only other adapters need', async () => {
    server.reset({ rights: { Location: ['read', 'search'], Practitioner: ['read', 'search'] } });
    const uses = new Set<Capability>(['directory.locations']);
    const details = listWrong(await examine({}, uses)).map(({ detail }) => detail);
    expect(details.filter((detail) => /Slot|Task|Patient|Basic/.test(detail))).toEqual([]);
    expect(details).not.toEqual([]);
  });

  test('names by their ids patients whose documents no search finds, and reads nothing else of them', async () => {
    const spell = (name: string, value: string) =>
      server.load({ resourceType: 'Patient', id: name, identifier: [{ system: terms.dni, value }] });
    spell('found', '43 302 750');
    const look = async () => (await examine()).find(({ check }) => check === 'documents');
    expect(await look()).toMatchObject({ ok: true, detail: expect.stringMatching(/^of \d+ examined patients/) });
    spell('lost', '4330 2750');
    spell('strange', '43/302/750');
    server.requests.reset();
    const finding = await look();
    expect(finding).toMatchObject({
      ok: null,
      detail: expect.stringMatching(/ 2 have a document .*: Patient\/lost, Patient\/strange$/),
    });
    expect(JSON.stringify(finding)).not.toMatch(/4330|302/);
    const looks = server.requests.all.filter(({ query }) => query.has('_elements'));
    expect(new Set(looks.map(({ query }) => query.get('_elements')))).toEqual(
      new Set(['id', 'identifier,link', 'item', 'start', 'status,slot']),
    );
  });

  test('names patients who were merged into themselves, around a circle or into a record that is gone', async () => {
    const merge = (name: string, into: string) =>
      server.load({
        ...{ resourceType: 'Patient', id: name },
        link: [{ type: 'replaced-by', other: { reference: `Patient/${into}` } }],
      });
    const look = async () => (await examine()).find(({ check }) => check === 'mergers');
    merge('old', id('Patient/ana'));
    expect(await look()).toBeUndefined();
    merge('self', 'self');
    merge('gone', 'nowhere');
    merge('one', 'other');
    merge('other', 'one');
    expect(await look()).toMatchObject({
      ok: null,
      detail: expect.stringContaining(' 4 were merged into themselves, '),
    });
  });

  test('tells the largest page that the server does not refuse', async () => {
    const isRefused = (count: string | null) => Number(count) > 100;
    server.reset({
      fault: ({ query }) =>
        isRefused(query.get('_count'))
          ? { commits: false, answer: (answer) => ({ ...answer, status: 400 }) }
          : undefined,
    });
    const findings = await examine();
    expect(listWrong(findings)).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'pages', detail: expect.stringContaining('100') }),
    );
  });

  test('names the search parameter that the server does not know', async () => {
    server.reset({
      fault: ({ path, query }) =>
        path === 'Slot' && query.has('schedule')
          ? { commits: false, answer: (answer) => ({ ...answer, status: 400 }) }
          : undefined,
    });
    expect(listWrong(await examine()).map(({ detail }) => detail)).toEqual([
      'Slot by schedule: the server rejects this search (HTTP_400)',
    ]);
  });

  test('says that TLS is wanted where the URL begins with http', async () => {
    const front = await FaultServer.start(server.url, makeCertificate());
    expect(await findLast({ baseUrl: front.url.replace('https:', 'http:'), retries: 0 })).toMatchObject({
      check: 'FHIR end point',
      fix: expect.stringMatching(/^begin baseUrl with https:/),
    });
    await front.down();
  });

  test('says that there is no FHIR server at the path', async () => {
    expect(await findLast({ baseUrl: `${server.url}/nowhere` })).toMatchObject({
      check: 'FHIR end point',
      detail: expect.stringMatching(/^\/metadata: /),
    });
  });

  test.each([
    [{ kind: 'none' }, /requires credentials \(HTTP_401\)/, /^set auth/],
    [{ kind: 'bearer', token: 'env:FHIR_EXAMINED_TOKEN' }, /refuses our credentials/, /reference in auth\.token$/],
    [{ kind: 'basic', user: 'us', password: 'env:FHIR_EXAMINED_TOKEN' }, /refuses our credentials/, /auth\.password/],
  ])('says that the server wants other credentials than %j', async (auth, detail, fix) => {
    server.reset({ auth: { kind: 'bearer', token: 'another one' } });
    expect(await findLast({ auth })).toEqual({
      check: 'credentials',
      ok: false,
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
      stops: true,
    });
  });

  test('says why no token is to be had', async () => {
    server.reset({ auth: { kind: 'oauth', clientId: 'us', clientSecret: 'ours', expiresIn: 60 } });
    const auth = {
      kind: 'oauth2-secret',
      tokenUrl: server.tokenUrl,
      clientId: 'us',
      clientSecret: 'env:FHIR_EXAMINED_TOKEN',
    };
    expect(await findLast({ auth })).toMatchObject({
      check: 'login',
      detail: expect.stringContaining('invalid_client'),
    });
    server.reset({
      auth: { kind: 'oauth', clientId: 'us', clientSecret: process.env.FHIR_EXAMINED_TOKEN ?? '', expiresIn: 60 },
    });
    expect(listWrong(await examine({ auth }))).toEqual([]);
  });

  test('tells of a clock that is apart', async () => {
    const date = new Date(Date.now() - 300_000).toUTCString();
    spoilStatement(({ headers }) => ({ headers: { ...headers, Date: date } }));
    expect(listWrong(await examine())).toEqual([
      expect.objectContaining({
        check: 'clock',
        detail: 'the clock of the server is 5 minutes behind this machine’s clock',
      }),
    ]);
  });

  test('tells of a server of another version, or that does not take what is written', async () => {
    const say = (changes: object) =>
      spoilStatement(({ body }) => ({ body: JSON.stringify({ ...JSON.parse(String(body)), ...changes }) }));
    say({ fhirVersion: '5.0.0' });
    expect((await findLast({}))?.detail).toMatch(/^the server says version 5\.0\.0, /);
    say({ rest: [{ interaction: [], resource: [{ type: 'Slot', interaction: [{ code: 'search-type' }] }] }] });
    const uses = new Set<Capability>(['appointments.slots']);
    const details = listWrong(await examine({ transactions: 'trust' }, uses)).map(({ detail }) => detail);
    expect(details).toEqual([
      expect.stringMatching(/^the server declares at \/metadata that it does not support: .*Slot \(update\)/),
      expect.stringMatching(/^the server does not declare transactions/),
    ]);
    say({ rest: [] });
    expect((await examine()).find(({ check }) => check === 'writes')?.ok).toBeNull();
  });

  test('goes on where only /metadata takes too long', async () => {
    server.reset({ fault: ({ path }) => (path === 'metadata' ? { commits: false, answer: 'hang' } : undefined) });
    const findings = await examine({ retries: 0, timeout: 500 });
    expect(listWrong(findings)).toEqual([
      expect.objectContaining({
        check: 'FHIR end point',
        detail: '/metadata: no answer arrived in time (ETIMEDOUT)',
      }),
    ]);
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(['reading', 'free slots', 'documents']));
  });

  test('stops when the server fails at every type, and says so once', async () => {
    server.reset({
      fault: ({ path }) =>
        path === 'metadata' ? undefined : { commits: false, answer: (answer) => ({ ...answer, status: 503 }) },
    });
    expect(await findLast({ retries: 0 })).toMatchObject({
      check: 'reading',
      detail: 'every type: the server fails (HTTP_503)',
    });
  });

  test('finds slots that were written by the clock of another zone', async () => {
    const [slot] = await server.search('Slot', 'status=free');
    if (!slot) throw new Error('there is no slot');
    const day = slot.start.slice(0, 10);
    server.load({ ...slot, start: `${day}T09:00:00+02:00`, end: `${day}T09:30:00+02:00` });
    const [found, ...others] = listWrong(await examine());
    expect(found).toMatchObject({
      check: 'time zone',
      detail: expect.stringMatching(
        /^the times of 1 of \d+ future slots have the offset \+02:00, which America\/Argentina\/Buenos_Aires does not/,
      ),
    });
    expect(others).toEqual([]);
  });
});

describe('free slots that nobody can be offered', () => {
  const listUnoffered = async () =>
    (await examine()).filter(({ check }) => check === 'free slots').map(({ ok, detail }) => [ok, detail]);
  const central = id('Schedule/paz-central');
  const inDays = (days: number, minutes = 0) =>
    new Date(Date.now() + days * 86_400_000 + minutes * 60_000).toISOString();
  let number = 0;
  const publish = (schedule: string, rest: object = {}) =>
    server.load({
      resourceType: 'Slot',
      id: `odd-${number++}`,
      schedule: { reference: `Schedule/${schedule}` },
      status: 'free',
      start: inDays(3),
      end: inDays(3, 20),
      ...rest,
    });

  test('are none in a hospital whose schedules are whole', async () => {
    expect(await listUnoffered()).toEqual([
      [true, expect.stringMatching(/^each of \d+ future free slots can be offered$/)],
    ]);
  });

  test('are counted, with the reason and the schedules', async () => {
    const own = await server.read('Schedule', central);
    const service = await server.read('HealthcareService', id('HealthcareService/consulta-clinica'));
    const isPlace = ({ reference = '' }) => reference.startsWith('Location/');
    server.load({ ...own, id: 'device', actor: [...own.actor.filter(isPlace), { display: 'tomograph' }] });
    server.load({ ...own, id: 'closed', active: false });
    server.load({ ...own, id: 'other', actor: own.actor.slice(0, 1), serviceType: [{ text: 'unknown' }] });
    server.load({
      ...own,
      id: 'nowhere',
      actor: [{ reference: `Practitioner/${id('Practitioner/paz')}` }],
      serviceType: [{ coding: [{ system: ownCodes('hcs'), code: 'NOWHERE' }] }],
    });
    const { location: _, ...remote } = service;
    server.load({ ...remote, id: 'remote', type: [{ coding: [{ system: ownCodes('hcs'), code: 'NOWHERE' }] }] });
    for (const schedule of ['device', 'device', 'closed', 'other', 'nowhere', 'missing']) publish(schedule);
    publish(central, { end: inDays(3, 0.5) });
    publish(central, { end: inDays(2) });
    publish(central, { overbooked: true });
    publish(central, { serviceType: [{ coding: [{ system: ownCodes('hcs'), code: 'CA_1040' }] }] });
    publish(central, { status: 'busy', end: inDays(2) });
    const found = await listUnoffered();
    expect(found.map(([ok]) => ok)).toEqual(found.map(() => null));
    const reasons = found.map(([, detail]) =>
      String(detail).replace(/of \d+ future free slots cannot be offered: /, ''),
    );
    expect(reasons.toSorted()).toEqual(
      [
        '2 the schedule names no practitioner, like a schedule of equipment (Schedule/device)',
        '1 the schedule is not active (Schedule/closed)',
        '1 the schedule has no offered service (Schedule/other)',
        '1 neither the schedule nor its service names a place (Schedule/nowhere)',
        '1 there is no such schedule, or it cannot be read (Schedule/missing)',
        `2 they last less than a minute (Schedule/${central})`,
        `1 they are overbooked (Schedule/${central})`,
        `1 their schedule does not have their service, or it is not offered (Schedule/${central})`,
      ].toSorted(),
    );
  });
});
