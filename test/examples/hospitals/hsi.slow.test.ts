import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { describeHospital, type RunningHospital, serveHospital } from '../../support/hospitals.ts';
import { missing, startPostgres } from '../../support/postgres-server.ts';

const read = (file: string) => readFileSync(`examples/hospitals/hsi/${file}`, 'utf8');

/** HSI’s tables on a server of their own, which a user reaches with the rights of the example alone. */
async function makeHospital() {
  const url = await (await startPostgres()).createUrl();
  const run = async (sql: string) => {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query(sql);
    await client.end();
    return rows;
  };
  await run(read('schema.sql') + read('sample.sql'));
  await run('CREATE ROLE gateway LOGIN; GRANT USAGE ON SCHEMA test_0 TO gateway');
  await run(read('puente.sql').replaceAll('TO puente', 'TO gateway'));
  const hospital: RunningHospital = {
    environment: { HSI_DATABASE: url.replace('puente@', 'gateway@') },
    patientId: '2',
    serviceId: '1',
    countBooked: async () =>
      (await run('SELECT 1 FROM appointment WHERE patient_id = 2 AND appointment_state_id = 1')).length,
  };
  return { hospital, run };
}

if (missing === undefined) {
  const { hospital, run } = await makeHospital();
  /** So many days after this week's Monday. */
  const findDay = async (days: number) =>
    String((await run(`SELECT (date_trunc('week', current_date)::date + ${days})::text AS day`))[0].day);

  test('what is booked or blocked is offered to nobody, what was deleted is, and no time that is the desk’s', async () => {
    const { listTimes } = await serveHospital('hsi', hospital);
    const times = listTimes(await findDay(11));
    expect(times.slice(0, 3)).toEqual(['08:00', '09:00', '09:20']);
    expect(times.at(-1)).toBe('16:40');
  });

  test('a holiday closes the diaries that do not take it in', async () => {
    const [own, other] = await Promise.all([
      serveHospital('hsi', hospital),
      serveHospital('hsi', { ...hospital, serviceId: '2' }),
    ]);
    const holiday = await findDay(21);
    expect(own.listTimes(holiday)).toEqual([]);
    expect(other.listTimes(holiday)).toHaveLength(12);
  });

  test('nobody is shown who was deleted', async () => {
    const { ask } = await serveHospital('hsi', hospital);
    expect(await ask('GET', '/patients/11')).toMatchObject({ status: 404 });
  });

  describeHospital('hsi', hospital);
} else test.skip(`skipped: ${missing}`, () => undefined);
