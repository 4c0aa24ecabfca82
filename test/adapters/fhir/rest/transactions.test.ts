import { describe, expect, test } from '@jest/globals';
import { NS } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { getProblem, makeOutcome } from '../../../support/fhir-failures.ts';
import { emptyBundle, json, setUpScript } from '../../../support/scripted-fhir.ts';

// What becomes of several writes that belong together, and how it is found out whether a server keeps them together.

const { ports, server, url } = await setUpScript({ retries: 0, transactions: 'trust' });

describe('a transaction', () => {
  const slot = { resourceType: 'Slot', id: 's', meta: { versionId: '1' }, schedule: { reference: 'Schedule/x' } };
  const appointment = {
    resourceType: 'Appointment',
    id: 'a',
    meta: { versionId: '1' },
    status: 'booked',
    start: '2099-01-01T10:00:00Z',
    slot: [{ reference: 'Slot/s' }],
    participant: [{ actor: { reference: 'Patient/ana' } }],
  };
  const times = { status: 'busy', start: '2099-01-01T10:00:00Z', end: '2099-01-01T10:20:00Z' };
  const found = {
    ...emptyBundle,
    entry: [{ resource: appointment }, { resource: { ...slot, ...times }, search: { mode: 'include' } }],
  };

  const foundSlot = { ...emptyBundle, entry: [{ resource: { ...slot, ...times } }] };

  /** What is read before a cancellation: the appointment, and who else has its slots. */
  const prepareReads = () => server.get('/fhir/Appointment').query(true).times(2).reply(200, found, json);

  /** A cancellation whose transactions are answered so, one after the other. */
  const cancel = (...answers: readonly (readonly [status: number, body: object])[]) => {
    for (const [index, [status, body]] of answers.entries()) {
      prepareReads();
      // After a conflict a slot that came along may be an old version.
      if (index > 0) server.get('/fhir/Slot').query(true).reply(200, foundSlot, json);
      server.post('/fhir').reply(status, body, json);
    }
    return getProblem(ports.appointments.cancel('ana', 'a', callNow()), 'cancelAppointment');
  };
  const responses = (...statuses: readonly string[]) => ({
    resourceType: 'Bundle',
    type: 'transaction-response',
    entry: statuses.map((status) => ({ response: { status, outcome: makeOutcome('processing', 'Slot.status') } })),
  });

  test.each([
    ['409 Conflict', '409 conflict', 2],
    ['412', '409 conflict', 2],
    ['409: Conflict', '409 conflict', 2],
    ['400 Bad Request', '422 validation', 1],
    ['404', '404 not_found', 1],
    ['403 Forbidden', '403 forbidden', 1],
  ])('of which every entry is %s, though it is a 200 as a whole, is %s', async (status, told, attempts) => {
    const answer = [200, responses(status, status)] as const;
    expect(await cancel(...Array(attempts).fill(answer))).toBe(told);
  });

  test('of which one entry failed is an unknown outcome, and the last transaction that the server gets', async () => {
    expect(await cancel([200, responses('200 OK', '409')])).toBe('504 backend_outcome_unknown');
    prepareReads();
    expect(await getProblem(ports.appointments.cancel('ana', 'a', callNow()), 'cancelAppointment')).toBe(
      '501 not_implemented',
    );
  });

  test.each([400, 404, 408, 410, 500, 502, 503, 504])(
    'that is answered with a bare %i has an unknown outcome',
    async (status) => {
      expect(await cancel([status, makeOutcome('invalid')])).toBe('504 backend_outcome_unknown');
    },
  );

  test.each([
    ['says nothing of an entry', responses('200 OK')],
    ['says of more entries than were sent', responses('200 OK', '200 OK', '200 OK')],
    ['is no transaction response', { ...responses('200', '200'), type: 'searchset' }],
    ['has a status that is none', responses('ok', '200')],
  ])('whose answer %s has an unknown outcome', async (_, body) => {
    expect(await cancel([200, body])).toBe('504 backend_outcome_unknown');
  });

  test('frees the slot and cancels the appointment, each in the version that was read', async () => {
    prepareReads();
    const entry = (url: string, status: string) => ({
      request: { method: 'PUT', url, ifMatch: 'W/"1"' },
      resource: { status },
    });
    server
      .post('/fhir', (body) => {
        expect(body).toMatchObject({
          type: 'transaction',
          entry: [entry('Appointment/a', 'cancelled'), entry('Slot/s', 'free')],
        });
        return true;
      })
      .reply(200, responses('200', '200'), json);
    await ports.appointments.cancel('ana', 'a', callNow());
  });
});

describe('the test of a server', () => {
  const metadata = (fhirVersion: string) =>
    server.get('/fhir/metadata').reply(200, { resourceType: 'CapabilityStatement', fhirVersion }, json);
  const impairments = async () => {
    const { readiness } = await connect({ url }, { retries: 0 });
    return (await readiness.report(new AbortController().signal)).impairments.map(({ code }) => code);
  };

  test.each(['3.0.2', '4.3.0', '5.0.0', ''])(
    'finds a server of FHIR %j unfit, and writes nothing to it',
    async (version) => {
      metadata(version);
      expect(await impairments()).toEqual(['backend_not_r4']);
    },
  );

  test('finds a server unfit that lets nobody create a Basic', async () => {
    metadata('4.0.1');
    server.post('/fhir/Basic').times(2).reply(400, makeOutcome('not-supported'), json);
    server.get('/fhir/Location').query(true).times(2).reply(200, emptyBundle, json);
    expect(await impairments()).toEqual(['backend_untestable']);
  });

  test('finds a server unfit that refuses the whole but keeps the half', async () => {
    metadata('4.0.1');
    const basic = { resourceType: 'Basic', id: 'b1', meta: { versionId: '1' } };
    server.post('/fhir/Basic').reply(201, basic, json);
    server.post('/fhir').reply(409, makeOutcome('conflict'), json);
    const left = { ...emptyBundle, entry: [{ resource: { ...basic, id: 'b2' } }] };
    server
      .get('/fhir/Basic')
      .query(({ identifier }) => String(identifier).startsWith(`${NS}/sid/probe|`))
      .reply(200, left, json);
    server.delete('/fhir/Basic/b1').reply(204);
    server.delete('/fhir/Basic/b2').reply(204);
    expect(await impairments()).toEqual(['backend_not_atomic']);
  });

  test('of one that refuses a transaction, and then throttles, has no unhandled rejection', async () => {
    metadata('4.0.1');
    server.post('/fhir/Basic').reply(201, { resourceType: 'Basic', id: 'b1', meta: { versionId: '1' } }, json);
    server.post('/fhir').reply(403, makeOutcome('forbidden'), json);
    server.get('/fhir/Location').query(true).reply(200, emptyBundle, json);
    server.post('/fhir/Basic').reply(429, makeOutcome('throttled'), json);
    server.delete('/fhir/Basic/b1').delay(50).reply(204);
    // An unhandled rejection fails a test of jest.
    expect(await impairments()).toEqual(['backend_unreachable']);
  });
});
