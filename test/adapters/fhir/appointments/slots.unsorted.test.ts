import { expect, test } from '@jest/globals';
import { startDialectProxy } from '../../../dialects/proxy.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();
const proxy = await startDialectProxy(server.url);

const page = { page: 0, limit: 5 };
const findSlots = async (from: typeof ports, query: object = {}) =>
  (await from.appointments.slots({ serviceId: id('HealthcareService/consulta-clinica'), ...query }, callNow())).items;

test('the first page has the earliest slots of a server that ignores `_sort`, also if its first rows are in order', async () => {
  const [first] = await findSlots(ports);
  const slot = await server.read('Slot', first!.id);
  const earlier = (time: string) => new Date(Date.parse(time) - 20 * 60_000).toISOString();
  server.load({ ...slot, id: 'last-row', start: earlier(slot.start), end: earlier(slot.end) });
  const expected = (await findSlots(ports, { page })).map((each) => each.id);
  expect(expected[0]).toBe('last-row');

  proxy.speak({
    ask: ({ query }) => {
      query.delete('_sort');
      return undefined;
    },
  });
  const { ports: unsorted } = await connect(proxy);
  expect((await findSlots(unsorted, { page })).map((each) => each.id)).toEqual(expected);
  expect((await findSlots(unsorted, { page })).map((each) => each.id)).toEqual(expected);
});
