import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import type { Openmrs } from '../../../../examples/hospitals/openmrs/system/server.mjs';
import type { Booking, Offer, Slot } from '../../../../src/ports/index.ts';
import { addDays, addMinutes } from '../../../../src/toolkit/zone.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, makeWeeklyClinic, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';
import { openHospital } from '../../../support/mapped-hospital.ts';
import { listActive, openOpenmrs, patientId, practitionerId, serviceId } from '../../../support/openmrs.ts';

/** A booking of the first slot that is offered, and another one. */
async function findBookings({ appointments }: Offer) {
  const { items } = await appointments!.slots!({ serviceId: '501' }, callNow());
  const [first, second] = items.map(({ practitionerId, start }) => ({
    serviceId: '501',
    practitionerIds: [practitionerId],
    start,
  }));
  return [first!, second!] as const;
}

const listIds = async ({ appointments }: Offer) =>
  (await appointments!.list!('1002', { order: 'ascending' }, callNow())).items.map(({ id }) => id);

describe('a booking that is answered by a code that nobody knows', () => {
  test('is told as made when it is among the patient’s appointments', async () => {
    const { sigho, ports } = await openHospital();
    const [booking] = await findBookings(ports);
    const book = sigho.hospital.book.bind(sigho.hospital);
    sigho.hospital.book = (form) => {
      book(form);
      throw new Error('the system fails after it booked');
    };
    const { id } = await ports.appointments!.book!('1002', booking, callNow());
    expect(await listIds(ports)).toEqual([id]);
  });

  test('is of unknown outcome when it is not, and made once when it comes again under its key', async () => {
    const { sigho, ports } = await openHospital();
    const [booking] = await findBookings(ports);
    const book = sigho.hospital.book.bind(sigho.hospital);
    sigho.hospital.book = () => {
      throw new Error('the system fails before it books');
    };
    const call = { ...callNow(), idempotencyKey: 'lost' };
    await expect(ports.appointments!.book!('1002', booking, call)).rejects.toMatchObject({ kind: 'outcome_unknown' });
    sigho.hospital.book = book;
    const { id } = await ports.appointments!.book!('1002', booking, call);
    expect(await ports.appointments!.book!('1002', booking, call)).toEqual({ id });
    expect(await listIds(ports)).toEqual([id]);
  });
});

