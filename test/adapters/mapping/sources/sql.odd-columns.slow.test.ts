import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { Offer } from '../../../../src/ports/index.ts';
import { ConfigFolder } from '../../../support/config-file.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { openMapping } from '../../../support/mapped-clinic.ts';
import { examineFile } from '../../../support/mapping-tools.ts';
import * as mariadb from '../../../support/mariadb-server.ts';
import * as mysqlServer from '../../../support/mysql-server.ts';
import * as postgres from '../../../support/postgres-server.ts';

const folder = 'test/support/mapping';
const written = new ConfigFolder();
afterAll(() => written.remove());
const procedure = 'CREATE PROCEDURE sp_sedes() SELECT cod, nom FROM sede';

async function fillMysql(url: string, change: (sql: string) => string = (sql) => sql): Promise<string> {
  const client = await mysql.createConnection({ uri: url, multipleStatements: true });
  await client.query(`ALTER DATABASE CHARACTER SET latin1; ${change(readFileSync(`${folder}/odd-mysql.sql`, 'utf8'))}`);
  await client.query(procedure);
  await client.end();
  return url;
}

async function fillPostgres(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(readFileSync(`${folder}/odd-pg.sql`, 'utf8'));
  await client.end();
  return url;
}

const mysqls = [
  {
    name: 'MariaDB',
    missing: mariadb.missing,
    url: mariadb.missing === undefined ? await fillMysql(await (await mariadb.startMariadb()).createUrl()) : '',
  },
  {
    name: 'MySQL',
    missing: mysqlServer.missing,
    // 5.6 has no type for JSON.
    url:
      mysqlServer.missing === undefined
        ? await fillMysql(await (await mysqlServer.startMysql()).createUrl(), (sql) =>
            sql.replace('js JSON', 'js TEXT'),
          )
        : '',
  },
];
const pgUrl =
  postgres.missing === undefined ? await fillPostgres(await (await postgres.startPostgres()).createUrl()) : '';

const open = async (kind: 'mysql' | 'pg', url: string): Promise<Offer> => {
  process.env.ODD_URL = url;
  return openMapping(`${folder}/odd-${kind}.yaml`);
};

describe.each(mysqls)('odd columns of $name', ({ missing, url }) => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  test('are people', async () => {
    const { patients } = await open('mysql', url);
    const get = (id: string) => patients!.get!(id, callNow());
    expect(await get('1')).toMatchObject({ name: 'José', medicalRecordId: 'HC-1', phone: '011-4444', active: true });
    expect(await get('2')).toMatchObject({ name: 'Ana', birthDate: '', phone: '011-5555' });
    expect(await get('3')).toMatchObject({ birthDate: '', active: false, phone: '' });
    expect(await get('4')).toMatchObject({ gender: 'Other' });
    expect(await get('9007199254740993')).toMatchObject({ name: 'Max' });
    for (const id of ['AAB123', '18446744073709551616', '5']) {
      await expect(get(id)).rejects.toMatchObject({ kind: 'not_found' });
    }
    expect(await patients!.search!({ identifier: '1234567', identifierType: 'DNI' }, callNow())).toMatchObject([
      { id: '1' },
    ]);
  });

  test('that hold documents as numbers find nobody by a text that only begins with the number', async () => {
    const admin = await mysql.createConnection(url);
    await admin.query('ALTER TABLE pac ADD COLUMN ndoc INT');
    await admin.query('UPDATE pac SET ndoc = doc');
    await admin.end();
    process.env.ODD_URL = url;
    const text = readFileSync(`${folder}/odd-mysql.yaml`, 'utf8');
    const numbers = text.replace('document: doc', 'document: ndoc').replace('{ from: doc, digits: 8 }', 'ndoc');
    const { patients } = await openMapping(written.write('numbers.yaml', numbers));
    const search = async (identifier: string, identifierType?: 'DNI' | 'Passport') => {
      const found = await patients!.search!({ identifier, ...(identifierType && { identifierType }) }, callNow());
      return found.map(({ id }) => id);
    };
    expect([await search('22333444'), await search('22333444', 'DNI')]).toEqual([['2'], ['2']]);
    for (const other of ['22333444A', '22333444-5', '22333444 X']) expect(await search(other)).toEqual([]);
    expect(await search('22333444A', 'Passport')).toEqual([]);
  });

  test('are catalogues', async () => {
    const { practitioners, 'care-services': services } = await open('mysql', url);
    expect(await practitioners!.list!(callNow())).toMatchObject([
      { id: '7', specialty: 'Clínica', workingHours: '8:00' },
      { id: '12' },
    ]);
    const [, first] = await services!.available!({ patientId: '1' }, callNow());
    // At noon in Buenos Aires, of a column with a zone and of one without.
    expect(first).toMatchObject({ name: 'Consulta', updatedAt: '2026-01-01T15:00:00.000Z' });
  });

  test('are booked once, and canceled', async () => {
    const { appointments } = await open('mysql', url);
    const { items } = await appointments!.slots!({ serviceId: '1' }, callNow());
    expect(new Set(items.map(({ start }) => start.slice(11, 16)))).toEqual(
      new Set(['08:00', '08:30', '09:00', '09:30', '22:00', '22:30', '23:00', '23:30']),
    );
    const [slot] = items.filter(({ start }) => start.endsWith('23:30:00'));
    const booking = { serviceId: '1', practitionerIds: ['7'], start: slot!.start };
    const { id } = await appointments!.book!('9007199254740993', booking, callNow());
    await expect(appointments!.book!('1', booking, callNow())).rejects.toMatchObject({ code: 'slot_taken' });
    const list = async (patientId: string) =>
      (await appointments!.list!(patientId, { order: 'ascending' }, callNow())).items;
    expect(await list('9007199254740993')).toMatchObject([{ id, start: slot!.start, status: 'active' }]);
    expect(await list('9007199254740992')).toEqual([]);
    await appointments!.cancel!('9007199254740993', id, callNow());
    expect(await list('9007199254740993')).toMatchObject([{ id, status: 'canceled' }]);
  });

  test('are what the file says', async () => {
    process.env.ODD_URL = url;
    expect((await examineFile(`${folder}/odd-mysql.yaml`, '1')).filter(({ ok }) => ok === false)).toEqual([]);
  });
});

