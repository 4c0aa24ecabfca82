import { expect, test } from '@jest/globals';
import { capabilities } from '../../../../src/ports/index.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { bookOffersOfGroupA, bookOffersOfGroupB, type OddSlots, publishOddSlots } from '../../../support/odd-slots.ts';

const { server } = await startHospital();

async function withOddSlots(work: (slots: OddSlots) => Promise<void>): Promise<void> {
  const slots = await publishOddSlots({ baseUrl: server.url });
  await work(slots).finally(() => slots.gateway.stop());
}

test('what Group A offers can be booked', () => withOddSlots(bookOffersOfGroupA));

test('what Group B offers can be booked by its id', () => withOddSlots(bookOffersOfGroupB));

test('slots that follow each other at seconds are booked together', () =>
  withOddSlots(async ({ gateway, patientId, practitionerId, serviceId, times, listBooked }) => {
    const [, , , first = ''] = times;
    const time = { appointmentDate: first.slice(0, 10), appointmentStart: first.slice(11, 16), minutesDuration: '60' };
    const booking = { patientId, practitionersIds: [practitionerId], hcsId: serviceId, ...time };
    expect((await gateway.ask('POST', '/v1/appointments', booking)).status).toBe(201);
    expect(await listBooked()).toEqual([first]);
  }));

test('slots at a local time that comes for the second time are named by an examination', () =>
  withOddSlots(async ({ namespace }) => {
    const santiago = { timeZone: 'America/Santiago', locale: 'es-AR', bookingHorizonDays: 400 };
    const { readiness } = await connect(server, { namespace }, santiago);
    const { signal } = new AbortController();
    const findings = await Array.fromAsync(readiness.examine?.({ signal, uses: new Set(capabilities) }) ?? []);
    const told = findings.filter(({ detail }) => detail.includes('occurs for the second time'));
    expect(told).toEqual([expect.objectContaining({ check: 'free slots', detail: expect.stringMatching(/^3 of /) })]);
  }));
