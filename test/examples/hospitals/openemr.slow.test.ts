import { readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { describeHospital, type RunningHospital } from '../../support/hospitals.ts';
import { missing, startMariadb } from '../../support/mariadb-server.ts';

const read = (file: string) => readFileSync(`examples/hospitals/openemr/${file}`, 'utf8');

/** OpenEMR’s tables on a server of their own, which a user reaches with the rights of the example alone. */
async function makeHospital(): Promise<RunningHospital> {
  const url = await (await startMariadb()).createUrl();
  const run = async (sql: string) => {
    const client = await mysql.createConnection({ uri: url, multipleStatements: true });
    const [rows] = await client.query<RowDataPacket[]>(sql);
    await client.end();
    return rows;
  };
  await run(read('schema.sql') + read('sample.sql'));
  await run(
    `CREATE USER gateway@'127.0.0.1' IDENTIFIED BY 'secret';${read('puente.sql').replaceAll(' puente@', ' gateway@')}`,
  );
  return {
    environment: { OPENEMR_DATABASE: url.replace('puente:', 'gateway:') },
    patientId: '102',
    serviceId: '5',
    countBooked: async () =>
      (await run("SELECT 1 FROM openemr_postcalendar_events WHERE pc_pid = '102' AND pc_apptstatus = '-'")).length,
  };
}

if (missing === undefined) describeHospital('openemr', await makeHospital());
else test.skip(`skipped: ${missing}`, () => undefined);
