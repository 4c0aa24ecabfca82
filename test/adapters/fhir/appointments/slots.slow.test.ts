import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Schedule } from '@medplum/fhirtypes';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import { type Answer, toJsonAnswer } from '../../../fhir-server/response.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';

const { server, id } = await startHospital();
const DAY = 86_400_000;
const page = { page: 0, limit: 5 };

let ports: FhirPorts;
beforeEach(async () => {
  server.reset();
  const { id: _, ...model } = await server.read('Schedule', id('Schedule/paz-central'));
  for (let number = 0; number < 4; number++) {
    const { id: own } = await server.create<Schedule>(model);
    for (const [index, status] of (['free', 'busy', 'free', 'free'] as const).entries()) {
      const begins = Math.ceil(Date.now() / DAY) * DAY + DAY + (15 * 60 + 20 * index + number) * 60_000;
      const [start = '', end] = [begins, begins + 1_200_000].map((moment) => new Date(moment).toISOString());
      const schedule = { reference: `Schedule/${own}` };
      server.load({ resourceType: 'Slot', id: `s-${number}-${index}`, schedule, status, start, end });
    }
  }
});

const search = (query: object = { page }) =>
  ports.appointments.slots({ serviceId: id('HealthcareService/consulta-clinica'), ...query }, callNow());

/** What HAPI on H2 needs minutes for. */
const isSlowOnH2 = ({ path, query }: LoggedRequest) =>
  path === 'Slot' && query.get('status') === 'free' && query.has('_sort') && query.get('schedule')?.includes(',');

const countSlotSearches = () => server.requests.all.filter(({ path }) => path.startsWith('Slot')).length;

describe('a server that answers no search for free slots of several schedules in time', () => {
  beforeEach(async () => {
    ({ ports } = await connect(server, { timeout: 1_000 }));
  });

  test('is asked for those that are not taken, at once and from then on', async () => {
    const pages = [{ page }, { page: { page: 1, limit: 5 } }, {}];
    const expected = [];
    for (const each of pages) expected.push(await search(each));
    ({ ports } = await connect(server, { timeout: 1_000 }));
    server.quirks.fault = (request) => (isSlowOnH2(request) ? { commits: false, answer: 'hang' } : undefined);
    expect(await search({ page })).toEqual(expected[0]);
    server.requests.reset();
    for (const [index, each] of pages.entries()) expect(await search(each)).toEqual(expected[index]);
    expect(server.requests.all.filter(isSlowOnH2)).toEqual([]);
    // Two pages with two counts for the slots of other services each, and a list.
    expect(countSlotSearches()).toBe(7);
  });

  test('is asked for each schedule alone where it does not heed what is excluded', async () => {
    const expected = await search();
    ({ ports } = await connect(server, { timeout: 1_000 }));
    server.quirks.fault = (request) => {
      if (isSlowOnH2(request)) return { commits: false, answer: 'hang' };
      if (!request.query.has('status:not')) return undefined;
      const all = toJsonAnswer(200, { resourceType: 'Bundle', type: 'searchset', total: 20 });
      return { commits: true, answer: (): Answer => all };
    };
    expect((await search()).total).toBe(expected.total);
    expect((await search()).total).toBe(expected.total);
    expect(server.requests.all.filter(({ query }) => query.has('status:not'))).toHaveLength(1);
  });
});
