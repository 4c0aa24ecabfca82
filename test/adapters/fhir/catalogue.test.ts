import { describe, expect, test } from '@jest/globals';
import type { Location, OrganizationAffiliation, PractitionerRole } from '@medplum/fhirtypes';
import { callNow } from '../../support/fhir-calls.ts';
import { setUpHospital } from '../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital({ cacheSeconds: 0 });

describe('what an institution has', () => {
  test.each(['suspended', 'inactive'] as const)('is in no list while it is %s', async (status) => {
    const central = id('Location/central');
    const shown = async () => [
      (await ports.directory.locations(callNow())).map((each) => each.id).includes(central),
      (await ports.directory.entries(callNow())).map(({ location }) => location.id).includes(central),
    ];
    expect(await shown()).toEqual([true, true]);
    const location = await server.read('Location', central);
    await server.update<Location & { id: string }>({ ...location, status });
    expect(await shown()).toEqual([false, false]);
  });

  test('has an empty name where the server has none', async () => {
    const central = id('Location/central');
    const shown = async () => (await ports.directory.locations(callNow())).find((each) => each.id === central)?.name;
    expect(await shown()).toBe('Sede Central');
    const { name: _, ...nameless } = await server.read('Location', central);
    await server.update<Location & { id: string }>(nameless);
    expect(await shown()).toBe('');
  });

  test('lies where its coordinates say, in this order', async () => {
    const location = await server.read('Location', id('Location/central'));
    const shown = async () =>
      (await ports.directory.entries(callNow())).find((each) => each.location.id === location.id)?.location;
    expect(await shown()).toMatchObject({ latitude: '', longitude: '' });
    const position = { latitude: -34.6118, longitude: -58.396 };
    await server.update<Location & { id: string }>({ ...location, position });
    expect(await shown()).toMatchObject({ latitude: '-34.6118', longitude: '-58.396' });
  });

  test('is a contract with a carrier only as long as it lasts', async () => {
    const ownerId = id('Organization/sanatorio-del-puente');
    const carriers = async () => (await ports.insurance.carriers({ ownerId }, callNow())).map((each) => each.id);
    const before = await carriers();
    const osde = id('Organization/osde');
    expect(before).toContain(osde);
    const affiliations = await server.search('OrganizationAffiliation');
    const reference = `Organization/${osde}`;
    for (const each of affiliations.filter((each) => each.participatingOrganization?.reference === reference)) {
      await server.update<OrganizationAffiliation & { id: string }>({ ...each, active: false });
    }
    expect(await carriers()).toEqual(before.filter((each) => each !== osde));
  });
});

describe('a part of the catalogue of which nothing can be read', () => {
  test('is a bad answer, not an institution without any of it', async () => {
    const [, ...others] = await server.search('HealthcareService');
    for (const each of await server.search('HealthcareService')) server.load({ ...each, active: 'yes' });
    const ask = () => ports.appointments.slots({ serviceId: 'unknown' }, callNow());
    const failure = { kind: 'bad_answer', at: 'HealthcareService/active' };
    await expect(ask()).rejects.toMatchObject(failure);
    await expect(ports['care-services'].available({}, callNow())).rejects.toMatchObject(failure);
    const [one] = others;
    if (one) server.load({ ...one });
    await expect(ask()).rejects.toMatchObject({ kind: 'invalid', at: 'serviceId' });
  });
});

describe('a practitioner', () => {
  const shown = async (name: string) =>
    (await ports.practitioners.list(callNow())).find((each) => each.id === id(`Practitioner/${name}`));
  const roleOf = async (name: string) => server.read('PractitionerRole', id(`PractitionerRole/${name}`));
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  test('has the specialty and the hours of the own roles alone', async () => {
    expect(await shown('paz')).toMatchObject({
      specialty: 'Clínica médica',
      workingHours: 'Lun-Vie: 09:00-12:00; Mar, Jue: 15:00-18:00',
    });
    expect(await shown('vidal')).toMatchObject({ specialty: 'Cardiología', workingHours: 'Lun-Vie: 09:00-12:00' });
  });

  test.each<[what: string, available: boolean, change: () => Partial<PractitionerRole>]>([
    ['with nothing said against it', true, () => ({})],
    ['whose role is not active', false, () => ({ active: false })],
    ['whose role is over', false, () => ({ period: { end: day(-2) } })],
    ['whose role has not begun', false, () => ({ period: { start: day(2) } })],
    ['who is away', false, () => ({ notAvailable: [{ description: 'x', during: { start: day(-2), end: day(2) } }] })],
    ['who was away', true, () => ({ notAvailable: [{ description: 'x', during: { start: day(-4), end: day(-2) } }] })],
  ])('%s is available: %s', async (_, available, change) => {
    const role = await roleOf('vidal');
    await server.update<typeof role>({ ...role, ...change() });
    expect((await shown('vidal'))?.available).toBe(available);
  });

  test('who has left is not available', async () => {
    const practitioner = await server.read('Practitioner', id('Practitioner/vidal'));
    await server.update<typeof practitioner>({ ...practitioner, active: false });
    expect((await shown('vidal'))?.available).toBe(false);
  });
});
