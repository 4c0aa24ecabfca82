import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { callNow } from '../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../support/mapped-clinic.ts';

async function openClinic() {
  const database = makeDatabase();
  const { practitioners, readiness } = await openMapping(writeMapping(database));
  const report = async () => (await readiness!.report(AbortSignal.timeout(10_000))).impairments;
  return { database: new DatabaseSync(database), practitioners, report };
}

test('a system that answers is well', async () => {
  const { report } = await openClinic();
  expect(await report()).toEqual([]);
});

test('a question of whose records none fits is an impairment until one fits again', async () => {
  const { database, practitioners, report } = await openClinic();
  const list = () => practitioners!.list!(callNow());
  database.exec(`UPDATE profesionales SET atiende = '?'`);
  await expect(list()).rejects.toMatchObject({ kind: 'bad_answer' });
  expect(await report()).toEqual([
    {
      code: 'records_unfit',
      detail: expect.stringContaining('none of the records that answer practitioners.all fits'),
    },
  ]);
  database.exec(`UPDATE profesionales SET atiende = 'S'`);
  await list();
  expect(await report()).toEqual([]);
});
