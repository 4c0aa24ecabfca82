import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { PageRequest } from '../../../../src/ports/index.ts';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import type { Answer } from '../../../fhir-server/response.ts';
import { terms } from '../../../hospital-in-fhir/terms.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a server that runs a transaction as a batch', () => {
  test('gets no booking, cancellation or ticket, and readiness says why', async () => {
    server.reset({ transactions: 'batch' });
    const { ports, readiness } = await connect(server);
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const refused = matchFailure('unsupported', { code: 'backend_not_atomic' });
    const before = await server.search('Appointment');
    await expect(ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow())).rejects.toEqual(refused);
    await expect(
      ports.appointments.cancel(id('Patient/ana'), id('Appointment/turno-ana-1'), callNow()),
    ).rejects.toEqual(refused);
    await expect(
      ports.tickets.open(id('Patient/ana'), id('Questionnaire/receta'), { observations: '', fields: [] }, callNow()),
    ).rejects.toEqual(refused);
    expect(await server.search('Appointment')).toHaveLength(before.length);
    expect((await server.read('Slot', slot.id)).status).toBe('free');
    expect((await readiness.report(new AbortController().signal)).impairments).toEqual([
      { code: 'backend_not_atomic', detail: expect.stringContaining('transaction-bundles') },
    ]);
  });

  test('and was trusted is caught at the first half of a transaction, which leaves nothing, and gets no further one', async () => {
    server.reset({ transactions: 'batch' });
    const before = await server.search('Appointment');
    const { ports, readiness } = await connect(server, { transactions: 'trust' });
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const book = () => ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow());
    const results = await Promise.allSettled([book(), book(), book()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const lost = results.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
    const half = matchFailure('outcome_unknown', { code: 'non_atomic_transaction' });
    expect(lost).toContainEqual(matchFailure('unsupported', { code: 'backend_not_atomic', cause: half }));
    expect(await server.search('Appointment')).toHaveLength(before.length + 1);
    await expect(book()).rejects.toEqual(matchFailure('unsupported', { code: 'backend_not_atomic' }));
    expect((await readiness.report(new AbortController().signal)).impairments).toHaveLength(1);
  });

  test('is left as it was by the test of its transactions', async () => {
    server.reset({ transactions: 'batch' });
    const { readiness } = await connect(server);
    await readiness.report(new AbortController().signal);
    expect(await server.search('Basic')).toEqual([]);
  });
});

describe('a server with request validation', () => {
  test('takes what the gateway writes, and readiness finds nothing amiss', async () => {
    server.reset({ validation: 'on' });
    const { ports, readiness } = await connect(server);
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    await ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow());
    await ports.tickets.open(
      id('Patient/ana'),
      id('Questionnaire/receta'),
      { observations: '', fields: [] },
      callNow(),
    );
    await ports.insurance.edit(id('Coverage/elena-pami'), { planId: id('InsurancePlan/osde-210') }, callNow());
    expect((await readiness.report(new AbortController().signal)).impairments).toEqual([]);
  });

  test('that knows no extensions of ours is impaired, and gets no booking', async () => {
    server.reset({ validation: 'strict' });
    const { ports, readiness } = await connect(server);
    expect((await readiness.report(new AbortController().signal)).impairments).toEqual([
      { code: 'backend_refuses_writes', detail: expect.stringContaining('validat') },
    ]);
    expect(await server.search('Basic')).toEqual([]);
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    await expect(ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow())).rejects.toEqual(
      matchFailure('unsupported'),
    );
  });
});

describe('the test of transactions', () => {
  test('finds nothing amiss on a server that keeps them whole, and leaves nothing behind', async () => {
    const { readiness } = await connect(server);
    expect((await readiness.report(new AbortController().signal)).impairments).toEqual([]);
    expect(await server.search('Basic')).toEqual([]);
  });

  test('says that it cannot be made when the server lets nobody write Basic resources', async () => {
    const forbid = { commits: false, answer: (answer: Answer) => ({ ...answer, status: 403 }) };
    server.reset({ fault: ({ method, path }) => (method === 'POST' && path === 'Basic' ? forbid : undefined) });
    const { readiness } = await connect(server);
    expect((await readiness.report(new AbortController().signal)).impairments).toEqual([
      { code: 'backend_untestable', detail: expect.stringContaining('Basic') },
    ]);
  });

  const countFlaws = async ({ readiness }: Pick<Awaited<ReturnType<typeof connect>>, 'readiness'>) =>
    (await readiness.report(new AbortController().signal)).impairments.length;
  const passTime = (seconds: number) => {
    const now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now + seconds * 1_000);
  };

  test('is made again after five minutes when it found nothing amiss', async () => {
    const adapter = await connect(server);
    expect(await countFlaws(adapter)).toBe(0);
    server.quirks.transactions = 'batch';
    expect(await countFlaws(adapter)).toBe(0);
    passTime(299);
    expect(await countFlaws(adapter)).toBe(0);
    passTime(2);
    expect(await countFlaws(adapter)).toBe(1);
  });

  test('is made again by a booking that comes 15 seconds after it found a flaw, though nobody looks', async () => {
    server.reset({ transactions: 'batch' });
    const { ports } = await connect(server);
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const book = () => ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow());
    await expect(book()).rejects.toEqual(matchFailure('unsupported'));
    server.quirks.transactions = 'atomic';
    await expect(book()).rejects.toEqual(matchFailure('unsupported'));
    passTime(16);
    await expect(book()).resolves.toHaveProperty('id');
  });
});

