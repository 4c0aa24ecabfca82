import { readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import pg from 'pg';
import { describeHospital, type RunningHospital } from '../../support/hospitals.ts';
import { missing, startPostgres } from '../../support/postgres-server.ts';

const read = (file: string) => readFileSync(`examples/hospitals/hsi/${file}`, 'utf8');

/** HSI’s tables on a server of their own, which a user reaches with the rights of the example alone. */
async function makeHospital(): Promise<RunningHospital> {
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
  return {
    environment: { HSI_DATABASE: url.replace('puente@', 'gateway@') },
    patientId: '2',
    serviceId: '1',
    countBooked: async () =>
      (await run('SELECT 1 FROM appointment WHERE patient_id = 2 AND appointment_state_id = 1')).length,
  };
}

if (missing === undefined) describeHospital('hsi', await makeHospital());
else test.skip(`skipped: ${missing}`, () => undefined);
