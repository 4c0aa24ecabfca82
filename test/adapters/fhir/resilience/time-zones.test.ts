import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Slot } from '@medplum/fhirtypes';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';

const { server, id } = await startHospital();

/** Chile changes its time at midnight: back on the night of 3 April 2055, forward on that of 4 September 2055. */
const santiago = { timeZone: 'America/Santiago', locale: 'es-AR', bookingHorizonDays: 400 };
const now = '2055-03-20T12:00:00.000Z';
const call = callNow({ now });
let ports: FhirPorts;

const openPorts = async (institution: typeof santiago): Promise<FhirPorts> =>
  (await connect(server, {}, institution)).ports;

/** A free slot of twenty minutes in the diary of Dr Paz. */
const publish = (start: string): Promise<Slot> =>
  server.create<Slot>({
    resourceType: 'Slot',
    schedule: { reference: `Schedule/${id('Schedule/paz-central')}` },
    status: 'free',
    start,
    end: new Date(Date.parse(start) + 20 * 60_000).toISOString(),
  });

const listOffered = async (rest: object = {}) => {
  const { items } = await ports.appointments.slots(
    { serviceId: id('HealthcareService/consulta-clinica'), from: '2055-03-20', ...rest },
    call,
  );
  return items.map(({ start, id }) => `${start} ${id}`);
};

const book = (start: string) =>
  ports.appointments.book(
    id('Patient/bruno'),
    { serviceId: id('HealthcareService/consulta-clinica'), practitionerIds: [id('Practitioner/paz')], start },
    call,
  );

const listBooked = async (rest: object = {}) =>
  (await ports.appointments.list(id('Patient/bruno'), { order: 'ascending', ...rest }, call)).items.map(
    ({ start }) => start,
  );

describe.each([hapi, medplum])('in a zone with daylight saving time, on $software', (preset) => {
  beforeEach(async () => {
    server.reset(preset);
    ports = await openPorts(santiago);
  });

  test('of a local time that comes twice the earlier moment is offered and booked', async () => {
    const first = await publish('2055-04-04T02:30:00Z');
    await publish('2055-04-04T03:30:00Z');
    expect(await listOffered()).toEqual([`2055-04-03T23:30:00 ${first.id}`]);
    await book('2055-04-03T23:30:00');
    expect(await listOffered()).toEqual([]);
    expect(await listBooked()).toEqual(['2055-04-03T23:30:00']);
    const [appointment] = await server.search('Appointment', `patient=Patient/${id('Patient/bruno')}`);
    expect(Date.parse(appointment?.start ?? '')).toBe(Date.parse('2055-04-04T02:30:00Z'));
  });

  test('a local time that is skipped cannot be booked, and the first one after it can', async () => {
    // At 04:00 UTC the local time goes from 00:00 to 01:00.
    const slot = await publish('2055-09-05T04:00:00Z');
    expect(await listOffered()).toEqual([`2055-09-05T01:00:00 ${slot.id}`]);
    for (const skipped of ['2055-09-05T00:00:00', '2055-09-05T00:30:00', '2055-09-05T00:59:59']) {
      await expect(book(skipped)).rejects.toMatchObject({
        kind: 'invalid',
        code: 'nonexistent_local_time',
        at: 'start',
      });
    }
    await book('2055-09-05T01:00:00');
    expect(await listBooked()).toEqual(['2055-09-05T01:00:00']);
  });

  test('a day of 23 hours, and one of 25, begin and end at their own midnights', async () => {
    const moments = [
      ['2055-04-03T02:59:00Z', '2055-04-02T23:59:00'],
      ['2055-04-03T03:00:00Z', '2055-04-03T00:00:00'],
      ['2055-04-04T02:59:00Z', '2055-04-03T23:59:00'],
      ['2055-04-04T04:00:00Z', '2055-04-04T00:00:00'],
      ['2055-09-05T03:59:00Z', '2055-09-04T23:59:00'],
      ['2055-09-05T04:00:00Z', '2055-09-05T01:00:00'],
      ['2055-09-06T02:59:00Z', '2055-09-05T23:59:00'],
      ['2055-09-06T03:00:00Z', '2055-09-06T00:00:00'],
    ] as const;
    for (const [moment] of moments) await publish(moment);
    const on = async (day: string) => (await listOffered({ from: day, to: day })).map((each) => each.slice(0, 19));
    const ofDay = (day: string) => moments.map(([, local]) => local).filter((local) => local.startsWith(day));
    for (const day of ['2055-04-02', '2055-04-03', '2055-04-04', '2055-09-04', '2055-09-05', '2055-09-06']) {
      expect(await on(day)).toEqual(ofDay(day));
      expect(ofDay(day).length).toBeGreaterThan(0);
    }
  });

  test('an appointment shortly before midnight is of its local day, not of that of UTC', async () => {
    await publish('2055-05-11T03:40:00Z');
    await book('2055-05-10T23:40:00');
    expect(await listBooked({ from: '2055-05-10' })).toEqual(['2055-05-10T23:40:00']);
    expect(await listBooked({ from: '2055-05-11' })).toEqual([]);
  });
});

describe('near midnight in Buenos Aires', () => {
  beforeEach(async () => {
    server.reset();
    ports = await openPorts({ timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 10 });
  });

  test('the last day that can be booked ends at its own midnight', async () => {
    await publish('2055-03-31T02:40:00Z');
    await publish('2055-03-31T03:00:00Z');
    expect((await listOffered()).map((each) => each.slice(0, 19))).toEqual(['2055-03-30T23:40:00']);
    await expect(book('2055-03-31T00:00:00')).rejects.toMatchObject({ kind: 'invalid', code: 'slot_unknown' });
    await book('2055-03-30T23:40:00');
  });

  test('every date on the wire is a bound in UTC, since servers round differently', async () => {
    await ports.appointments.list(id('Patient/ana'), { order: 'ascending', from: '2026-01-01' }, call);
    const who = { patientId: id('Patient/ana'), coverageId: id('Coverage/ana-osde') };
    await ports['care-services'].frequent(who, call);
    await listOffered({ to: '2055-03-25' });
    const bounds = server.requests.all.flatMap(({ query }) => ['date', 'start'].flatMap((name) => query.getAll(name)));
    expect(bounds.length).toBeGreaterThan(3);
    for (const bound of bounds) expect(bound).toMatch(/^(ge|lt)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});
