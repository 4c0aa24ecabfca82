import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { listActive, openOpenmrs, patientId, practitionerId, serviceId } from '../../../support/openmrs.ts';

const cardiology = '5e000000-0000-4000-8000-000000000502';
const cardiologist = '40f00000-0000-4000-8000-000000061877';

/** A hospital in which a slot is booked, and who lists what is free then. */
async function openBooked(change?: (text: string) => string) {
  const { openmrs, ports } = await openOpenmrs(change);
  const { appointments } = ports;
  const list = async (of: object) => (await appointments!.slots!({ serviceId, ...of }, callNow())).items;
  const [slot] = await list({ practitionerId, locationId: '10c00000-0000-4000-8000-000000000001' });
  const booking = { serviceId, practitionerIds: [practitionerId], start: slot!.start };
  await appointments!.book!(patientId, booking, callNow());
  const [appointment] = listActive(openmrs);
  /** Whether the time of the slot is free. */
  const isFree = async (of: object = { practitionerId }) => (await list(of)).some(({ start }) => start === slot!.start);
  const ofCardiologist = { serviceId: cardiology, practitionerId: cardiologist };
  const second = openmrs.hospital.providers.find(({ uuid }) => uuid === cardiologist)!;
  return { openmrs, slot: slot!, appointment: appointment!, isFree, ofCardiologist, second };
}

test('what was canceled in the system takes no time, and what nobody came to does', async () => {
  const { appointment, isFree } = await openBooked();
  expect(await isFree()).toBe(false);
  appointment.status = 'Missed';
  expect(await isFree()).toBe(false);
  appointment.status = 'Cancelled';
  expect(await isFree()).toBe(true);
});

test('a status that the file does not know takes the time', async () => {
  const { appointment, isFree } = await openBooked();
  appointment.status = 'Rescheduled';
  expect(await isFree()).toBe(false);
});

test('a time of several practitioners is taken from each of them', async () => {
  const { appointment, isFree, ofCardiologist, second } = await openBooked();
  expect(await isFree(ofCardiologist)).toBe(true);
  appointment.providers = [...appointment.providers, { provider: second, response: 'ACCEPTED' }];
  expect([await isFree(), await isFree(ofCardiologist)]).toEqual([false, false]);
});

test('a time of nobody is taken from who gives the service', async () => {
  const { appointment, isFree, ofCardiologist } = await openBooked();
  appointment.providers = [];
  expect([await isFree(), await isFree(ofCardiologist)]).toEqual([false, true]);
});

test('an absence of several practitioners closes the agenda of each', async () => {
  const { openmrs, slot, isFree, ofCardiologist } = await openBooked((text) =>
    text.replace('practitionerId: provider.uuid', 'practitionerId: providers.uuid'),
  );
  const day = slot.start.slice(0, 10);
  expect(await isFree(ofCardiologist)).toBe(true);
  const providers = [practitionerId, cardiologist].map((uuid) => ({ uuid }));
  openmrs.hospital.unavailabilities.push({
    startDate: day,
    endDate: day,
    startTime: '00:00',
    endTime: '23:59',
    providers,
  });
  expect(await isFree(ofCardiologist)).toBe(false);
});

test('a booking names agenda and modality as the schedules write them', async () => {
  const virtual = '5e000000-0000-4000-8000-000000000503';
  const { openmrs, ports } = await openOpenmrs((text) =>
    text.replace('id: ../uuid', 'id: { from: ../name, encode: true }'),
  );
  const { hospital } = openmrs;
  const asked: object[] = [];
  hospital.book = (request) => {
    asked.push(request);
    throw new Error('it is full');
  };
  const [slot] = (await ports.appointments!.slots!({ serviceId: virtual }, callNow())).items;
  const booking = { serviceId: virtual, practitionerIds: [practitionerId], start: slot!.start };
  await expect(ports.appointments!.book!(patientId, booking, callNow())).rejects.toThrow();
  expect(asked).toMatchObject([{ appointmentKind: 'Virtual', serviceUuid: 'Teleconsulta, Sede Centro' }]);
});
