import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { fixtures } from '../../../../examples/clinic-adapter/test/fixtures.ts';
import { type Case, cases, createPortsSubject, describeContract, portCases } from '../../../../src/contract/index.ts';
import { addDays } from '../../../../src/toolkit/zone.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { concernsMapping, makeWeeklyClinic, openMapping } from '../../../support/mapped-clinic.ts';

const concernsSlots = ({ needs, requires }: Case): boolean =>
  [needs, ...requires].some((each) => each.startsWith('appointments.'));

await describeContract(
  test,
  async () => createPortsSubject({ ports: await openMapping(makeWeeklyClinic().file), fixtures }),
  { cases: [...cases, ...portCases].filter((each) => concernsMapping(each) && concernsSlots(each)), complete: true },
);

/** A clinic with weekly schedules, and what is offered of the first one. */
async function openWeekly(change = (text: string) => text) {
  const { database, file } = makeWeeklyClinic();
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  const { appointments } = await openMapping(file);
  const list = async () =>
    (await appointments!.slots!({ serviceId: '501', practitionerId: '52110', locationId: '1' }, callNow())).items;
  return { sql: new DatabaseSync(database), list };
}

describe('weekly schedules', () => {
  test('give slots whose ids name the schedule, the day and the time', async () => {
    const { list } = await openWeekly();
    const [slot] = await list();
    expect(slot?.id).toBe(`1.${slot?.start.slice(0, 16).replaceAll(/[-:]/g, '')}`);
    expect(slot).toMatchObject({ minutes: 20, serviceId: '501', practitionerId: '52110', locationId: '1' });
  });

  test('give none on days off, and none that a shorter absence touches', async () => {
    const { sql, list } = await openWeekly();
    const days = [...new Set((await list()).map(({ start }) => start.slice(0, 10)))];
    const [, off = '', part = ''] = days;
    sql.exec(
      `INSERT INTO ausencias VALUES (52110, '${off}', NULL, NULL, NULL), (52110, '${part}', NULL, '09:10', '11:40')`,
    );
    const after = await list();
    expect(after.filter(({ start }) => start.startsWith(off))).toEqual([]);
    const times = after.filter(({ start }) => start.startsWith(part)).map(({ start }) => start.slice(11, 16));
    expect(times).toEqual(['08:00', '08:20', '08:40', '11:40']);
  });

  test.each([
    ['its practitioner', 'practitionerId: matricula', 'practitionerId: matricula'],
    ['its schedule', 'practitionerId: matricula', 'scheduleId: agenda'],
  ])('lose a slot to a taken time of which the system says start and %s alone', async (_, from, to) => {
    const { sql, list } = await openWeekly((text) =>
      text
        .replace('SELECT * FROM ocupados', 'SELECT *, 1 AS agenda FROM ocupados')
        .replace('{ start: inicio, practitionerId: matricula }', '{ start: inicio }')
        .replace(/(?<=taken:[\s\S]*?) {4}minutes: minutos\n/, '')
        .replace(/(?<=taken:[\s\S]*?)practitionerId: matricula/, (found) => found.replace(from, to)),
    );
    const [first, second, third] = await list();
    sql.exec(`INSERT INTO ocupados VALUES (52110, '${second?.start.slice(0, 16).replace('T', ' ')}', 999, 1)`);
    expect((await list()).slice(0, 2)).toEqual([first, third]);
  });

  test('give none before they begin or after they end', async () => {
    const { sql, list } = await openWeekly();
    const days = [...new Set((await list()).map(({ start }) => start.slice(0, 10)))];
    const [first = '', second = '', third = ''] = days;
    sql.exec(`UPDATE semana SET vigente_desde = '${addDays(first, 1)}', vigente_hasta = '${addDays(third, -1)}'`);
    expect(new Set((await list()).map(({ start }) => start.slice(0, 10)))).toEqual(new Set([second]));
  });
});
