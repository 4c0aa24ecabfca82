import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { addDays } from '../../../../src/toolkit/zone.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeWeeklyClinic, openMapping } from '../../../support/mapped-clinic.ts';
import { listActive, openOpenmrs, patientId, practitionerId, serviceId } from '../../../support/openmrs.ts';

/** A clinic with weekly schedules, whose practitioner 52110 works on Monday, Wednesday and Friday from 8 to 12. */
async function openWeekly(change = (text: string) => text) {
  const { database, file } = makeWeeklyClinic();
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  const { appointments } = await openMapping(file);
  const told: string[] = [];
  const call = callNow({ omit: ({ resourceType, element }) => void told.push(`${resourceType}.${element}`) });
  const query = { serviceId: '501', practitionerId: '52110', locationId: '1' };
  /** The starts that are offered on each day. */
  const list = async (days: { readonly from?: string; readonly to?: string } = {}) => {
    const { items } = await appointments!.slots!({ ...query, ...days }, call);
    const byDay = Map.groupBy(items, ({ start }) => start.slice(0, 10));
    return new Map([...byDay].map(([day, slots]) => [day, slots.map(({ start }) => start.slice(11, 16))]));
  };
  const sql = new DatabaseSync(database);
  const days = [...(await list()).keys()];
  return { sql, list, told, before: days[0]!, day: days[1]!, after: days[2]! };
}