describe('a time that is not in the list', () => {
  // Of the day after, since the first may be one of today.
  const night = (start: string) => `${addDays(start.slice(0, 10), 1)}T03:07:00`;

  test('was never offered where the system lists taken slots too', async () => {
    const { ports } = await openHospital();
    const [booking] = await findBookings(ports);
    const given = { ...booking, start: night(booking.start) };
    await expect(ports.appointments!.book!('1002', given, callNow())).rejects.toMatchObject({ code: 'slot_unknown' });
  });

  const withoutFree = (text: string) => text.replace(/\n +free: \{[^\n]*/, '');

  test('is taken where it lists free ones alone', async () => {
    const { ports } = await openHospital(withoutFree);
    const [booking] = await findBookings(ports);
    const given = { ...booking, start: night(booking.start) };
    await expect(ports.appointments!.book!('1002', given, callNow())).rejects.toMatchObject({ code: 'slot_taken' });
  });

  test('is taken there too where it would follow one that is listed, and where it is of a second practitioner', async () => {
    const { ports } = await openHospital(withoutFree);
    const list = async (serviceId: string) => (await ports.appointments!.slots!({ serviceId }, callNow())).items;
    const [own, ofOthers] = [await list('501'), await list('502')];
    const isBeside = (slot: Slot) => (other: Slot) =>
      other.start === slot.start && other.practitionerId !== slot.practitionerId;
    const slot = own.find((each) => ofOthers.some(isBeside(each)))!;
    const other = ofOthers.find(isBeside(slot))!;
    const book = ({ serviceId, practitionerId, start }: Slot, more: object) =>
      ports.appointments!.book!('1002', { serviceId, practitionerIds: [practitionerId], start, ...more }, callNow());
    await expect(book(slot, { minutes: 1440 })).rejects.toMatchObject({ code: 'slot_taken' });
    await book(slot, {});
    const both = { practitionerIds: [other.practitionerId, slot.practitionerId] };
    await expect(book(other, both)).rejects.toMatchObject({ code: 'slot_taken' });
  });
});

test('a longer appointment is not supported where slots say no agenda, so that none follows another', async () => {
  const { ports } = await openHospital((text) => text.replace(/\n +scheduleId: [^\n]*/, ''));
  const [booking] = await findBookings(ports);
  const book = (minutes: number) => ports.appointments!.book!('1002', { ...booking, minutes }, callNow());
  await expect(book(1440)).rejects.toMatchObject({
    kind: 'unsupported',
    message: 'the institution’s system books only one time of one practitioner at once',
  });
  const { id } = await book(1);
  expect(await listIds(ports)).toEqual([id]);
});

test('a booking tells the system what stands for the key of its caller, the same one for the same key', async () => {
  const { sigho, ports } = await openHospital((text) =>
    text.replace('minutos: :minutes', 'minutos: :minutes\n      referencia: :idempotencyKey'),
  );
  const bookings = await findBookings(ports);
  const sent: unknown[] = [];
  sigho.hospital.book = (form) => {
    sent.push((form as Record<string, unknown>).referencia);
    throw new Error('the system books nothing');
  };
  const book = (idempotencyKey: string | undefined, client: string, booking = bookings[0]) =>
    ports.appointments!.book!('1002', booking, {
      ...callNow(),
      client,
      ...(idempotencyKey && { idempotencyKey }),
    }).catch(() => undefined);
  await book('secret-key', 'a');
  await book('secret-key', 'a');
  await book('secret-key', 'b');
  await book('another-key', 'a', bookings[1]);
  await book(undefined, 'a');
  const [first, again, ofOther, other, none] = sent;
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(again).toBe(first);
  expect(new Set([first, ofOther, other]).size).toBe(3);
  expect(none).toBeUndefined();
});

test('a booking with what the change does not keep is not supported, and nothing is booked', async () => {
  const { ports } = await openHospital((text) => text.replace(/\n +copago: :copay/, ''));
  const [booking, other] = await findBookings(ports);
  await expect(ports.appointments!.book!('1002', { ...booking, copay: 10 }, callNow())).rejects.toMatchObject({
    kind: 'unsupported',
    message: 'the institution’s system does not store copay',
  });
  const { id } = await ports.appointments!.book!('1002', other, callNow());
  expect(await listIds(ports)).toEqual([id]);
});

describe('a change that names one slot alone', () => {
  const oneAtATime = (text: string) =>
    text
      .replace('forEachSlot:', 'steps:')
      .replace(':position', '0')
      .replace(', min_pedidos = :minutes', '')
      .replace('nro_turno = :slotId', 'nro_turno = :firstSlotId');

  test('takes no longer appointment, instead of taking half of it', async () => {
    const { appointments } = await openMapping(writeMapping(makeDatabase(), oneAtATime));
    const list = async (filter: object) =>
      (await appointments!.slots!({ serviceId: '501', ...filter }, callNow())).items;
    const free = await list({ practitionerId: '52110' });
    const [first] = free.filter(({ start, locationId, minutes }) =>
      free.some((each) => each.locationId === locationId && each.start === addMinutes(start, minutes)),
    );
    const { start, minutes } = first!;
    const book = (more: object) =>
      appointments!.book!('1002', { serviceId: '501', practitionerIds: ['52110'], start, ...more }, callNow());
    await expect(book({ minutes: 2 * minutes })).rejects.toMatchObject({ kind: 'unsupported' });
    expect(await list({ practitionerId: '52110' })).toEqual(free);
    await book({});
    expect(await list({ practitionerId: '52110' })).toHaveLength(free.length - 1);
  });
});

test('nobody is shown, or cancels, what is another patient’s, whatever the question let through', async () => {
  const everybodys = (text: string) =>
    text.replace(
      /(?<=\nappointments:[\s\S]*?)select: \|([\s\S]*?) {2}where: t.nro_turno = t.nro_ppal\n {2}keys:[^\n]*\n {2}order: r.orden/,
      (_, select: string) =>
        `ofPatient: |${select}    WHERE EXISTS (SELECT 1 FROM pacientes p WHERE p.id_paciente = :patientId) AND t.nro_turno = t.nro_ppal`,
    );
  const file = writeMapping(makeDatabase(), everybodys);
  const { appointments } = await openMapping(file);
  const { items } = await appointments!.list!('1001', { order: 'ascending' }, callNow());
  expect(items.length).toBeGreaterThan(0);
  expect(await appointments!.list!('1002', { order: 'ascending' }, callNow())).toEqual({ items: [], total: 0 });
  const upcoming = items.find(({ cancelable }) => cancelable)!;
  await expect(appointments!.cancel!('1002', upcoming.id, callNow())).rejects.toMatchObject({ kind: 'not_found' });
  expect(await appointments!.list!('1001', { order: 'ascending' }, callNow())).toMatchObject({ items });
});

test('an appointment that the system says it would not cancel is shown as such, and nobody cancels it', async () => {
  const file = writeMapping(makeDatabase(), (text) =>
    text.replace(
      '    coverageId: nro_afil\n    copay',
      '    cancelable: { from: virtual, codes: { S: true, N: false } }\n    coverageId: nro_afil\n    copay',
    ),
  );
  const { appointments } = await openMapping(file);
  const { items } = await appointments!.list!('1001', { order: 'ascending' }, callNow());
  const upcoming = items.findLast(({ status }) => status === 'active')!;
  expect(upcoming.cancelable).toBe(false);
  await expect(appointments!.cancel!('1001', upcoming.id, callNow())).rejects.toMatchObject({ code: 'not_cancelable' });
  expect(await appointments!.list!('1001', { order: 'ascending' }, callNow())).toMatchObject({ items });
});

describe('a cancellation that leaves the appointment there', () => {
  const condition = "WHERE nro_ppal = :appointmentId AND estado = 'R'";
  const listUpcoming = async ({ appointments }: Offer) =>
    (await appointments!.list!('1001', { order: 'ascending' }, callNow())).items.filter(({ cancelable }) => cancelable);

  test.each([
    ['and says to be done', (text: string) => text.replace(condition, condition.replace("'R'", "'X'"))],
    [
      'and says nothing',
      (text: string) =>
        text
          .replace(condition, condition.replace("'R'", "'X'"))
          .replace(/\n +mustChange: 1\n( +changes: 100[^\n]*)\n +else: done/, '\n$1'),
    ],
  ] as const)('%s is of unknown outcome', async (_, change) => {
    const ports = await openMapping(writeMapping(makeDatabase(), change));
    const [upcoming] = await listUpcoming(ports);
    const cancel = ports.appointments!.cancel!('1001', upcoming!.id, callNow());
    await expect(cancel).rejects.toMatchObject({ kind: 'outcome_unknown' });
    expect(await listUpcoming(ports)).toContainEqual(upcoming);
  });
});

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

const somebodyElse = '9a000000-0000-4000-8000-000000001003';

/** Lets somebody else have each time, too, just before it is booked. */
function bookTwice({ hospital }: Openmrs): void {
  const book = hospital.book.bind(hospital);
  hospital.book = (request) => {
    book({ ...request, patientUuid: somebodyElse });
    return book(request);
  };
}

function loseAnswers({ hospital }: Openmrs): void {
  const book = hospital.book.bind(hospital);
  hospital.book = (request) => {
    book(request);
    throw new Error('the answer is lost');
  };
}

test('a booking goes back when somebody else has its time meanwhile, who keeps it', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const [slot] = await list(ports);
  bookTwice(openmrs);
  await expect(book(ports, slot!.start)).rejects.toMatchObject({ code: 'slot_taken' });
  expect(listActive(openmrs)).toEqual([]);
  expect(listActive(openmrs, somebodyElse)).toHaveLength(1);
});

