import { expect, test } from '@jest/globals';
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
