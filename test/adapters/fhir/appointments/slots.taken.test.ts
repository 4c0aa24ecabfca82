import { describe, expect, test } from '@jest/globals';
import type { Appointment, Slot } from '@medplum/fhirtypes';
import { capabilities } from '../../../../src/ports/index.ts';
import { to } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();
const serviceId = () => id('HealthcareService/consulta-clinica');
const patientId = () => id('Patient/ana');

/** An appointment of this status in the slot, which keeps the status that is given. */
function bookElsewhere(
  slot: Slot,
  status: Appointment['status'],
  slotStatus: Slot['status'],
  patient = 'Patient/otra',
  elements: object = {},
) {
  server.load({ ...slot, id: slot.id ?? '', status: slotStatus });
  server.load({
    resourceType: 'Appointment',
    id: 'elsewhere',
    status,
    start: slot.start,
    end: slot.end,
    slot: [{ reference: `Slot/${slot.id}` }],
    participant: [{ actor: to(patient as 'Patient/otra'), status: 'accepted' }],
    ...elements,
  });
}

describe('a slot that is free while an appointment names it', () => {
  test.each(['booked', 'pending', 'arrived'] as const)('that is %s is neither offered nor booked', async (status) => {
    const offer = await findSlot(ports, serviceId());
    bookElsewhere(await server.read('Slot', offer.id), status, 'free');
    const listIds = async (page?: { page: number; limit: number }) => {
      const { items } = await ports.appointments.slots({ serviceId: serviceId(), ...(page && { page }) }, callNow());
      return items.map((each) => each.id);
    };
    expect(await listIds()).not.toContain(offer.id);
    expect(await listIds({ page: 0, limit: 5 })).not.toContain(offer.id);
    const booking = { ...toBooking(offer), slotId: offer.id };
    const before = (await server.search('Appointment')).length;
    await expect(ports.appointments.book(patientId(), booking, callNow())).rejects.toEqual(
      matchFailure('conflict', { code: 'slot_taken' }),
    );
    expect(await server.search('Appointment')).toHaveLength(before);
  });

  test.each<[string, object]>([
    ['a start without a zone', { start: '2026-12-01T09:00:00' }],
    ['a length in words', { minutesDuration: 'veinte' }],
    ['a status in another form', { status: ['booked'] }],
  ])('that cannot be read, because it has %s, is neither offered nor booked', async (_, elements) => {
    const offer = await findSlot(ports, serviceId());
    bookElsewhere(await server.read('Slot', offer.id), 'booked', 'free', 'Patient/otra', elements);
    expect((await findSlot(ports, serviceId())).id).not.toBe(offer.id);
    await expect(
      ports.appointments.book(patientId(), { ...toBooking(offer), slotId: offer.id }, callNow()),
    ).rejects.toEqual(matchFailure('conflict', { code: 'slot_taken' }));
  });

  test.each([
    ['is cancelled', {}],
    ['is cancelled, and cannot be read,', { minutesDuration: 'veinte' }],
  ])('that %s is offered and booked', async (_, elements) => {
    const offer = await findSlot(ports, serviceId());
    bookElsewhere(await server.read('Slot', offer.id), 'cancelled', 'free', 'Patient/otra', elements);
    expect((await findSlot(ports, serviceId())).id).toBe(offer.id);
    await ports.appointments.book(patientId(), { ...toBooking(offer), slotId: offer.id }, callNow());
  });

  test('is counted by an examination', async () => {
    const offer = await findSlot(ports, serviceId());
    bookElsewhere(await server.read('Slot', offer.id), 'booked', 'free');
    const { readiness } = await connect(server);
    const { signal } = new AbortController();
    const findings = await Array.fromAsync(readiness.examine?.({ signal, uses: new Set(capabilities) }) ?? []);
    const told = findings.filter(({ detail }) => detail.includes('a booked appointment names them'));
    expect(told).toEqual([expect.objectContaining({ check: 'free slots', detail: expect.stringMatching(/^1 of /) })]);
  });
});

describe('a slot that is held for an appointment', () => {
  test('is free again when that is canceled, and is offered', async () => {
    const offer = await findSlot(ports, serviceId());
    bookElsewhere(await server.read('Slot', offer.id), 'pending', 'busy-tentative', `Patient/${patientId()}`);
    expect((await findSlot(ports, serviceId())).id).not.toBe(offer.id);
    const call = callNow({ now: new Date(Date.now() - 2 * 86_400_000).toISOString() });
    await ports.appointments.cancel(patientId(), 'elsewhere', call);
    expect(await server.read('Slot', offer.id)).toMatchObject({ status: 'free' });
    expect((await findSlot(ports, serviceId())).id).toBe(offer.id);
  });

  test('stays held while another appointment names it', async () => {
    const offer = await findSlot(ports, serviceId());
    bookElsewhere(await server.read('Slot', offer.id), 'pending', 'busy-tentative', `Patient/${patientId()}`);
    server.load({
      ...(await server.read('Appointment', 'elsewhere')),
      id: 'other',
      participant: [{ actor: to('Patient/otra'), status: 'accepted' }],
    });
    const call = callNow({ now: new Date(Date.now() - 2 * 86_400_000).toISOString() });
    await ports.appointments.cancel(patientId(), 'elsewhere', call);
    expect(await server.read('Slot', offer.id)).toMatchObject({ status: 'busy-tentative' });
  });
});