describe('odd columns of PostgreSQL', () => {
  if (postgres.missing !== undefined) return void test.skip(`skipped: ${postgres.missing}`, () => undefined);

  test('are people', async () => {
    const { patients } = await open('pg', pgUrl);
    const get = (id: string) => patients!.get!(id, callNow());
    expect(await get('1')).toMatchObject({ name: 'José', lastName: 'Nuñez', gender: 'Male', birthDate: '1980-05-01' });
    expect([(await get('2')).birthDate, (await get('3')).birthDate]).toEqual(['', '']);
    for (const id of ['2147483648', 'AAB123', '9']) await expect(get(id)).rejects.toMatchObject({ kind: 'not_found' });
    for (const identifier of ['31465466', '22333444']) {
      expect(await patients!.search!({ identifier, identifierType: 'DNI' }, callNow())).toHaveLength(1);
    }
    expect(await patients!.search!({ identifier: 'AAB123', identifierType: 'Passport' }, callNow())).toEqual([]);
    await patients!.update!('1', { phone: '4444' }, callNow());
    expect(await get('1')).toMatchObject({ phone: '4444' });
  });

  test('are catalogues and slots', async () => {
    const { practitioners, appointments, 'care-services': services } = await open('pg', pgUrl);
    const [doctor] = await practitioners!.list!(callNow());
    expect(doctor).toMatchObject({ specialty: 'Clínica', phone: '11-1 11-2' });
    expect(await services!.available!({ patientId: '1' }, callNow())).toMatchObject([
      { createdAt: '2026-01-01T12:00:00.000Z', updatedAt: '2026-01-01T15:00:00.000Z' },
    ]);
    const { items } = await appointments!.slots!({ serviceId: '1' }, callNow());
    expect(items[0]).toMatchObject({
      start: expect.stringMatching(/T09:00:00$/),
      minutes: 30,
      practitionerId: doctor!.id,
    });
    expect(items).toHaveLength(6);
  });

  test('are what the file says', async () => {
    process.env.ODD_URL = pgUrl;
    expect((await examineFile(`${folder}/odd-pg.yaml`, '1')).filter(({ ok }) => ok === false)).toEqual([]);
  });
});
