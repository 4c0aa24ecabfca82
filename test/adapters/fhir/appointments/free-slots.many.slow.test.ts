import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Schedule } from '@medplum/fhirtypes';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import type { RunningGateway } from '../../../support/gateway.ts';

const { server, id } = await startHospital();
const DAY = 86_400_000;
/** The first day of the slots, in the zone of the hospital. */
const first = new Date(Date.now() - 3 * 3_600_000 + 2 * DAY).toISOString().slice(0, 10);

interface Published {
  readonly id: string;
  /** Local. */
  readonly start: string;
}

/** Publishes as many free slots of 20 minutes in each of new schedules of Dr Paz, from nine o'clock on, ten on each day. */
async function publish(schedules: number, each: number): Promise<readonly Published[]> {
  const { id: _, ...model } = await server.read('Schedule', id('Schedule/paz-central'));
  const published: Published[] = [];
  for (let number = 0; number < schedules; number++) {
    const { id: own } = await server.create<Schedule>(model);
    for (let slot = 0; slot < each; slot++) {
      const name = `s-${number}-${slot}`;
      const begins = Date.parse(`${first}T12:00:00Z`) + Math.floor(slot / 10) * DAY + (slot % 10) * 1_200_000;
      const [start = '', end] = [begins, begins + 1_200_000].map((moment) => new Date(moment).toISOString());
      const schedule = { reference: `Schedule/${own}` };
      server.load({ resourceType: 'Slot', id: name, schedule, status: 'free', start, end });
      published.push({ id: name, start: new Date(begins - 3 * 3_600_000).toISOString().slice(0, 19) });
    }
  }
  return published;
}

let gateway: RunningGateway;
let all: readonly Published[];

/** A gateway that has read the catalogue, in front of this alone: nothing else of the service is free. */
async function start(schedules: number, each: number, software = hapi): Promise<void> {
  server.reset(software);
  for (const slot of await server.search('Slot', 'status=free&_count=5000')) await server.delete('Slot', slot.id);
  all = await publish(schedules, each);
  gateway = await startFhirGateway(server, { PUENTE_HTTP_READ_DEADLINE: '120000' });
  await search({ limit: 1 });
}

async function search({ page = 0, limit = 10, ...body }: { page?: number; limit?: number; dateConfig?: object }) {
  const target = `/v1/available-slots?page=${page}&limit=${limit}`;
  const wanted = { hcsId: id('HealthcareService/consulta-clinica'), ...body };
  const { status, text } = await gateway.ask('POST', target, wanted);
  expect({ status, text }).toMatchObject({ status: 200 });
  const { data, pagination } = JSON.parse(text) as {
    data: { appointmentId: string; appointmentDate: string; appointmentStart: string }[];
    pagination: { totalElements: number };
  };
  const rows = data.map((row) => ({
    id: row.appointmentId,
    start: `${row.appointmentDate}T${row.appointmentStart}:00`,
  }));
  return { rows, total: pagination.totalElements };
}

/** What begins at the moments at which rows of that page begin. */
function expectPage(rows: readonly Published[], of: readonly Published[], page: number): void {
  const starts = of.map((slot) => slot.start).toSorted();
  expect(rows.map((slot) => slot.start)).toEqual(starts.slice(page * 10, page * 10 + 10));
  const known = new Map(of.map((slot) => [slot.id, slot.start]));
  for (const row of rows) expect(known.get(row.id)).toBe(row.start);
}

const listSlotRequests = () => server.requests.all.filter(({ path }) => path.startsWith('Slot'));

afterAll(() => gateway.stop());

describe('of 12,000 free slots in 24 schedules', () => {
  beforeAll(() => start(24, 500));
  beforeEach(() => server.requests.reset());

  test.each([0, 40, 601, 1199])('page %i is four calls at most, and has its rows and the total', async (page) => {
    const { rows, total } = await search({ page });
    expect(server.requests.calls.length).toBeLessThanOrEqual(4);
    expect(total).toBe(12_000);
    expectPage(rows, all, page);
    const counts = listSlotRequests().map(({ query }) => Number(query.get('_count')));
    expect(Math.max(...counts)).toBeLessThanOrEqual(5_000);
  });

  test.each([0, 100])(
    'page %i of a day of the week is four calls at most, and has its rows and the total',
    async (page) => {
      const { rows, total } = await search({ page, dateConfig: { daysOfWeek: ['MONDAY'] } });
      expect(server.requests.calls.length).toBeLessThanOrEqual(4);
      const mondays = all.filter((slot) => new Date(`${slot.start}Z`).getUTCDay() === 1);
      expect(total).toBe(mondays.length);
      expectPage(rows, mondays, page);
    },
  );

  test.each([0, 100])('page %i of some hours is four calls at most, and has its rows and the total', async (page) => {
    const { rows, total } = await search({ page, dateConfig: { hourFrom: '09:20', hourTo: '11:00' } });
    expect(server.requests.calls.length).toBeLessThanOrEqual(4);
    // None of them reads all that is free.
    expect(listSlotRequests().filter(({ query }) => query.has('_count'))).toEqual([]);
    const wanted = all.filter(({ start }) => start.slice(11) >= '09:20' && start.slice(11) <= '10:40:00');
    expect(total).toBe(wanted.length);
    expectPage(rows, wanted, page);
  });

  test('where slots end after the hours, pages and total are of those that do not', async () => {
    const dateConfig = { hourFrom: '09:20', hourTo: '10:50' };
    const wanted = all.filter(({ start }) => start.slice(11) >= '09:20' && start.slice(11) <= '10:20:00');
    for (const page of [0, 1]) {
      const { rows, total } = await search({ page, dateConfig });
      expect(total).toBe(wanted.length);
      expectPage(rows, wanted, page);
    }
  });

  test('following pages have every row once', async () => {
    const ids = new Set<string>();
    for (let page = 0; page < 12; page++) {
      for (const row of (await search({ page, limit: 100 })).rows) ids.add(row.id);
    }
    expect(ids.size).toBe(1_200);
  });

  test('a list without pages has the first 10,000, and says how many it leaves out', async () => {
    const service = id('HealthcareService/consulta-clinica');
    const { status, text, headers } = await gateway.ask(
      'GET',
      `/available-appointments/search?health_care_service_id=${service}`,
    );
    expect(status).toBe(200);
    const { appointments } = JSON.parse(text) as { appointments: unknown[] };
    expect(appointments).toHaveLength(10_000);
    expect(headers['puente-omitted']).toBe('2000');
  });
});

describe.each([hapi, medplum])('of 150 schedules, on $software', (software) => {
  beforeAll(async () => {
    await gateway.stop();
    await start(150, 8, software);
  });
  beforeEach(() => server.requests.reset());

  test.each([0, 7, 119])('page %i is eight calls at most', async (page) => {
    const { rows, total } = await search({ page });
    expect(server.requests.calls.length).toBeLessThanOrEqual(8);
    expect(total).toBe(1_200);
    expectPage(rows, all, page);
    for (const { body } of listSlotRequests().filter(({ method }) => method === 'POST')) {
      const names = [...new URLSearchParams(body).keys()];
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('a day of the week is eight calls at most', async () => {
    const dateConfig = { daysOfWeek: ['MONDAY', 'TUESDAY'], hourFrom: '10:00' };
    const { total } = await search({ dateConfig });
    expect(server.requests.calls.length).toBeLessThanOrEqual(8);
    const wanted = all.filter(
      ({ start }) => [1, 2].includes(new Date(`${start}Z`).getUTCDay()) && start.slice(11) >= '10:00:00',
    );
    expect(total).toBe(wanted.length);
  });
});
