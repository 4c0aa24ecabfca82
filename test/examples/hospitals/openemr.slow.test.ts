import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { describeHospital, type RunningHospital, serveHospital } from '../../support/hospitals.ts';
import { missing, startMariadb } from '../../support/mariadb-server.ts';

const read = (file: string) => readFileSync(`examples/hospitals/openemr/${file}`, 'utf8');

/** OpenEMR’s tables on a server of their own, which a user reaches with the rights of the example alone. */
async function makeHospital() {
  const url = await (await startMariadb()).createUrl();
  const run = async (sql: string) => {
    const client = await mysql.createConnection({ uri: url, multipleStatements: true, dateStrings: true });
    const [rows] = await client.query<RowDataPacket[]>(sql);
    await client.end();
    return rows;
  };
  const added = read('puente.sql').replaceAll(' puente@', ' gateway@');
  await run(read('schema.sql') + read('sample.sql'));
  await run(`CREATE USER gateway@'127.0.0.1' IDENTIFIED BY 'secret';${added}`);
  const hospital: RunningHospital = {
    environment: { OPENEMR_DATABASE: url.replace('puente:', 'gateway:') },
    patientId: '102',
    serviceId: '5',
    countBooked: async () =>
      (await run("SELECT 1 FROM openemr_postcalendar_events WHERE pc_pid = '102' AND pc_apptstatus = '-'")).length,
  };
  return { hospital, run };
}

/** As PHP writes a rule. */
const writeRule = (rule: Readonly<Record<string, string>>): string => {
  const parts = Object.entries(rule).flat();
  return `a:${parts.length / 2}:{${parts.map((part) => `s:${part.length}:"${part}";`).join('')}}`;
};
const every = (freq: string, unit: string, more = {}) =>
  writeRule({ event_repeat_freq: freq, event_repeat_freq_type: unit, ...more });
const each = (num: string, day: string, months: string) =>
  writeRule({ event_repeat_on_num: num, event_repeat_on_day: day, event_repeat_on_freq: months });

/** From the Tuesday 3 March 2026, and until the end of April. */
const series: readonly (readonly [string, number, string, string])[] = [
  ['every tenth day', 1, every('10', '0'), '03-03 03-13 03-23 04-02 04-12 04-22'],
  ['every third week', 1, every('3', '1'), '03-03 03-24 04-14'],
  ['every month', 1, every('1', '2'), '03-03 04-03'],
  ['every second month', 1, every('2', '2'), '03-03'],
  ['every year', 1, every('1', '3'), '03-03'],
  ['the second Tuesday', 2, each('2', '2', '1'), '03-10 04-14'],
  ['the last Friday', 2, each('5', '5', '1'), '03-27 04-24'],
  ['every second first Sunday', 2, each('1', '0', '2'), ''],
  [
    'Sundays and Saturdays but for one',
    3,
    every('1,7', '6', { exdate: '20260307,20260412' }),
    '03-08 03-14 03-15 03-21 03-22 03-28 03-29 04-04 04-05 04-11 04-18 04-19 04-25 04-26',
  ],
];

if (missing === undefined) {
  const { hospital, run } = await makeHospital();

  test('days that a series leaves out, lunch, holidays and vacations are offered to nobody', async () => {
    const { listTimes } = await serveHospital('openemr', hospital);
    const [{ monday } = { monday: '' }] = await run('SELECT curdate() - INTERVAL weekday(curdate()) DAY AS monday');
    const findDay = (days: number) =>
      new Date(Date.parse(String(monday)) + days * 86_400_000).toISOString().slice(0, 10);
    expect(listTimes(findDay(8)).filter((time) => time >= '11')).toEqual([
      ...['11:00', '11:15', '11:30', '11:45'],
      ...[14, 15, 16, 17].flatMap((hour) =>
        [0, 15, 30, 45].map((minute) => `${hour}:${String(minute).padStart(2, '0')}`),
      ),
    ]);
    expect(listTimes(findDay(9))[0]).toBe('14:00');
    expect([listTimes(findDay(21)), listTimes(findDay(42))]).toEqual([[], []]);
    expect(listTimes(findDay(35))).not.toEqual([]);
  });

  describeHospital('openemr', hospital);

  const listDays = async (category: number, type: number, rule: string) => {
    await run(`DELETE FROM openemr_postcalendar_events WHERE pc_title = 'series';
      INSERT INTO openemr_postcalendar_events (pc_catid, pc_title, pc_eventDate, pc_endDate, pc_startTime, pc_duration, pc_recurrtype, pc_recurrspec)
      VALUES (${category}, 'series', '2026-03-03', '2026-04-30', '08:00', 900, ${type}, '${rule}')`);
    const days = await run(
      'SELECT day FROM puente_events WHERE pc_eid = (SELECT max(pc_eid) FROM openemr_postcalendar_events) ORDER BY day',
    );
    return days.map(({ day }) => String(day).slice(5));
  };

  test.each(series)('a series of %s has its days', async (_, type, rule, days) => {
    expect((await listDays(2, type, rule)).join(' ')).toBe(days);
  });

  test('a series of every working day has five of each week', async () => {
    const days = await listDays(2, 1, every('1', '4'));
    expect(days.slice(0, 6)).toEqual(['03-03', '03-04', '03-05', '03-06', '03-09', '03-10']);
  });

  test.each([every('0', '1'), every('2', '4'), every('x', '0'), 'nothing that PHP writes', ''])(
    'a series whose rule is %j opens no day, and takes time on each',
    async (rule) => {
      expect(await listDays(2, 1, rule)).toEqual([]);
      expect(await listDays(5, 1, rule)).toHaveLength(59);
    },
  );
} else test.skip(`skipped: ${missing}`, () => undefined);
