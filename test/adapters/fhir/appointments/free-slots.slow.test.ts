import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Schedule, Slot } from '@medplum/fhirtypes';
import type { SlotQuery } from '../../../../src/ports/index.ts';
import { addDays } from '../../../../src/toolkit/zone.ts';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { concept, ownCodes, terms } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();
/** Beyond all slots of the hospital. */
const now = '2055-03-20T12:00:00.000Z';
const call = callNow({ now });

/** Loads a free slot of 20 minutes, so many days and steps of 20 minutes ahead. */
function publish(name: string, day: number, step: number, rest: Partial<Slot> = {}): void {
  const begins = Date.parse(`${addDays('2055-03-20', day)}T12:00:00Z`) + step * 1_200_000;
  const [start, end] = [begins, begins + 1_200_000].map((moment) => new Date(moment).toISOString());
  const schedule = { reference: `Schedule/${id('Schedule/paz-central')}` };
  server.load({ resourceType: 'Slot', id: name, schedule, status: 'free', start, end, ...rest });
}

const search = (rest: Partial<SlotQuery> = {}) =>
  ports.appointments.slots({ serviceId: id('HealthcareService/consulta-clinica'), ...rest }, call);
const listSlotRequests = () => server.requests.all.filter(({ path }) => path.startsWith('Slot'));

describe.each([hapi, medplum])('of a service with 60 schedules, on $software', (preset) => {
  beforeEach(async () => {
    server.reset(preset);
    const { id: _, ...model } = await server.read('Schedule', id('Schedule/paz-central'));
    for (let number = 1; number <= 60; number++) {
      const { id: schedule } = await server.create<Schedule>(model);
      const reference = `Schedule/${schedule}`;
      // Ten begin at each moment.
      publish(`of-${number}`, 1, number % 6, { schedule: { reference } });
    }
    Object.assign(ports, (await connect(server)).ports);
  });

  test('every slot is found, and no parameter is sent twice by POST', async () => {
    expect((await search()).items).toHaveLength(60);
    const forms = server.requests.all.filter(({ method, path }) => method === 'POST' && path.endsWith('_search'));
    for (const { body } of forms) {
      const names = [...new URLSearchParams(body).keys()];
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('every slot is on one page', async () => {
    const ids: string[] = [];
    for (let page = 0; page < 9; page++) {
      const { items, total } = await search({ page: { page, limit: 7 } });
      expect(total).toBe(60);
      ids.push(...items.map((slot) => slot.id));
    }
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });
});

describe('a page of ten of 1,200 free slots', () => {
  beforeEach(async () => {
    for (let day = 1; day <= 60; day++) {
      for (let step = 0; step < 20; step++) publish(`free-${day}-${step}`, day, step);
    }
    await search({ page: { page: 0, limit: 2 } });
    server.requests.reset();
  });

  const page = { page: 3, limit: 10 };
  const ofPage = Array.from({ length: 10 }, (_, index) => `free-2-${10 + index}`);
  const listIds = async (rest: Partial<SlotQuery> = {}) => {
    const { items, total } = await search({ page, ...rest });
    return { ids: items.map((slot) => slot.id), total };
  };

  test('reads no more than the beginning, and lets the server count', async () => {
    expect(await listIds()).toEqual({ ids: ofPage, total: 1200 });
    const counts = listSlotRequests().map(({ query }) => query.get('_count'));
    const schedules = new Set(listSlotRequests().map(({ query }) => query.get('schedule')));
    // One search for each schedule, and two that count what names a service.
    expect(counts).toEqual([...Array.from({ length: schedules.size - 1 }, () => '40'), null, null]);
  });

  test('reads no more for one kind of visit', async () => {
    expect(await listIds({ modality: 'in-person' })).toEqual({ ids: ofPage, total: 1200 });
    expect(await listIds({ modality: 'virtual' })).toEqual({ ids: [], total: 0 });
    const counts = listSlotRequests().map(({ query }) => query.get('_count'));
    expect(counts.filter((count) => count === '500')).toEqual([]);
  });

  const category = (code: string) => ({ serviceCategory: [concept(terms.actCode, code)] });

  test.each<[string, Partial<Slot>, Partial<SlotQuery>]>([
    ['is for another service', { serviceType: [concept(ownCodes('hcs'), 'CA_1040')] }, {}],
    ['is for another kind of visit', category('VR'), { modality: 'in-person' }],
  ])('has a true total where a later one %s', async (_, rest, asked) => {
    publish('free-50-7', 50, 7, rest);
    expect(await listIds(asked)).toEqual({ ids: ofPage, total: 1199 });
  });

  test('has those that say that they are virtual in a schedule that is not', async () => {
    publish('free-50-7', 50, 7, category('VR'));
    expect(await listIds({ modality: 'virtual', page: { page: 0, limit: 10 } })).toEqual({
      ids: ['free-50-7'],
      total: 1,
    });
  });

  test.each<[string, Partial<Slot>]>([
    ['is overbooked', { overbooked: true }],
    ['lasts no minute', { end: '2055-03-21T12:00:10Z' }],
  ])('has a true total once one %s among those that were read', async (_, rest) => {
    publish('free-1-0', 1, 0, rest);
    expect(await listIds()).toEqual({ ids: [...ofPage.slice(1), 'free-3-0'], total: 1199 });
  });

  test('has the rows and the total also on a server that does not count', async () => {
    server.quirks.totals = false;
    server.quirks.nextLinks = 'offset';
    expect(await listIds()).toEqual({ ids: ofPage, total: 1200 });
  });

  test('is empty beyond the end, with the total', async () => {
    expect(await listIds({ page: { page: 120, limit: 10 } })).toEqual({ ids: [], total: 1200 });
  });
});
