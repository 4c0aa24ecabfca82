import { describe, expect, test } from '@jest/globals';
import { createPorts, memory } from '../../../adapters/memory/index.ts';
import { loadWorld } from '../../../adapters/memory/load-world.ts';
import { findBundledWorld, readWorld } from '../../../adapters/memory/world-file.ts';
import {
  type Capability,
  capabilities,
  Failure,
  listOffered,
  type PatientRegistration,
  type PortName,
} from '../../../src/ports/index.ts';
import { makeCall, makeSmallWorld, openHospital } from './small-world.ts';

const newcomer: PatientRegistration = {
  identifier: { type: 'DNI', value: '40111222' },
  birthDate: '1997-07-09',
  gender: 'Other',
};

describe('the memory adapter', () => {
  test('offers every method of every port, and no other', async () => {
    const { retryableWrites: _, ...offer } = await memory.offer(
      {},
      { timeZone: 'UTC', locale: 'es-AR', bookingHorizonDays: 60 },
      {},
    );
    const methods = Object.entries(offer).flatMap(([name, port]) => {
      return Object.keys(port).map((method) => `${name}.${method}`);
    });
    expect(listOffered(offer)).toEqual(capabilities);
    expect(methods.toSorted()).toEqual(capabilities.toSorted());
  });

  test.each(capabilities)(
    '%s fails with timeout, before it does anything, once the deadline has passed',
    async (capability) => {
      const hospital = openHospital();
      const late = makeCall(undefined, AbortSignal.abort());
      const failure = await invoke(hospital, capability, late).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Failure);
      expect(failure).toMatchObject({ kind: 'timeout' });
    },
  );

  test('takes what was created last for the latest, in whatever order its file has it', async () => {
    const world = makeSmallWorld();
    const rows = Object.entries({ middle: 5, last: 1, first: 9 }).map(([id, daysAgo]) => ({
      id,
      patientId: 'ana',
      created: { daysAgo },
    }));
    const { practitioners, tickets } = openHospital({
      ...world,
      changeRequests: rows.map((row) => ({ ...row, reasonId: 'mudanza', status: 'completed' as const })),
      tickets: rows.map((row) => ({ ...row, ticketTypeId: 'receta', updated: { daysAgo: 0 } })),
    });
    expect(await practitioners.changeRequestOf('ana', makeCall())).toMatchObject({ id: 'last' });
    expect((await tickets.list('ana', {}, makeCall())).map(({ id }) => id)).toEqual(['last', 'middle', 'first']);
  });

  test('keeps nothing of an argument that its caller goes on to change', async () => {
    const { patients } = openHospital();
    const person = { ...newcomer, identifier: { ...newcomer.identifier }, address: { city: 'Rosario' } };
    const { id } = await patients.register(person, makeCall());
    person.address.city = 'Salta';
    person.identifier.value = '1';
    expect(await patients.get(id, makeCall())).toMatchObject({
      address: { city: 'Rosario' },
      identifier: newcomer.identifier,
    });
  });

  test.each([
    ['es-AR', ['Neurología', 'ñandú', 'Ögon', 'Zoner']],
    ['sv', ['ñandú', 'Neurología', 'Zoner', 'Ögon']],
  ])('lists by name in the order of the institution’s language, %s', async (locale, names) => {
    const file = readWorld(findBundledWorld());
    const rename = <T>(rows: readonly T[]) => names.toReversed().map((name, index) => ({ ...rows[index]!, name }));
    const world = {
      ...file,
      services: [...rename(file.services), ...file.services.slice(4)],
      carriers: [...rename(file.carriers), ...file.carriers.slice(4)],
    };
    const institution = { timeZone: 'UTC', locale, bookingHorizonDays: 60 };
    const hospital = createPorts(loadWorld(world, institution, new Date().toISOString()));
    const known = new Set(names);
    const list = (rows: readonly { readonly name: string }[]) =>
      rows.map(({ name }) => name).filter((name) => known.has(name));
    expect(list(await hospital['care-services'].available({}, makeCall()))).toEqual(names);
    expect(list(await hospital.insurance.carriers({}, makeCall()))).toEqual(names);
  });

  test('keeps nothing of the data that it was made of', async () => {
    const world = makeSmallWorld();
    const { patients, directory, insurance } = openHospital(world);
    world.patients[0]!.address = { city: 'Salta' };
    world.locations[0]!.address.city = 'Salta';
    world.carriers[0]!.plans!.pop();
    expect((await patients.get('ana', makeCall())).address).toEqual({});
    expect((await directory.locations(makeCall()))[0]?.address).toEqual({});
    expect(await insurance.plans('osde', makeCall())).toHaveLength(1);
  });

  test('hands out nothing through which a caller could change it', async () => {
    const hospital = openHospital();
    const call = makeCall();
    const read = async () => ({
      patient: await hospital.patients.get('ana', call),
      types: await hospital.tickets.types(call),
      tickets: await hospital.tickets.list('ana', {}, call),
      appointments: await hospital.appointments.list('ana', { order: 'ascending' }, call),
      slots: await hospital.appointments.slots({ serviceId: 'clinica' }, call),
      carriers: await hospital.insurance.carriers({}, call),
      plans: await hospital.insurance.plans('osde', call),
      coverages: await hospital.insurance.coverages('ana', call),
      practitioners: await hospital.practitioners.list(call),
      reasons: await hospital.practitioners.changeReasons(call),
      services: await hospital['care-services'].available({}, call),
      relatives: await hospital['family-groups'].list('ana', call),
      locations: await hospital.directory.locations(call),
    });
    const before = structuredClone(await read());
    spoil(await read());
    expect(await read()).toEqual(before);
  });
});