describe('an absence closes all that it may mean', () => {
  test.each([
    ['until 24:00', "'08:00', '24:00'", [], []],
    ['from midnight to midnight', "'00:00', '00:00'", [], []],
    ['whose end is before its start', "'12:00', '08:20'", [], ['exceptions.to']],
    ['from a time that cannot be read', "'temprano', '09:00'", ['09:00', '09:20'], ['exceptions.from']],
    ['until a time that cannot be read', "'11:00', 'tarde'", ['08:00', '08:20'], ['exceptions.to']],
  ])('%s', async (_, times, firstLeft, problems) => {
    const { sql, list, told, before, day, after } = await openWeekly();
    sql.exec(`INSERT INTO ausencias VALUES (52110, '${day}', NULL, ${times})`);
    const left = await list();
    expect((left.get(day) ?? []).slice(0, 2)).toEqual(firstLeft);
    expect([left.has(before), left.has(after)]).toEqual([true, true]);
    expect(told).toEqual(problems);
  });

  test.each([
    ['until a day that cannot be read', "(52110, '{day}', 'x', NULL, NULL)", ['exceptions.lastDay']],
    [
      'until a day before its first one',
      "(52110, '{after}', '{day}', NULL, NULL), (52110, '9', NULL, NULL, NULL)",
      ['exceptions.firstDay', 'exceptions.lastDay'],
    ],
    ['on a day that cannot be read', "(52110, '1/1', 'x', NULL, NULL)", ['exceptions.firstDay']],
    [
      'of somebody whose id cannot be read',
      "('R. Paz', '{day}', '{after}', NULL, NULL)",
      ['exceptions.practitionerId'],
    ],
  ])('%s', async (_, rows, problems) => {
    const numeric = (text: string) =>
      text
        .replace(
          /(?<=exceptions:[\s\S]*?)practitionerId: matricula/,
          'practitionerId: { from: matricula, numeric: true }',
        )
        .replace(
          'select: SELECT * FROM ausencias\n  keys: { firstDay: dia, lastDay: hasta_dia }',
          "between: SELECT * FROM ausencias WHERE :fromDay <> '' AND :toDay <> ''",
        );
    const { sql, list, told, day, after } = await openWeekly(numeric);
    sql.exec(`INSERT INTO ausencias VALUES ${rows.replaceAll('{day}', day).replaceAll('{after}', after)}`);
    const left = await list();
    expect([left.has(day), left.has(after)]).toEqual([false, false]);
    expect(told.toSorted()).toEqual(problems);
  });

  test('also one whose last day is before its first one, as a database writes no day', async () => {
    const { sql, list, told, before } = await openWeekly();
    sql.exec(`INSERT INTO ausencias VALUES (52110, '2020-01-01', '0000-00-00', NULL, NULL)`);
    expect(before).toBeDefined();
    expect((await list()).size).toBe(0);
    expect(told).toEqual(['exceptions.lastDay']);
  });

  describe('on whichever day of it a list begins', () => {
    test.each([
      ['in a column that may be NULL', 'lastDay: hasta_dia'],
      ['in an expression', "lastDay: 'coalesce(hasta_dia, dia)'"],
    ])('%s', async (_, lastDay) => {
      const { sql, list, before, day, after } = await openWeekly((text) => text.replace('lastDay: hasta_dia', lastDay));
      sql.exec(
        `INSERT INTO ausencias VALUES (52110, '${before}', '${day}', NULL, NULL), (52110, '${after}', NULL, NULL, NULL)`,
      );
      for (const each of [before, day, after]) expect((await list({ from: each, to: each })).size).toBe(0);
      const left = await list();
      expect([before, day, after].filter((each) => left.has(each))).toEqual([]);
    });

    test('from a moment of that day on', async () => {
      const { sql, list, day } = await openWeekly((text) =>
        text
          .replace(/keys: \{ firstDay: dia.*\n/, 'keys: { firstDay: desde, lastDay: hasta }\n')
          .replace(
            /firstDay: dia\n +lastDay: hasta_dia\n +from: [^\n]*\n +to: [^\n]*/,
            'start: { from: desde, format: yyyy-MM-dd HH:mm }\n    end: { from: hasta, format: yyyy-MM-dd HH:mm }',
          ),
      );
      sql.exec(`INSERT INTO ausencias VALUES (52110, NULL, NULL, '${day} 08:30', '${day} 23:00')`);
      expect((await list()).get(day)).toEqual(['08:00']);
      expect((await list({ from: day, to: day })).get(day)).toEqual(['08:00']);
    });
  });

  test('from one moment to another, over days', async () => {
    const moments = (text: string) =>
      text.replace(
        /firstDay: dia\n +lastDay: hasta_dia\n +from: [^\n]*\n +to: [^\n]*/,
        'start: { from: [dia, desde], format: yyyy-MM-dd HH:mm }\n    end: { from: [hasta_dia, hasta], format: yyyy-MM-dd HH:mm }',
      );
    const { sql, list, told, before, day, after } = await openWeekly(moments);
    sql.exec(`INSERT INTO ausencias VALUES (52110, '${before}', '${day}', '09:10', '11:40')`);
    const left = await list();
    expect(left.get(before)?.filter((time) => time > '08:40')).toEqual([]);
    expect(left.get(day)).toEqual(['11:40']);
    expect(left.get(after)).toHaveLength(12);
    sql.exec(`INSERT INTO ausencias VALUES (52110, '${after}', '${addDays(after, 1)}', '00:00', '00:00')`);
    expect((await list()).has(after)).toBe(false);
    expect(told).toEqual([]);
    sql.exec(`UPDATE ausencias SET hasta_dia = '${before}', hasta = '09:00' WHERE dia = '${before}'`);
    expect((await list()).get(before)?.filter((time) => time > '08:40')).toEqual([]);
    expect(told).toEqual(['exceptions.end']);
  });
});

describe('a taken time takes all that it may mean', () => {
  test('24 hours where its length cannot be read', async () => {
    const { sql, list, told, day, after } = await openWeekly();
    sql.exec(`INSERT INTO ocupados VALUES (52110, '${day} 08:40', 'mucho', 1)`);
    const left = await list();
    expect(left.get(day)).toEqual(['08:00', '08:20']);
    expect(left.has(after)).toBe(true);
    expect(told).toEqual(['taken.minutes']);
  });

  test('all days after it where its length has no end, at once', async () => {
    const { sql, list, told, day, before, after } = await openWeekly();
    sql.exec(`INSERT INTO ocupados VALUES (52110, '${day} 08:40', 1000000000000, 1)`);
    const left = await list();
    expect([left.has(before), left.get(day), left.has(after)]).toEqual([true, ['08:00', '08:20'], false]);
    expect(told).toEqual([]);
  });

  test('the morning after a night on duty, on whichever day a list begins', async () => {
    const { sql, list, day } = await openWeekly();
    sql.exec(`INSERT INTO ocupados VALUES (52110, '${addDays(day, -1)} 22:00', 660, 1)`);
    const times = ['09:00', '09:20', '09:40'];
    expect((await list()).get(day)?.slice(0, 3)).toEqual(times);
    expect((await list({ from: day, to: day })).get(day)?.slice(0, 3)).toEqual(times);
  });

  test('the time of everybody where it has no owner, also for a search by practitioner', async () => {
    const { sql, list, day } = await openWeekly();
    expect((await list()).has(day)).toBe(true);
    sql.exec(`INSERT INTO ocupados VALUES (NULL, '${day} 08:00', 240, 1)`);
    expect((await list()).has(day)).toBe(false);
  });

  test.each([
    ['with commas in one column', "'61877,52110'", 'matricula'],
    ['with commas and blanks in one column', "'61877, 52110'", 'matricula'],
    ['in two columns of encoded ids', '61877', '{ from: [matricula, segunda], encode: true }'],
    ['in two columns of numbers', '61877', '{ from: [matricula, segunda], numeric: true }'],
    ['in two columns with a separator', '61877', "{ from: [matricula, segunda], join: ', ' }"],
  ])('the time of each of several practitioners, %s', async (_, owners, field) => {
    const { sql, list, day } = await openWeekly((text) =>
      text.replace(
        /taken:\n.*\n.*\n {2}fields:\n {4}practitionerId: matricula/,
        `taken:\n  select: SELECT *, 52110 AS segunda FROM ocupados\n  keys: { start: inicio }\n  fields:\n    practitionerId: ${field}`,
      ),
    );
    expect((await list()).has(day)).toBe(true);
    sql.exec(`INSERT INTO ocupados VALUES (${owners}, '${day} 08:00', 240, 1)`);
    expect((await list()).has(day)).toBe(false);
  });

  test.each([
    ['all days where its start cannot be read', "(52110, '{day} hoy', 20, 1)", 'taken.start'],
    [
      'the time of everybody where its owner cannot be read',
      "('R. Paz', '{day} 08:00', 240, 1)",
      'taken.practitionerId',
    ],
    ['the time of everybody where it has no owner', "(NULL, '{day} 08:00', 240, 1)", undefined],
  ])('%s', async (_, row, problem) => {
    const numeric = (text: string) =>
      text
        .replace('{ start: inicio, practitionerId: matricula }', '{ start: inicio }')
        .replace(/(?<=taken:[\s\S]*?)practitionerId: matricula/, 'practitionerId: { from: matricula, numeric: true }');
    const { sql, list, told, day } = await openWeekly(numeric);
    sql.exec(`INSERT INTO ocupados VALUES ${row.replace('{day}', day)}`);
    expect((await list()).has(day)).toBe(false);
    expect(told).toEqual(problem === undefined ? [] : [problem]);
  });
});

test('a schedule whose end is not behind its start offers nothing, and is told', async () => {
  const { sql, list, told, day } = await openWeekly();
  sql.exec(
    "UPDATE semana SET hasta = '07:00' WHERE cod_agenda = 1 AND dia = (SELECT dia FROM semana WHERE cod_agenda = 1 LIMIT 1)",
  );
  const left = await list();
  expect(left.size).toBeGreaterThan(0);
  expect(day).not.toBe('');
  expect(told).toEqual(['schedules.to']);
});

test('a schedule whose slots would not begin at whole minutes offers nothing, and is told', async () => {
  const { sql, list, told } = await openWeekly();
  sql.exec('UPDATE semana SET minutos = 7.5 WHERE cod_agenda = 1');
  expect((await list()).size).toBe(0);
  expect(new Set(told)).toEqual(new Set(['schedules.minutes']));
});

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
