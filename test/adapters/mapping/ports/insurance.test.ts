import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { perform } from '../../../../src/api/index.ts';
import { findOperation } from '../../../support/fake-port.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

test('a coverage that the system finds by its patient alone pays for services, and needs the patient', async () => {
  const text = (whole: string) =>
    whole.replace('{ id: a.nro_afil, patientId: a.id_paciente }', '{ patientId: a.id_paciente }');
  const offer = await openMapping(writeMapping(makeDatabase(), text));
  const list = (who: object) => offer['care-services']!.available!(who, callNow());
  expect(await list({ patientId: '1001', coverageId: '5001' })).not.toEqual([]);
  await expect(list({ patientId: '1001', coverageId: '5003' })).rejects.toMatchObject({ at: 'coverageId' });
  await expect(list({ coverageId: '5001' })).rejects.toMatchObject({ kind: 'unsupported' });
});

test('an edit to a credential that the system refuses as a double is 422, as the API document lists', async () => {
  const database = makeDatabase();
  new DatabaseSync(database).exec('CREATE UNIQUE INDEX una ON afiliaciones (id_paciente, credencial)');
  const text = (whole: string) => whole.replace('WHERE nro_afil = :id\n', '$&        else: exists\n');
  const { insurance } = await openMapping(writeMapping(database, text));
  const [first] = await insurance!.coverages!('1001', callNow());
  const { planId, credentialNumber } = first!;
  const other = { beneficiaryId: '1001', planId, credentialNumber: `${credentialNumber}9` };
  const { id: coverageId } = await insurance!.create!(other, callNow());
  const raw = { params: { coverageId }, query: {}, body: { credentialNumber } };
  await expect(perform(findOperation('editCoverage'), insurance, raw, callNow())).rejects.toMatchObject({
    code: 'validation',
    details: { faults: [{ in: 'body', at: '/credentialNumber' }] },
  });
});
