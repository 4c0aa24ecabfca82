import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { callNow } from '../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../support/mapped-clinic.ts';

async function openClinic() {
  const database = makeDatabase();
  const { patients, readiness } = await openMapping(writeMapping(database));
  const report = async () => (await readiness!.report(AbortSignal.timeout(10_000))).impairments;
  return { database: new DatabaseSync(database), patients, report };
}

test('a system that answers is well', async () => {
  const { report } = await openClinic();
  expect(await report()).toEqual([]);
});

test('a question of whose records none fits is an impairment until one fits again', async () => {
  const { database, patients, report } = await openClinic();
  const get = () => patients!.get!('1001', callNow());
  database.exec(`UPDATE pacientes SET sexo = '?'`);
  await expect(get()).rejects.toMatchObject({ kind: 'bad_answer' });
  expect(await report()).toEqual([
    {
      code: 'records_unfit',
      detail: expect.stringContaining('no record that answers patients.byId matches'),
    },
  ]);
  database.exec(`UPDATE pacientes SET sexo = 'F'`);
  await get();
  expect(await report()).toEqual([]);
});

test.each([
  ['mysql://puente:x@his.lan/his', true],
  ['mysql://puente:x@his.lan/his?sslmode=verify-full', false],
  ['mysql://puente:x@127.0.0.1/his', false],
])('a database at %s has a note where records cross a network: %s', async (address, isOpen) => {
  process.env.NOTE_TEST_URL = address;
  const file = writeMapping('-', (text) =>
    text.replace(/kind: sqlite\n +file: -/, 'kind: mysql\n  url: env:NOTE_TEST_URL'),
  );
  const { notes } = await openMapping(file);
  expect(notes?.some((note) => /^database.url .*another host without TLS/.test(note))).toBe(isOpen);
});
