import { describe, expect, test } from '@jest/globals';
import type { HealthcareService, Location, PractitionerRole, Schedule } from '@medplum/fhirtypes';
import type { SlotQuery } from '../../../src/ports/index.ts';
import { concept } from '../../hospital-in-fhir/terms.ts';
import { connect } from '../../support/fhir-adapter.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { setUpHospital } from '../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital({ transactions: 'trust' }, { isReady: true });

const getSite = () => id('Location/central');
/** A room of the central site. */
const getRoom = () => id('Location/consultorio-12');
const refer = (locationId: string) => ({ reference: `Location/${locationId}` });
const physicalType = (code: string) =>
  concept('http://terminology.hl7.org/CodeSystem/location-physical-type', code) satisfies Location['physicalType'];

const create = (location: Omit<Location, 'resourceType'>) =>
  server.create<Location>({ resourceType: 'Location', status: 'active', ...location });
/** Without asking the server, which refuses references to what is gone. */
async function change(locationId: string, changes: Partial<Location>): Promise<void> {
  server.load({ ...(await server.read('Location', locationId)), ...changes });
}

/** Dr Paz then receives at the central site in that place alone. */
async function movePaz(locationId: string): Promise<void> {
  const schedule = await server.read('Schedule', id('Schedule/paz-central'));
  const actor = schedule.actor.filter(({ reference }) => !reference?.startsWith('Location/'));
  await server.update<Schedule & { id: string }>({ ...schedule, actor: [...actor, refer(locationId)] });
}

const findService = () => id('HealthcareService/consulta-clinica');
const listSlots = async (query: Partial<SlotQuery> = {}, from = ports) =>
  (await from.appointments.slots({ serviceId: findService(), ...query }, callNow())).items;
const listPlaces = async (query: Partial<SlotQuery> = {}) =>
  [...new Set((await listSlots(query)).map(({ locationId }) => locationId))].toSorted();

describe('a slot in a room', () => {
  test('is shown at the site of the room, and found there, in the room and without a place', async () => {
    const before = await listSlots({ locationId: getSite() }, (await connect(server)).ports);
    expect(before.length).toBeGreaterThan(0);
    await movePaz(getRoom());
    const listed = (await ports.directory.locations(callNow())).map((each) => each.id);
    expect(listed).not.toContain(getRoom());
    expect(await listPlaces()).toEqual([getSite(), id('Location/norte')].toSorted());
    expect(await listSlots({ locationId: getSite() })).toEqual(before);
    expect(await listSlots({ locationId: getRoom() })).toEqual(before);
    expect(await listPlaces({ locationId: id('Location/norte') })).toEqual([id('Location/norte')]);
  });

  test('is booked with the place that was shown, and the appointment is there, in that room', async () => {
    await movePaz(getRoom());
    const [slot] = await listSlots({ locationId: getSite() });
    if (!slot) throw new Error('no slot is offered');
    const { id: slotId, start, serviceId, practitionerId, locationId } = slot;
    const patientId = id('Patient/bruno');
    const booking = { serviceId, practitionerIds: [practitionerId], start, locationId, slotId };
    const elsewhere = { ...booking, locationId: id('Location/norte') };
    await expect(ports.appointments.book(patientId, elsewhere, callNow())).rejects.toMatchObject({ kind: 'invalid' });
    const booked = await ports.appointments.book(patientId, booking, callNow());
    const { items } = await ports.appointments.list(patientId, { order: 'ascending' }, callNow());
    const location = { id: slot.locationId, name: 'Sede Central, Consultorio 12' };
    expect(items.find((each) => each.id === booked.id)?.location).toEqual(location);
    const { participant } = await server.read('Appointment', booked.id);
    expect(participant?.map(({ actor }) => actor?.reference)).toContain(`Location/${getRoom()}`);
  });

  test('of which a role or the service tells is shown at the site too', async () => {
    const role = await server.read('PractitionerRole', id('PractitionerRole/paz'));
    await server.update<PractitionerRole & { id: string }>({ ...role, location: [refer(getRoom())] });
    const schedule = await server.read('Schedule', id('Schedule/paz-central'));
    const ofRole = { ...schedule, actor: [{ reference: `PractitionerRole/${role.id}` }] };
    await server.update<Schedule & { id: string }>(ofRole);
    expect(await listPlaces()).toEqual([getSite(), id('Location/norte')].toSorted());
    const service = await server.read('HealthcareService', findService());
    await server.update<HealthcareService & { id: string }>({ ...service, location: [refer(getRoom())] });
    await server.update<Schedule & { id: string }>({ ...schedule, actor: schedule.actor.slice(0, 1) });
    Object.assign(ports, (await connect(server)).ports);
    expect(await listPlaces()).toEqual([getSite(), id('Location/norte')].toSorted());
  });

  test('is shown at the nearest of the sites that the room is in, and found at each', async () => {
    const building = await create({ physicalType: physicalType('bu'), partOf: refer(getSite()) });
    const ward = await create({ physicalType: physicalType('wa'), partOf: refer(building.id) });
    await change(getRoom(), { partOf: refer(ward.id) });
    await movePaz(getRoom());
    for (const locationId of [getRoom(), ward.id, building.id, getSite()]) {
      expect(await listPlaces({ locationId })).toEqual([building.id]);
    }
  });

  test('is at the whole where no place is marked as a site', async () => {
    for (const { physicalType: _, ...location } of await server.search('Location')) server.load(location);
    await movePaz(getRoom());
    expect(await listPlaces({ locationId: getSite() })).toEqual([getSite()]);
  });

  test.each<[what: string, arrange: () => Promise<Partial<Location>>]>([
    ['whose whole is gone', async () => ({ partOf: refer('gone') })],
    ['whose whole is known by a name alone', async () => ({ partOf: { display: 'Hospital Zonal' } })],
    ['whose whole is closed', async () => ({ partOf: refer((await create({ status: 'inactive' })).id) })],
    [
      'whose whole is closed and in a site',
      async () => ({ partOf: refer((await create({ status: 'suspended', partOf: refer(getSite()) })).id) }),
    ],
    ['whose whole is a part of it', async () => ({ partOf: refer((await create({ partOf: refer(getRoom()) })).id) })],
    ['that is its own whole', async () => ({ partOf: refer(getRoom()) })],
  ])('in a room %s is shown there, and can be booked there', async (_, arrange) => {
    await change(getRoom(), await arrange());
    await movePaz(getRoom());
    const [slot] = await listSlots({ locationId: getRoom() });
    expect(slot?.locationId).toBe(getRoom());
    expect(await listSlots({ locationId: getSite() })).toEqual([]);
    const practitionerIds = [id('Practitioner/paz')];
    const booking = { serviceId: findService(), practitionerIds, start: slot?.start ?? '', locationId: getRoom() };
    const patientId = id('Patient/bruno');
    const booked = await ports.appointments.book(patientId, booking, callNow());
    const { items } = await ports.appointments.list(patientId, { order: 'ascending' }, callNow());
    expect(items.find((each) => each.id === booked.id)?.location).toEqual({ id: getRoom(), name: 'Consultorio 12' });
  });

  test('needs one call more, and none once the locations are known', async () => {
    // No schedule names this site itself.
    const locationId = id('Location/sur');
    await change(getRoom(), { partOf: refer(locationId) });
    await movePaz(getRoom());
    expect(await listPlaces({ locationId })).toEqual([locationId]);
    const calls = ['GET HealthcareService', 'GET Location', 'GET PractitionerRole', 'GET Schedule', 'GET Slot'];
    expect(server.requests.calls.toSorted()).toEqual(calls);
    server.requests.reset();
    await listSlots({ locationId });
    expect(server.requests.calls).toEqual(['GET Slot']);
  });
});

