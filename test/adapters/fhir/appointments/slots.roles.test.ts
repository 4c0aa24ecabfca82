import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../../../src/ports/index.ts';
import { addDays, Zone } from '../../../../src/toolkit/zone.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { toBooking } from '../../../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ...hospital } = await setUpHospital();
const zone = new Zone('America/Argentina/Buenos_Aires');

const serviceId = () => id('HealthcareService/consulta-clinica');
const practitionerId = () => id('Practitioner/paz');
const list = async (ports: typeof hospital.ports, more: object = {}) =>
  ports.appointments.slots({ serviceId: serviceId(), practitionerId: practitionerId(), ...more }, callNow());

/** The adapter after all roles of Dr Paz got this period. */
async function limitRoles(period: object) {
  for (const role of await server.search('PractitionerRole')) {
    if (role.practitioner?.reference !== `Practitioner/${practitionerId()}`) continue;
    server.load({ ...role, id: role.id ?? '', period });
  }
  return (await connect(server, { transactions: 'trust' })).ports;
}

describe('the role of a practitioner', () => {
  test.each([
    ['ends', (day: string) => ({ end: day }), (start: string, day: string) => start.slice(0, 10) <= day],
    ['begins', (day: string) => ({ start: day }), (start: string, day: string) => start.slice(0, 10) >= day],
  ])(
    'that %s within the horizon has only the slots of its period, and no others are booked',
    async (_, toPeriod, isIn) => {
      const all = (await list(hospital.ports)).items;
      const day = all[Math.floor(all.length / 2)]?.start.slice(0, 10) ?? '';
      const [inside, outside] = [true, false].map((wanted) => all.filter(({ start }) => isIn(start, day) === wanted));
      expect([inside?.length, outside?.length]).not.toContain(0);
      const ports = await limitRoles(toPeriod(day));
      expect((await list(ports)).items).toEqual(inside);
      const page = await list(ports, { page: { page: 0, limit: 3 } });
      expect(page).toEqual({ items: inside?.slice(0, 3), total: inside?.length });
      const book = (booking: Booking) => ports.appointments.book(id('Patient/bruno'), booking, callNow());
      await expect(book(toBooking(outside![0]!))).rejects.toEqual(matchFailure('invalid', { code: 'slot_unknown' }));
      await expect(book(toBooking(inside![0]!))).resolves.toHaveProperty('id');
    },
  );

  test('that lasts beyond the horizon takes no more searches for a page than one without an end', async () => {
    const countSearches = async (ports: typeof hospital.ports) => {
      server.requests.reset();
      const { total } = await list(ports, { page: { page: 0, limit: 1 } });
      return { total, searches: server.requests.calls.filter((each) => each === 'GET Slot').length };
    };
    const unlimited = await countSearches((await connect(server, { transactions: 'trust' })).ports);
    const ports = await limitRoles({ end: addDays(zone.toLocalDay(callNow().now), 400) });
    expect(await countSearches(ports)).toEqual(unlimited);
  });
});