describe('whatever a server leaves out of its includes', () => {
  test('is fetched, so that names are complete', async () => {
    const list = async ({ ports }: { ports: FhirPorts }) => [
      await ports.appointments.list(id('Patient/ana'), { order: 'ascending' }, callNow()),
      await ports.practitioners.list(callNow()),
      await ports.insurance.coverages(id('Patient/ana'), callNow()),
      await ports.tickets.list(id('Patient/ana'), {}, callNow()),
      await ports.directory.entries(callNow()),
      await ports['care-services'].available({}, callNow()),
    ];
    const complete = await list({ ports });
    server.quirks.includeLimit = 0;
    expect(await list(await connect(server))).toEqual(complete);
  });

  test('is fetched, so that nothing is offered in a room that is closed', async () => {
    const room = await server.create({ resourceType: 'Location', status: 'suspended', name: 'Consultorio 99' });
    const schedule = await server.read('Schedule', id('Schedule/paz-central'));
    const actor = schedule.actor.filter(({ reference = '' }) => !reference.startsWith('Location/'));
    await server.update({ ...schedule, actor: [...actor, { reference: `Location/${room.id}` }] });
    server.quirks.includeLimit = 0;
    const { ports: fresh } = await connect(server);
    const query = { serviceId: id('HealthcareService/consulta-clinica'), practitionerId: id('Practitioner/paz') };
    const list = async (from: FhirPorts) => (await from.appointments.slots(query, callNow())).items;
    const places = new Set((await list(fresh)).map(({ locationId }) => locationId));
    expect(places.has(room.id)).toBe(false);
    expect((await list(ports)).length).toBeGreaterThan(0);
  });
});

describe('a list', () => {
  test('has true totals on a server that does not count', async () => {
    const query = { order: 'descending', page: { page: 0, limit: 2 } } as const;
    const counted = await ports.appointments.list(id('Patient/ana'), query, callNow());
    server.quirks.totals = false;
    expect(await ports.appointments.list(id('Patient/ana'), query, callNow())).toEqual(counted);
  });

  test.each([hapi, medplum])('is empty beyond its end, and $software skips no more than it may', async (preset) => {
    server.reset(preset);
    const list = (page?: PageRequest) =>
      ports.appointments.list(id('Patient/ana'), { order: 'ascending', ...(page && { page }) }, callNow());
    const { total } = await list();
    expect(total).toBeGreaterThan(3);
    for (const page of [1, 100, 101, 5_000_000]) expect(await list({ page, limit: 100 })).toEqual({ items: [], total });
    const offsets = server.requests.all.map(({ query }) => Number(query.get('_offset') ?? 0));
    expect(Math.max(...offsets)).toBe(10_000);
  });

  test.each(['offset', 'state'] as const)(
    'follows its pages by %s links on the configured host alone',
    async (nextLinks) => {
      server.reset({ nextLinks, nextHost: 'https://elsewhere.invalid', auth: { kind: 'bearer', token: 's' } });
      process.env.FHIR_TEST_TOKEN = 's';
      const auth = { kind: 'bearer', token: 'env:FHIR_TEST_TOKEN' };
      for (let number = 0; number < 250; number++) {
        const name = `Carrier ${number}`;
        const coding = [{ system: terms.organizationType, code: 'ins' }];
        await server.create({ resourceType: 'Organization', name, type: [{ coding }] });
      }
      const { ports } = await connect(server, { auth });
      const carriers = await ports.insurance.carriers({}, callNow());
      expect(carriers.filter(({ name }) => name.startsWith('Carrier '))).toHaveLength(250);
      expect(server.requests.calls).toHaveLength(2);
    },
  );

  test('that is longer than the limits fails instead of being cut', async () => {
    const { ports } = await connect(server, { limits: { pages: 1, entries: 50 } });
    for (let number = 0; number < 201; number++) await server.create({ resourceType: 'InsurancePlan', name: 'x' });
    await expect(ports.insurance.plans('OSDE', callNow())).rejects.toEqual(matchFailure('bad_answer'));
  });
});