describe('patients of the memory adapter', () => {
  test('get numbers of their own also after the longest that is counted', async () => {
    const world = makeSmallWorld();
    world.patients[1]!.medicalRecordId = 'HC-999999999999';
    const { patients } = openHospital(world);
    const numbers = [];
    for (const value of ['40111222', '40111223']) {
      const { medicalRecordId } = await patients.register(
        { ...newcomer, identifier: { type: 'DNI', value } },
        makeCall(),
      );
      numbers.push(medicalRecordId);
    }
    expect(numbers).toEqual(['HC-1000000000000', 'HC-1000000000001']);
  });

  test('get the next number of a clinical record when they register', async () => {
    const world = makeSmallWorld();
    world.patients[1]!.medicalRecordId = 'HC-000041';
    const { patients } = openHospital(world);
    expect((await patients.register(newcomer, makeCall())).medicalRecordId).toBe('HC-000042');
    const another = { ...newcomer, identifier: { type: 'DNI', value: '40111223' }, medicalRecordId: 'X-9' } as const;
    expect((await patients.register(another, makeCall())).medicalRecordId).toBe('X-9');
  });
});

describe('insurance of the memory adapter', () => {
  test('is an empty list of contracts for the institution itself, which has none', async () => {
    const carriers = openHospital().insurance.carriers({ ownerId: 'clinica' }, makeCall());
    expect(await carriers).toEqual([]);
  });

  test('sells no plan of a carrier that is inactive', async () => {
    const { insurance } = openHospital();
    expect(await insurance.plans('Vieja', makeCall())).toEqual([{ id: 'vieja-a', name: 'A', active: false }]);
    const coverage = { beneficiaryId: 'ana', planId: 'vieja-a', credentialNumber: '9' };
    await expect(insurance.create(coverage, makeCall())).rejects.toMatchObject({ kind: 'invalid', at: 'planId' });
  });

  test('shows an edited coverage in the appointments that it pays for', async () => {
    const world = makeSmallWorld();
    world.appointments[0]!.coverageId = 'ana-osde';
    const { insurance, appointments } = openHospital(world);
    await insurance.edit('ana-osde', { credentialNumber: '77' }, makeCall());
    const { items } = await appointments.list('ana', { order: 'ascending' }, makeCall());
    expect(items[0]?.coverage?.credentialNumber).toBe('77');
  });
});

describe('tickets of the memory adapter', () => {
  test('refuse the key of a ticket for that of another patient, of another type or with other words', async () => {
    const world = makeSmallWorld();
    world.ticketTypes.push({ id: 'orden', title: 'Orden', fields: [] });
    const { tickets } = openHospital(world);
    const call = { ...makeCall(), idempotencyKey: 'k-1' };
    const open = (patientId: string, ticketTypeId = 'receta', observations = '') =>
      tickets.open(patientId, ticketTypeId, { observations, fields: [] }, call);
    const { id } = await open('ana');
    const refused = { kind: 'invalid', code: 'idempotency_key_reused' };
    await expect(open('bruno')).rejects.toMatchObject(refused);
    await expect(open('ana', 'orden')).rejects.toMatchObject(refused);
    await expect(open('ana', 'receta', 'por favor')).rejects.toMatchObject(refused);
    expect((await open('ana')).id).toBe(id);
    expect(await tickets.list('bruno', {}, makeCall())).toEqual([]);
  });
});

describe('frequent services of the memory adapter', () => {
  test('count what was booked in the last 24 months and not canceled', async () => {
    const world = makeSmallWorld();
    const row = { patientId: 'ana', week: -1, day: 'MONDAY', time: '09:00' } as const;
    world.appointments = [
      { ...row, id: 'a', scheduleId: 'paz-central' },
      { ...row, id: 'b', scheduleId: 'sosa-central', time: '09:20' },
      { ...row, id: 'c', scheduleId: 'paz-central', week: -2, status: 'canceled' },
      { ...row, id: 'd', scheduleId: 'paz-central', week: -104 },
      { ...row, id: 'e', scheduleId: 'paz-central', week: -105 },
    ];
    const services = openHospital(world)['care-services'];
    const frequent = async (moment: string) =>
      (await services.frequent({ patientId: 'ana', coverageId: 'ana-osde' }, makeCall(moment))).map(({ id }) => id);
    expect(await frequent('2026-10-14T12:00:00.000Z')).toEqual(['clinica', 'gineco']);
    expect(await frequent('2026-10-15T12:00:00.000Z')).toEqual(['gineco', 'clinica']);
  });
});

/** Calls the method with names that exist, so that nothing but the deadline can be what it fails with. */
function invoke(
  hospital: ReturnType<typeof openHospital>,
  capability: Capability,
  call: ReturnType<typeof makeCall>,
): Promise<unknown> {
  const [name, method] = capability.split('.') as [PortName, string];
  const port = hospital[name];
  const run: unknown = Reflect.get(port, method);
  if (typeof run !== 'function') throw new Error(`${capability} is no method`);
  const others = Array.from({ length: run.length - 1 }, (_, index) => (index === 0 ? 'ana' : {}));
  return Reflect.apply(run, port, [...others, call]) as Promise<unknown>;
}

/** Changes whatever lets itself be changed, all the way down. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    spoil(Reflect.get(value, key));
    Reflect.set(value, key, 'spoilt');
    Reflect.deleteProperty(value, key);
  }
}
