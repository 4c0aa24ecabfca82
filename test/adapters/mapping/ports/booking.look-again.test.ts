import { expect, test } from '@jest/globals';
import type { Offer } from '../../../../src/ports/index.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { openMapping } from '../../../support/mapped-clinic.ts';
import { listActive, openOpenmrs, patientId, practitionerId, serviceId } from '../../../support/openmrs.ts';

const list = async ({ appointments }: Offer) =>
  (await appointments!.slots!({ serviceId, practitionerId }, callNow())).items;
const book = ({ appointments }: Offer, start: string, more: object = {}) =>
  appointments!.book!(patientId, { serviceId, practitionerIds: [practitionerId], start, ...more }, callNow());

/** Ten bookings of one time at once, and how many of them were told what. */
async function bookAtOnce(gateways: readonly Offer[], start: string) {
  const told = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) => book(gateways[i % gateways.length]!, start)),
  );
  const refusals = told.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  expect(new Set(refusals)).toEqual(new Set(['slot_taken']));
  return told.length - refusals.length;
}

test('of many who want one time at once one has it, where the system would give it to all', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const [slot] = await list(ports);
  expect(await bookAtOnce([ports], slot!.start)).toBe(1);
  expect(listActive(openmrs)).toHaveLength(1);
  expect((await list(ports)).some(({ id }) => id === slot!.id)).toBe(false);
});

test('of two gateways at most one has a time, and what both had is taken back', async () => {
  const { openmrs, file, ports } = await openOpenmrs();
  const other = await openMapping(file);
  for (let round = 0; round < 5; round++) {
    const before = listActive(openmrs).length;
    const [slot] = await list(ports);
    const made = await bookAtOnce([ports, other], slot!.start);
    expect(made).toBeLessThanOrEqual(1);
    expect(listActive(openmrs)).toHaveLength(before + made);
    if (made === 0) await book(ports, slot!.start);
  }
});

test('a booking goes back when somebody else has its time meanwhile, who keeps it', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const { hospital } = openmrs;
  const [slot] = await list(ports);
  const original = hospital.book.bind(hospital);
  hospital.book = (request) => {
    original({ ...request, patientUuid: '9a000000-0000-4000-8000-000000001003' });
    return original(request);
  };
  await expect(book(ports, slot!.start)).rejects.toMatchObject({ code: 'slot_taken' });
  expect(listActive(openmrs)).toEqual([]);
  expect(listActive(openmrs, '9a000000-0000-4000-8000-000000001003')).toHaveLength(1);
});

test('a booking whose answer was lost is looked at, too', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const { hospital } = openmrs;
  const [slot, next] = await list(ports);
  const original = hospital.book.bind(hospital);
  hospital.book = (request) => {
    original({ ...request, patientUuid: '9a000000-0000-4000-8000-000000001003' });
    original(request);
    throw new Error('the answer is lost');
  };
  await expect(book(ports, slot!.start)).rejects.toMatchObject({ code: 'slot_taken' });
  hospital.book = (request) => {
    original(request);
    throw new Error('the answer is lost');
  };
  const { id } = await book(ports, next!.start);
  expect(listActive(openmrs).map(({ uuid }) => uuid)).toEqual([id]);
});

test('what cannot be taken back stands, and is told as made', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const { hospital } = openmrs;
  const [slot] = await list(ports);
  const original = hospital.book.bind(hospital);
  hospital.book = (request) => {
    original({ ...request, patientUuid: '9a000000-0000-4000-8000-000000001003' });
    return original(request);
  };
  hospital.changeStatus = () => {
    throw new Error('nothing is changed today');
  };
  const { id } = await book(ports, slot!.start);
  expect(listActive(openmrs).map(({ uuid }) => uuid)).toEqual([id]);
});

test('a longer appointment says when it ends, and takes all of its slots', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const slots = await list(ports);
  const begin = slots.find(({ start }) => start.endsWith('T10:00:00'))!;
  await book(ports, begin.start, { minutes: 40 });
  const [made] = listActive(openmrs);
  expect(made!.endDateTime - made!.startDateTime).toBe(40 * 60_000);
  const left = (await list(ports)).filter(({ start }) => start.startsWith(begin.start.slice(0, 10)));
  expect(left.map(({ start }) => start.slice(11, 16))).not.toContain('10:20');
  expect(left.map(({ start }) => start.slice(11, 16))).toContain('10:40');
});
