import assert from 'node:assert/strict';
import { describe, expect, test } from '@jest/globals';
import { Mask } from '../../../src/cli/contract/mask.ts';
import { type ContractRunOptions, runContract } from '../../../src/cli/contract/run.ts';
import {
  addMember,
  bookA,
  bookB,
  buildBookingB,
  createCoverage,
  findFreeSlot,
  pickAny,
  registerPatient,
} from '../../../src/contract/arrange.ts';
import { defineCase } from '../../../src/contract/case.ts';
import { type Case, createPortsSubject, type PortsSubject, sandbox } from '../../../src/contract/index.ts';
import { isOfferedInA, listAppointmentsA, listFamilyGroup, listSlotsB } from '../../../src/contract/queries.ts';
import { isPortsSubject, type Request, type Response, type Route } from '../../../src/contract/subject.ts';
import { type Capability, capabilities, Failure } from '../../../src/ports/index.ts';
import { openSandbox } from '../../support/sandbox.ts';

const base = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots'],
  section: '4.A',
} as const;

const toCase = (id: string, run: Case['run']): Case => defineCase(base, id, { title: `a case ${id}`, run });

const startSubject = (supports: readonly Capability[] = capabilities): PortsSubject =>
  createPortsSubject({ ports: openSandbox(), supports, fixtures: sandbox });

const run = (cases: readonly Case[], subject: PortsSubject, options: Partial<ContractRunOptions> = {}) =>
  runContract({
    cases,
    start: async () => subject,
    level: 'destructive',
    bail: false,
    lasts: true,
    known: new Map(),
    mask: new Mask(new Map([['ana', 'patients.complete']])),
    curl: {},
    signal: new AbortController().signal,
    onCase: () => {},
    ...options,
  });

