import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

const open = async (change: (text: string) => string) =>
  (await openMapping(writeMapping(makeDatabase(), change)))['family-groups']!;
const sister = { relatedPatientId: '1002', relationshipCode: 3, relationshipDescription: 'Hermana', active: true };

test('a relative with what the change does not keep is not supported, and not added', async () => {
  const group = await open((text) =>
    text
      .replace(', parentesco = :relationshipDescription', '')
      .replace('cod_parentesco, parentesco, vigente)', 'cod_parentesco, vigente)')
      .replace(':relationshipCode, :relationshipDescription, :active', ':relationshipCode, :active'),
  );
  const before = await group.list!('1003', callNow());
  const refusal = { kind: 'unsupported', message: 'the institution’s system does not store relationshipDescription' };
  await expect(group.add!('1003', sister, callNow())).rejects.toMatchObject(refusal);
  expect(await group.list!('1003', callNow())).toEqual(before);
  await group.add!('1003', { ...sister, relationshipDescription: '' }, callNow());
  expect(await group.list!('1003', callNow())).toHaveLength(before.length + 1);
});

test('a removal that says to be done, and left the relative there, is of unknown outcome', async () => {
  const group = await open((text) =>
    text
      .replace("AND nro_familiar = :id AND baja = 'N'", "AND nro_familiar = :id AND baja = 'X'")
      .replace(
        /else: nothing\n {2}fields:\n {4}id: \{ from: nro_familiar/,
        'else: done\n  fields:\n    id: { from: nro_familiar',
      ),
  );
  const { id } = await group.add!('1003', sister, callNow());
  await expect(group.remove!('1003', id, callNow())).rejects.toMatchObject({ kind: 'outcome_unknown' });
  expect(await group.list!('1003', callNow())).toContainEqual({ ...sister, id, patientId: '1003' });
});
