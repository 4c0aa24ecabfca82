import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../../../src/ports/index.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, makeWeeklyClinic, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

/** The clinic after a change in its database, and a booking of a time of 52110 at place 1 that it offered before. */
async function openAfter(change: string, { database, file }: { database: string; file: string }) {
  const list = async ({ appointments }: Awaited<ReturnType<typeof openMapping>>) =>
    (await appointments!.slots!({ serviceId: '501' }, callNow())).items.filter(
      (slot) => slot.practitionerId === '52110' && slot.locationId === '1',
    );
  const [slot] = await list(await openMapping(file));
  const booking: Booking = { serviceId: '501', practitionerIds: ['52110'], start: slot!.start };
  const sql = new DatabaseSync(database);
  sql.exec(change);
  sql.close();
  const offer = await openMapping(file);
  return { offer, booking, list: () => list(offer) };
}

const clinics = {
  'a row for each slot': () => {
    const database = makeDatabase();
    return { database, file: writeMapping(database) };
  },
  'weekly schedules': makeWeeklyClinic,
};

describe.each(Object.entries(clinics))('in a clinic with %s', (_, make) => {
  test.each([
    ['the practitioner is retired', "UPDATE profesionales SET baja = 'S' WHERE matricula = 52110"],
    ['the place is closed', "UPDATE sedes SET baja = 'S' WHERE cod_sede = 1"],
  ])('a time is neither offered nor booked when %s', async (_, change) => {
    const { offer, booking, list } = await openAfter(change, make());
    expect(await list()).toEqual([]);
    await expect(offer.appointments!.book!('1002', booking, callNow())).rejects.toMatchObject({ name: 'Failure' });
    expect(await offer.appointments!.list!('1002', { order: 'ascending' }, callNow())).toMatchObject({ total: 0 });
  });

  test('whoever has a closed record gets no appointment and no coverage, and is offered nothing', async () => {
    const close = "UPDATE pacientes SET baja = 'S' WHERE id_paciente = 1002";
    const { offer, booking } = await openAfter(close, make());
    const closed = { kind: 'invalid', message: 'the record of this patient is closed' };
    await expect(offer.appointments!.book!('1002', booking, callNow())).rejects.toMatchObject(closed);
    const [plan] = await offer.insurance!.plans!((await offer.insurance!.carriers!({}, callNow()))[0]!.id, callNow());
    const card = { beneficiaryId: '1002', planId: plan!.id, credentialNumber: 'N-9' };
    await expect(offer.insurance!.create!(card, callNow())).rejects.toMatchObject({ ...closed, at: 'beneficiaryId' });
    const who = { serviceId: '501', patientId: '1002' };
    expect((await offer.appointments!.slots!(who, callNow())).items).toEqual([]);
    expect(await offer['care-services']!.available!({ patientId: '1002' }, callNow())).toEqual([]);
  });
});