describe('a run of the contract', () => {
  test('stops after three cases in a row whose requests got no answer, and says why', async () => {
    let sent = 0;
    const subject = startSubject();
    const silent: PortsSubject = {
      ...subject,
      // The second case is answered, so that the server is not given up before the fifth.
      send: async (request) => {
        if (++sent === 2) return subject.send(request);
        throw new DOMException('no answer', 'TimeoutError');
      },
    };
    const cases = [1, 2, 3, 4, 5, 6].map((number) =>
      toCase(`case-${number}`, async (watched) => {
        await watched.send({ route: 'GET /practitioner/' });
      }),
    );
    const { cases: reported, stopped } = await run(cases, silent);
    expect(stopped).toBe('three cases in a row got no answer');
    expect(reported.map(({ outcome }) => outcome)).toEqual(['skip', 'pass', 'skip', 'skip', 'skip', 'skip']);
    expect(reported.at(-1)).toMatchObject({ reason: 'three cases in a row got no answer' });
    expect(reported.map(({ unanswered }) => unanswered)).toEqual([true, undefined, true, true, true, undefined]);
    expect(sent).toBe(5);
  });

  const askFor = (id: string, route: Route) =>
    toCase(id, async (watched) => {
      const { status } = await watched.send({ route });
      assert.equal(status, 200);
    });
  const answer = (status: number, code: string): Response => ({ status, headers: {}, body: { code } });

  test.each([
    [503, 'overloaded'],
    [504, 'backend_timeout'],
    [504, 'backend_outcome_unknown'],
  ])('takes a %s %s for no answer, and goes on', async (status, code) => {
    const slow = { ...startSubject(), send: async () => answer(status, code) };
    const { cases, stopped } = await run([askFor('a', 'GET /practitioner/'), askFor('b', 'GET /location/')], slow);
    expect(cases).toMatchObject(cases.map(() => ({ outcome: 'skip', reason: `no answer came: ${status} ${code}` })));
    expect(stopped).toBeUndefined();
  });

  test('stops at once when the system is unreachable, at the first case and in the midst of others', async () => {
    const subject = startSubject();
    let isThere = true;
    const leaving = {
      ...subject,
      send: async (request: Request) => (isThere ? subject.send(request) : answer(502, 'backend_unavailable')),
    };
    const leave = toCase('leave', async (watched) => {
      await watched.send({ route: 'GET /practitioner/' });
      isThere = false;
    });
    const locations = askFor('locations', 'GET /location/');
    const midst = await run([leave, locations, locations], leaving);
    expect(midst.cases.map(({ outcome }) => outcome)).toEqual(['pass', 'skip', 'skip']);
    expect(midst.stopped).toBe('the system is unreachable, no answer came: 502 backend_unavailable');
    const first = await run([locations, locations], leaving);
    expect(first.cases.map(({ reason }) => reason)).toEqual(['no answer came: 502 backend_unavailable', first.stopped]);
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
    const gone = await run([locations, locations], { ...subject, send: () => Promise.reject(refused) });
    expect(gone.stopped).toBe('the system is unreachable, no answer came: ECONNREFUSED');
  });

  test('fails a 502 of a system that answers other things, and one that nobody understands', async () => {
    const subject = startSubject();
    const failing = (code: string) => ({
      ...subject,
      send: async (request: Request) =>
        request.route === 'GET /location/' ? answer(502, code) : subject.send(request),
    });
    const cases = [askFor('a', 'GET /practitioner/'), askFor('b', 'GET /location/'), askFor('c', 'GET /practitioner/')];
    for (const code of ['backend_unavailable', 'backend_invalid_response']) {
      const { cases: reported, stopped } = await run(cases, failing(code));
      expect(reported.map(({ outcome }) => outcome)).toEqual(['pass', 'fail', 'pass']);
      expect(stopped).toBeUndefined();
    }
  });

  test('says what the adapter threw before how its answer differs, without what that says of a patient', async () => {
    const list = () => Promise.reject(new Error('no fee for Ana Ferreyra'));
    const subject = createPortsSubject({ ports: { practitioners: { list } }, fixtures: sandbox });
    const differ = toCase('differ', async (watched) => {
      const { status } = await watched.send({ route: 'GET /practitioner/' });
      assert.deepEqual({ status }, { status: 200 });
    });
    const { cases } = await run([{ ...differ, needs: 'practitioners.list', requires: [] }], subject);
    const [title, thrown, ...difference] = cases[0]?.reason?.split('\n') ?? [];
    expect(title).toBe('the answer is not as expected (+ answered, - expected)');
    expect(thrown).toMatch(/^the adapter threw Error at test\/cli\/contract\/run\.test\.ts:\d+:\d+$/);
    expect(difference).toContain('+   status: 500');
  });

  test('takes what a port fails with for no answer, but not when it was called too late', async () => {
    const unavailable = () => Promise.reject(new Failure('unavailable', 'no system'));
    const subject = createPortsSubject({ ports: { directory: { locations: unavailable } }, fixtures: sandbox });
    const callLocations = (id: string, signal: AbortSignal): Case => ({
      ...toCase(id, async () => {}),
      needs: 'directory.locations',
      requires: [],
      run: async (watched) => {
        assert.ok(isPortsSubject(watched));
        await assert.doesNotReject(watched.getPort('directory').locations(watched.createCall({ signal })));
      },
    });
    const late = await run([callLocations('late', AbortSignal.abort())], subject);
    expect(late.cases).toMatchObject([{ outcome: 'fail' }]);
    const away = await run([callLocations('away', new AbortController().signal)], subject);
    expect(away.cases).toMatchObject([{ outcome: 'skip', reason: 'no answer came: unavailable' }]);
    expect(away.stopped).toMatch(/^the system is unreachable/);
  });

  test('cancels what was booked through either group or a port, so that the slots are offered again', async () => {
    const subject = startSubject();
    const patients: string[] = [];
    const slots: Parameters<typeof isOfferedInA>[1][] = [];
    const book = toCase('book', async (watched) => {
      const [first, second, third] = [registerPatient(watched), registerPatient(watched), registerPatient(watched)];
      patients.push(await first, await second, await third);
      const slot = await findFreeSlot(watched);
      await bookA(watched, await first, slot);
      const other = pickAny(await listSlotsB(watched));
      await bookB(watched, buildBookingB(await second, other));
      const last = await findFreeSlot(watched);
      slots.push(slot, last);
      assert.ok(isPortsSubject(watched));
      const { health_care_service_id: serviceId, practitioner_id, date: start, location_id: locationId } = last;
      const { getPort, createCall } = watched;
      await getPort('appointments').book(
        await third,
        { serviceId, practitionerIds: [practitioner_id], start, locationId },
        createCall(),
      );
      assert.ok(!(await isOfferedInA(watched, slot)));
    });
    const { cases, cleanUp } = await run([book], subject);
    expect(cases).toMatchObject([{ outcome: 'pass' }]);
    expect(cleanUp).toMatchObject({ canceledAppointments: 3, failures: [], remaining: { patients: 3 } });
    for (const id of patients) {
      expect((await listAppointmentsA(subject, id)).map(({ status }) => status)).toEqual(['canceled']);
    }
    for (const slot of slots) expect(await isOfferedInA(subject, slot)).toBe(true);
  });

  test('counts the coverages that requests and ports created', async () => {
    const create = toCase('create', async (watched) => {
      const beneficiaryId = await registerPatient(watched);
      await createCoverage(watched, beneficiaryId);
      assert.ok(isPortsSubject(watched));
      const coverage = { credentialNumber: '1', beneficiaryId, planId: sandbox.plans.accepted };
      await watched.getPort('insurance').create(coverage, watched.createCall());
    });
    const { cases, cleanUp } = await run([create], startSubject());
    expect(cases).toMatchObject([{ outcome: 'pass' }]);
    expect(cleanUp).toMatchObject({ remaining: { patients: 1, coverages: 2 } });
  });

  test('does not cancel again what the case canceled itself', async () => {
    const canceled = toCase('cancel', async (subject) => {
      const id = await registerPatient(subject);
      const appointment_id = await bookA(subject, id, await findFreeSlot(subject));
      const route = 'PUT /patients/{id}/appointments/{appointment_id}';
      await subject.send({ route, params: { id, appointment_id }, body: { status: 'canceled' } });
    });
    const { cleanUp } = await run([canceled], startSubject());
    expect(cleanUp).toMatchObject({ canceledAppointments: 0, failures: [] });
  });

  test('removes the relatives who were added', async () => {
    const subject = startSubject();
    let patient = '';
    const add = toCase('add', async (watched) => {
      patient = await registerPatient(watched);
      await addMember(watched, patient);
    });
    expect((await run([add], subject)).cleanUp).toMatchObject({ removedRelatives: 1, remaining: { patients: 2 } });
    expect(await listFamilyGroup(subject, patient)).toEqual([]);
  });

  test('reports what it cannot take back, with the reason', async () => {
    const subject = startSubject(capabilities.filter((capability) => capability !== 'appointments.cancel'));
    const book = toCase('book', async (watched) => {
      await bookA(watched, await registerPatient(watched), await findFreeSlot(watched));
    });
    const { cleanUp } = await run([book], subject);
    expect(cleanUp?.failures).toEqual([
      expect.stringMatching(/^appointment \S+ remains: appointments\.cancel is not offered$/),
    ]);
  });

  test('shows of a failed case what differs and what was sent, without a value of a patient', async () => {
    const fail = toCase('fail', async (subject) => {
      const { body } = await subject.send({ route: 'GET /patients/{id}', params: { id: 'ana' } });
      assert.deepEqual(body, { id: 'ana' });
    });
    const [failed] = (await run([fail], startSubject())).cases;
    expect(failed).toMatchObject({ outcome: 'fail', requests: [{ route: 'GET /patients/{id}', status: 200 }] });
    expect(failed?.reason).toMatch(/^the answer is not as expected \(\+ answered, - expected\)\n/);
    expect(failed?.reason).toMatch(/^\+ {3}last_name: '‹last_name 1›'$/m);
    expect(JSON.stringify(failed)).not.toMatch(/\bana\b|Ferreyra|31465466|1985-11-30/i);
    expect(failed?.requests[0]?.curl).toContain('"$patients_complete"');
  });

  test('says that no answer came, and goes on', async () => {
    const lost = toCase('lost', async (subject) => {
      await subject.send({ route: 'POST /patients/', body: {} });
    });
    const broken = {
      ...startSubject(),
      send: async () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })),
    };
    const { cases, cleanUp } = await run([lost, lost], broken);
    expect(cases.map(({ reason }) => reason)).toEqual(['no answer came: ECONNRESET', 'no answer came: ECONNRESET']);
    expect(cleanUp?.lost).toBe(2);
  });

  test('stops after the first failure when it is told to, and reports the others as skipped', async () => {
    const fail = toCase('fail', async () => assert.fail('no'));
    const { cases, stopped } = await run([fail, fail, fail], startSubject(), { bail: true });
    expect(cases.map(({ outcome }) => outcome)).toEqual(['fail', 'skip', 'skip']);
    expect(stopped).toBe(cases[1]?.reason);
  });

  test('cleans up nothing where every case has an institution of its own', async () => {
    const { cleanUp } = await run([toCase('x', async () => {})], startSubject(), { lasts: false });
    expect(cleanUp).toBeUndefined();
  });
});