test('a booking whose answer was lost goes back, too', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const [slot] = await list(ports);
  bookTwice(openmrs);
  loseAnswers(openmrs);
  await expect(book(ports, slot!.start)).rejects.toMatchObject({ code: 'slot_taken' });
  expect(listActive(openmrs)).toEqual([]);
});

test('a booking whose answer was lost stands when nobody else has its time', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const [slot] = await list(ports);
  loseAnswers(openmrs);
  const { id } = await book(ports, slot!.start);
  expect(listActive(openmrs).map(({ uuid }) => uuid)).toEqual([id]);
});

test('what cannot be taken back stands, and is told as made', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const [slot] = await list(ports);
  bookTwice(openmrs);
  openmrs.hospital.changeStatus = () => {
    throw new Error('nothing is changed today');
  };
  const { id } = await book(ports, slot!.start);
  expect(listActive(openmrs).map(({ uuid }) => uuid)).toEqual([id]);
});

/** Lets each look at appointments fail from now on. */
function hideAppointments({ hospital }: Openmrs): void {
  hospital.search = () => {
    throw new Error('nothing is found today');
  };
}

const unknown = { kind: 'outcome_unknown' };

test('a booking that was made without an id is of unknown outcome when only the look for it fails', async () => {
  const { openmrs, ports } = await openOpenmrs((text) => text.replace('    id: uuid\n    lookAgain', '    lookAgain'));
  const [slot, other] = await list(ports);
  const { id } = await book(ports, slot!.start);
  expect(listActive(openmrs).map(({ uuid }) => uuid)).toEqual([id]);
  const make = openmrs.hospital.book.bind(openmrs.hospital);
  openmrs.hospital.book = (request) => {
    hideAppointments(openmrs);
    return make(request);
  };
  await expect(book(ports, other!.start)).rejects.toMatchObject(unknown);
  expect(listActive(openmrs)).toHaveLength(2);
});

