import { describe, expect, test } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { concept } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();
const serviceId = () => id('HealthcareService/consulta-clinica');
const countBooked = async () => (await server.search('Appointment')).length;
const closed = (at: string) => matchFailure('invalid', { message: 'the record of this patient is closed', at });

/** Without asking the server, which would refuse some of it. */
async function change<T extends Resource['resourceType']>(type: T, name: string, changes: object): Promise<void> {
  server.load({ ...(await server.read(type, id(`${type}/${name}` as never))), ...changes } as never);
}

describe('a patient', () => {
  test.each([
    ['who is dead', { deceasedBoolean: true }],
    ['who died on a day', { deceasedDateTime: '2024-05-01' }],
    ['whose record is not in use', { active: false }],
  ])('%s gets no appointment, no coverage and no other practitioner, and is offered nothing', async (_, changes) => {
    const slot = await findSlot(ports, serviceId());
    const patientId = id('Patient/ana');
    const before = await countBooked();
    await change('Patient', 'ana', changes);
    await expect(ports.appointments.book(patientId, toBooking(slot), callNow())).rejects.toEqual(closed('patientId'));
    const card = { beneficiaryId: patientId, planId: id('InsurancePlan/osde-210'), credentialNumber: 'N-9' };
    await expect(ports.insurance.create(card, callNow())).rejects.toEqual(closed('beneficiaryId'));
    const request = ports.practitioners.requestChange(patientId, { reasonId: 'mudanza' }, callNow());
    await expect(request).rejects.toEqual(closed('patientId'));
    expect(await countBooked()).toBe(before);
    expect((await ports.appointments.slots({ serviceId: serviceId(), patientId }, callNow())).items).toEqual([]);
    expect(await ports['care-services'].available({ patientId }, callNow())).toEqual([]);
  });

  test('who is alive, as is said in so many words, is like others', async () => {
    await change('Patient', 'ana', { deceasedBoolean: false });
    const slot = await findSlot(ports, serviceId());
    await ports.appointments.book(id('Patient/ana'), toBooking(slot), callNow());
  });
});

test('a place where the practitioner does not offer the service is named, and not the time', async () => {
  const practitionerId = id('Practitioner/paz');
  const { items } = await ports.appointments.slots({ serviceId: serviceId(), practitionerId }, callNow());
  const before = await countBooked();
  const booking = { ...toBooking(items[0]!), locationId: id('Location/oeste') };
  const refused = matchFailure('invalid', { code: 'slot_unknown', at: 'locationId' });
  await expect(ports.appointments.book(id('Patient/ana'), booking, callNow())).rejects.toEqual(refused);
  expect(await countBooked()).toBe(before);
});

const past = { end: '2020-01-01' };

/** What ends the time of Dr Paz at the central site, of whom a slot is offered before. */
const ends: readonly (readonly [what: string, end: () => Promise<unknown>])[] = [
  ['the practitioner is retired', () => change('Practitioner', 'paz', { active: false })],
  [
    'the role that the schedule names has ended',
    async () => {
      const { actor, ...schedule } = await server.read('Schedule', id('Schedule/paz-central'));
      const practitioner = actor.find(({ reference }) => reference?.startsWith('Practitioner/'));
      server.load({ resourceType: 'PractitionerRole', id: 'ended', practitioner, period: past });
      const others = actor.filter((each) => each !== practitioner);
      server.load({ ...schedule, id: schedule.id ?? '', actor: [{ reference: 'PractitionerRole/ended' }, ...others] });
    },
  ],
  [
    'all roles of the practitioner have ended',
    async () => {
      const own = (await server.search('PractitionerRole')).filter(
        ({ practitioner }) => practitioner?.reference === `Practitioner/${id('Practitioner/paz')}`,
      );
      expect(own.length).toBeGreaterThan(0);
      for (const role of own) server.load({ ...role, id: role.id ?? '', period: past });
    },
  ],
  [
    'the place is suspended',
    async () => {
      const { actor } = await server.read('Schedule', id('Schedule/paz-central'));
      const [, place = ''] =
        actor
          .map(({ reference = '' }) => reference)
          .find((each) => each.startsWith('Location/'))
          ?.split('/') ?? [];
      server.load({ ...(await server.read('Location', place)), id: place, status: 'suspended' });
    },
  ],
];

describe('a time', () => {
  const find = async () => {
    const { items } = await ports.appointments.slots({ serviceId: serviceId() }, callNow());
    const schedule = `Schedule/${id('Schedule/paz-central')}`;
    const own = new Set(
      (await server.search('Slot')).filter((slot) => slot.schedule.reference === schedule).map((slot) => slot.id),
    );
    return items.filter((slot) => own.has(slot.id));
  };

  test.each(ends)('is not offered and not booked when %s', async (_, end) => {
    const [slot] = await find();
    await end();
    Object.assign(ports, (await connect(server)).ports);
    expect(await find()).toEqual([]);
    const before = await countBooked();
    await expect(ports.appointments.book(id('Patient/ana'), toBooking(slot!), callNow())).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(await countBooked()).toBe(before);
  });

  test.each(['EMERGENCY', 'WALKIN'])('that is kept for the type %s is not offered and not booked', async (code) => {
    const slot = await findSlot(ports, serviceId());
    const type = (system: string, code: string) => ({ appointmentType: concept(system, code) });
    const keep = async (changes: object) =>
      server.load({ ...(await server.read('Slot', slot.id)), id: slot.id, ...changes });
    await keep(type('http://hl7.org/fhir/v2/0276', code));
    expect((await findSlot(ports, serviceId())).id).not.toBe(slot.id);
    const booking = { ...toBooking(slot), slotId: slot.id };
    await expect(ports.appointments.book(id('Patient/ana'), booking, callNow())).rejects.toMatchObject({
      name: 'Failure',
    });
    await keep(type('http://terminology.hl7.org/CodeSystem/v2-0276', 'ROUTINE'));
    expect((await findSlot(ports, serviceId())).id).toBe(slot.id);
  });
});
