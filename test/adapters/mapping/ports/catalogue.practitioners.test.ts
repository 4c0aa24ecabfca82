import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

test('a patient whose row joins no practitioner has no main practitioner', async () => {
  const mainOf = `mainOf: |
    SELECT p.* FROM pacientes c LEFT JOIN profesionales p ON p.matricula = c.mat_cabecera
    WHERE c.id_paciente = :patientId
`;
  const change = (text: string) => text.replace(/keys: \{ patientId: \{ column: c.id_paciente, join: .*\n/, mainOf);
  const { practitioners } = await openMapping(writeMapping(makeDatabase(), change));
  expect(await practitioners!.mainOf!('1001', callNow())).toMatchObject({ id: '52110' });
  const missing = practitioners!.mainOf!('1002', callNow());
  await expect(missing).rejects.toMatchObject({ kind: 'not_found', code: 'no_main_practitioner' });
});