test('a booking that went back is not told as made when only the look for it fails', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const [slot] = await list(ports);
  bookTwice(openmrs);
  const change = openmrs.hospital.changeStatus.bind(openmrs.hospital);
  openmrs.hospital.changeStatus = (...given) => {
    hideAppointments(openmrs);
    return change(...given);
  };
  await expect(book(ports, slot!.start)).rejects.toMatchObject(unknown);
  expect(listActive(openmrs)).toEqual([]);
});

test('a booking goes back as unavailable, and not as taken, when the other bookings cannot be read', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const { hospital } = openmrs;
  const [slot] = await list(ports);
  const make = hospital.book.bind(hospital);
  const change = hospital.changeStatus.bind(hospital);
  const search = hospital.search.bind(hospital);
  hospital.book = (request) => {
    hideAppointments(openmrs);
    return make(request);
  };
  hospital.changeStatus = (...given) => {
    hospital.search = search;
    return change(...given);
  };
  await expect(book(ports, slot!.start)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(listActive(openmrs)).toEqual([]);
  expect(await list(ports)).toContainEqual(slot);
});

test('a cancellation that says to be done is of unknown outcome when only the look for it fails', async () => {
  const { openmrs, ports } = await openOpenmrs();
  // The last one, since one of today may be too near to be canceled.
  const slot = (await list(ports)).at(-1);
  const { id } = await book(ports, slot!.start);
  const change = openmrs.hospital.changeStatus.bind(openmrs.hospital);
  openmrs.hospital.changeStatus = (...given) => {
    hideAppointments(openmrs);
    change(...given);
    throw new Error('it was done before');
  };
  await expect(ports.appointments!.cancel!(patientId, id, callNow())).rejects.toMatchObject(unknown);
  expect(listActive(openmrs)).toEqual([]);
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

test('a booking has the id that the list shows, where a path of a URL cannot carry the one of the system', async () => {
  const change = (text: string) =>
    text
      .replace('SELECT t.nro_turno, t.id_paciente,', "SELECT t.nro_turno, 'A/' || t.nro_turno AS clave, t.id_paciente,")
      .replace(
        'id: { from: nro_turno, numeric: true }\n    patientId',
        'id: { from: clave, encode: true }\n    patientId',
      )
      .replace('id: t.nro_turno }', 'id: "\'A/\' || t.nro_turno" }')
      .replace(
        '    forEachSlot:\n',
        '    steps: [{ sql: "SELECT \'A/\' || :firstSlotId", as: clave }]\n    forEachSlot:\n',
      )
      .replace('id: firstSlotId\n', 'id: clave\n');
  const ports = await openMapping(writeMapping(makeDatabase(), change));
  const [booking] = await findBookings(ports);
  const { id } = await ports.appointments!.book!('1002', booking, callNow());
  expect(id).toMatch(/^A~2F\d+$/);
  expect(await listIds(ports)).toEqual([id]);
});

test('an appointment shows its coverage, which the system finds only by its id', async () => {
  const database = makeDatabase();
  new DatabaseSync(database).exec('UPDATE turnos SET nro_afil = 5001 WHERE id_paciente = 1001');
  const change = (text: string) => text.replace('{ id: a.nro_afil, patientId: a.id_paciente }', '{ id: a.nro_afil }');
  const { appointments, insurance } = await openMapping(writeMapping(database, change));
  expect(insurance?.coverages).toBeUndefined();
  const { items } = await appointments!.list!('1001', { order: 'ascending' }, callNow());
  expect(items[0]).toMatchObject({ coverage: { id: '5001', carrier: 'OSDE', plan: 'OSDE 210' } });
  new DatabaseSync(database).exec('UPDATE turnos SET nro_afil = 5003 WHERE id_paciente = 1001');
  const { items: ofAnother } = await appointments!.list!('1001', { order: 'ascending' }, callNow());
  expect(ofAnother[0]).not.toHaveProperty('coverage');
});
