import { expect, test } from '@jest/globals';
import { listPersonal } from '../../../src/cli/contract/mask.ts';
import { sandbox } from '../../../src/contract/index.ts';

test('values of patients are those of the fixtures and of confirmed records, and no words of the API', () => {
  const personal = listPersonal(sandbox);
  expect(personal.get('Ferreyra')).toBe('records.patients_1.last_name');
  expect(personal.get('julieta-benedetti')).toBe('records.appointments_2.patient_id');
  expect(personal.get('ana')).toBe('patients.complete');
  expect(['Female', 'Passport', 'OSDE', 'active', 'true'].filter((word) => personal.has(word))).toEqual([]);
});
