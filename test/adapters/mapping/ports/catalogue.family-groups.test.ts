import { DatabaseSync } from 'node:sqlite';
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

const spouse = { relatedPatientId: '1002', relationshipCode: 1, relationshipDescription: '', active: true };

test('a relative who is in the group beside an earlier relation is not added twice', async () => {
  const database = makeDatabase();
  new DatabaseSync(database).exec(
    "DROP INDEX grupo_familiar_de; INSERT INTO grupo_familiar VALUES (9, 1001, 1002, 1, NULL, 'S', 'N')",
  );
  const { 'family-groups': groups } = await openMapping(writeMapping(database));
  expect((await groups!.list!('1001', callNow())).map(({ id, active }) => [id, active])).toEqual([
    ['1', true],
    ['2', false],
    ['9', true],
  ]);
  await expect(groups!.add!('1001', spouse, callNow())).rejects.toMatchObject({ code: 'relation_exists' });
});

test.each([
  ['returns', ' RETURNING nro_familiar', '        as: made\n    id: made\n'],
  ['does not return', '', ''],
])('a relative whose relation is made anew has its new id, which the system %s', async (_, returning, as) => {
  const database = makeDatabase();
  new DatabaseSync(database).exec('DROP INDEX grupo_familiar_de');
  const add = `add:
    steps:
      - sql: |
          INSERT INTO grupo_familiar (id_paciente, id_familiar, cod_parentesco, parentesco, vigente)
          VALUES (:patientId, :relatedPatientId, :relationshipCode, :relationshipDescription, :active)${returning}
        else: exists
${as}`;
  const change = (text: string) => text.replace(/(?<=\nrelatives:[\s\S]*?)add: #[\s\S]*?(?= {2}remove:)/, add);
  const { 'family-groups': groups } = await openMapping(writeMapping(database, change));
  const { id } = await groups!.add!('1001', spouse, callNow());
  const shown = (await groups!.list!('1001', callNow())).filter(({ relatedPatientId }) => relatedPatientId === '1002');
  expect(shown.find((each) => each.active)?.id).toBe(id);
  expect(shown).toHaveLength(2);
});
