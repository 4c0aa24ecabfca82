import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { callNow } from '../../support/fhir-calls.ts';
import { openMapping } from '../../support/mapped-clinic.ts';
import { missing, startPostgres } from '../../support/postgres-server.ts';

const read = (file: string) => readFileSync(join('examples/hospitals/hl7v2', file), 'utf8');

const run = missing === undefined ? test : test.skip;
const server = missing === undefined ? await startPostgres() : undefined;

run(
  'tables, statement and file for an engine of HL7 v2 fit together',
  async () => {
    const url = await server!.createUrl();
    const engine = new pg.Client(url);
    await engine.connect();
    await engine.query(read('tables.sql'));
    await engine.query(
      "INSERT INTO patients (id, document_type, document, last_name, first_name, birth_date, sex, sent) VALUES ('7', 'NI', '31465466', 'Ferreyra', 'Ana', '1985-11-30', 'F', now())",
    );
    let mark = 0;
    const statement = read('write-appointment.sql').replaceAll('?', () => `$${++mark}`);
    const writeMessage = (status: string, sent: string) =>
      engine.query(statement, ['9', '7', '3', 'Paz, Eva', '2099-12-01 09:00:00', 20, status, sent]);
    await engine.query("UPDATE patients SET phone = '1'");
    await writeMessage('active', '2026-11-01 10:00:00');
    await writeMessage('active', '2026-11-01 10:00:00');
    // An older message that comes late.
    await writeMessage('canceled', '2026-11-01 09:00:00');
    await engine.query(
      "UPDATE appointments SET location_id = '1', location = 'Centro', service_id = '2', service = 'Control'",
    );

    process.env.ENGINE_DATABASE = url;
    const { patients, appointments } = await openMapping('examples/hospitals/hl7v2/engine.yaml');
    const found = await patients!.search!({ identifier: '31465466' }, callNow());
    expect(found).toMatchObject([{ id: '7', gender: 'Female', birthDate: '1985-11-30' }]);
    const list = () => appointments!.list!('7', { order: 'ascending' }, callNow());
    expect((await list()).items).toMatchObject([
      { id: '9', status: 'active', start: '2099-12-01T09:00:00', minutes: 20 },
    ]);
    await appointments!.cancel!('7', '9', callNow());
    expect((await list()).items).toMatchObject([{ id: '9', status: 'canceled' }]);
    expect((await engine.query('SELECT kind, appointment_id FROM outbox')).rows).toEqual([
      { kind: 'S15', appointment_id: '9' },
    ]);
    await engine.end();
  },
  60_000,
);