describe('the directory', () => {
  const findEntry = async (locationId: string) =>
    (await ports.directory.entries(callNow())).find(({ location }) => location.id === locationId);
  const findPeople = async (locationId: string) =>
    (await findEntry(locationId))?.providers.filter(({ type }) => type === 'practitioner').map((each) => each.id);
  const placeRole = async (name: string, locationIds: readonly string[]) => {
    const role = await server.read('PractitionerRole', id(`PractitionerRole/${name}`));
    await server.update<PractitionerRole & { id: string }>({ ...role, location: locationIds.map(refer) });
  };

  test('has a practitioner of a room at the site, once, and nowhere else', async () => {
    const role = await server.read('PractitionerRole', id('PractitionerRole/vidal'));
    await placeRole('vidal', [getRoom()]);
    await server.create<PractitionerRole>({ ...role, specialty: [{ text: 'Ergometría' }] });
    const vidal = id('Practitioner/vidal');
    expect((await findPeople(getSite()))?.filter((each) => each === vidal)).toEqual([vidal]);
    const { providers = [] } = (await findEntry(getSite())) ?? {};
    expect(providers.find((each) => each.id === vidal)?.description).toBe('Cardiología, Ergometría');
    expect(await findPeople(id('Location/norte'))).not.toContain(vidal);
    expect(await findEntry(getRoom())).toBeUndefined();
  });

  test('has nobody at a site who is in a room of it that is closed', async () => {
    await placeRole('vidal', [getRoom()]);
    await change(getRoom(), { status: 'suspended' });
    expect(await findPeople(getSite())).not.toContain(id('Practitioner/vidal'));
  });

  test('has a service that is given in a room and in another among those of the site, once', async () => {
    const another = await create({ partOf: refer(getRoom()) });
    const service = await server.read('HealthcareService', findService());
    const location = [refer(getRoom()), refer(another.id)];
    await server.update<HealthcareService & { id: string }>({ ...service, location });
    const { providers = [] } = (await findEntry(getSite())) ?? {};
    const { services = [] } = providers.find(({ type }) => type === 'clinic') ?? {};
    expect(services.filter((each) => each.id === service.id)).toHaveLength(1);
  });
});
