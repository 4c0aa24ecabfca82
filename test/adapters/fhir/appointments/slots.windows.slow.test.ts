import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Schedule } from '@medplum/fhirtypes';
import type { SlotQuery } from '../../../../src/ports/index.ts';
import { limitDays } from '../../../dialects/changes.ts';
import { startDialectProxy } from '../../../dialects/proxy.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';

const { server, id } = await startHospital();
const proxy = await startDialectProxy(server.url);
const DAY = 86_400_000;
/** More than the ids of one URL. */
const SCHEDULES = 90;
const horizon = 200;

let ports: FhirPorts;
const now = new Date().toISOString();
const search = (query: Partial<SlotQuery> = {}) =>
  ports.appointments.slots({ serviceId: id('HealthcareService/consulta-clinica'), ...query }, callNow({ now }));
const connectAnew = async () => {
  const where = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: horizon };
  ({ ports } = await connect(proxy, {}, where));
};

/** The requests for slots, by method, with the days of their window. */
const listWindows = () =>
  server.requests.all
    .filter(({ path }) => /^Slot/.test(path))
    .map(({ method, query, body }) => {
      const asked = method === 'POST' ? new URLSearchParams(body) : query;
      const [from = Number.NaN, until = Number.POSITIVE_INFINITY] = asked
        .getAll('start')
        .map((bound) => Date.parse(bound.slice(2)));
      return { method, days: (until - from) / DAY };
    });

/** Free slots of each schedule on days through the whole time. */
async function publish(): Promise<void> {
  const { id: _, ...model } = await server.read('Schedule', id('Schedule/paz-central'));
  for (let number = 0; number < SCHEDULES; number++) {
    const { id: own } = await server.create<Schedule>(model);
    for (let turn = 0; turn < 6; turn++) {
      const begins = Math.ceil(Date.now() / DAY) * DAY + (2 + turn * 30) * DAY + (780 + number) * 60_000;
      const [start = '', end] = [begins, begins + 1_200_000].map((moment) => new Date(moment).toISOString());
      const schedule = { reference: `Schedule/${own}` };
      server.load({ resourceType: 'Slot', id: `w-${number}-${turn}`, schedule, status: 'free', start, end });
    }
  }
}

const pages: readonly Partial<SlotQuery>[] = [{}, { page: { page: 0, limit: 5 } }, { page: { page: 20, limit: 50 } }];

describe('a server that takes no window of slots above', () => {
  const usual: unknown[] = [];

  beforeAll(async () => {
    server.reset();
    await publish();
    proxy.speak({});
    await connectAnew();
    for (const query of pages) usual.push(await search(query));
    // A service of so many schedules is searched by POST, which has one bound alone.
    expect(listWindows()).toContainEqual({ method: 'POST', days: Number.POSITIVE_INFINITY });
  });

  beforeEach(connectAnew);

  test.each([14, 40])('%i days has the same slots and totals, also where the search goes by POST', async (most) => {
    proxy.speak(limitDays(most, 422));
    for (const [index, query] of pages.entries()) expect(await search(query)).toEqual(usual[index]);
    server.requests.reset();
    for (const [index, query] of pages.entries()) expect(await search(query)).toEqual(usual[index]);
    const windows = listWindows().filter(({ days }) => !Number.isNaN(days));
    expect(windows.length).toBeGreaterThan(pages.length);
    expect(windows.filter(({ method }) => method === 'POST')).not.toEqual([]);
    expect(windows.filter(({ days }) => days > most)).toEqual([]);
  });
});
