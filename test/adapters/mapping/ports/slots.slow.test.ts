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
async function openWeekly() {
  const { database, file } = makeWeeklyClinic();
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

  test('give none before they begin or after they end', async () => {
    const { sql, list } = await openWeekly();
    const days = [...new Set((await list()).map(({ start }) => start.slice(0, 10)))];
    const [first = '', second = '', third = ''] = days;
    sql.exec(`UPDATE semana SET vigente_desde = '${addDays(first, 1)}', vigente_hasta = '${addDays(third, -1)}'`);
    expect(new Set((await list()).map(({ start }) => start.slice(0, 10)))).toEqual(new Set([second]));
  });
});
