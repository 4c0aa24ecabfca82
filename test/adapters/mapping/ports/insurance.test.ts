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

/** The clinic with a changed mapping file, over a database of its own. */
async function openChanged(...changes: readonly (readonly [from: string, to: string])[]) {
  const database = makeDatabase();
  const offer = await openMapping(
    writeMapping(database, (whole) =>
      changes.reduce((text, [from, to]) => {
        expect(text).toContain(from);
        return text.replaceAll(from, to);
      }, whole),
    ),
  );
  return { insurance: offer.insurance!, services: offer['care-services']!, sql: new DatabaseSync(database) };
}

test('a new coverage has the id that a list shows, whatever form the system returns', async () => {
  const { insurance } = await openChanged(['RETURNING nro_afil', "RETURNING '000' || nro_afil || '  '"]);
  const wanted = { beneficiaryId: '1002', planId: '101', credentialNumber: '77' };
  const { id } = await insurance.create!(wanted, callNow());
  expect((await insurance.coverages!('1002', callNow())).find((each) => each.id === id)?.credentialNumber).toBe('77');
});

test('a lapsed coverage is not called active where the change of coverages cannot make it so', async () => {
  const { insurance, sql } = await openChanged([',\n            baja = coalesce(:active, baja)', '']);
  const wanted = { beneficiaryId: '1001', planId: '401', credentialNumber: '800006 1234567' };
  await expect(insurance.create!(wanted, callNow())).rejects.toMatchObject({ kind: 'unsupported' });
  expect(sql.prepare("SELECT nro_afil FROM afiliaciones WHERE id_paciente = 1001 AND baja = 'N'").all()).toEqual([
    { nro_afil: 5001 },
  ]);
});

test('a coverage belongs to its patient, whose id it has in another form', async () => {
  const { insurance, services } = await openChanged(
    ['SELECT a.*, p.nombre AS plan,', "SELECT a.*, '000' || a.id_paciente AS dueno, p.nombre AS plan,"],
    ['patientId: id_paciente\n    planId', 'patientId: dueno\n    planId'],
    ['id: { from: id_paciente, numeric: true }', 'id: { from: id_paciente, numeric: true, digits: 7 }'],
    ['patientId: a.id_paciente', 'patientId: "\'000\' || a.id_paciente"'],
  );
  const owners = (await insurance.coverages!('1001', callNow())).map(({ patientId }) => patientId);
  expect(owners).toEqual(['1001', '1001']);
  expect(await services.available!({ patientId: '1001', coverageId: '5001' }, callNow())).not.toEqual([]);
  const ofAnother = services.available!({ patientId: '1002', coverageId: '5001' }, callNow());
  await expect(ofAnother).rejects.toMatchObject({ at: 'coverageId' });
});
