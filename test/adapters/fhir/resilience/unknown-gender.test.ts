import { describe, expect, test } from '@jest/globals';
import type { Patient } from '@medplum/fhirtypes';
import type { PatientSearch } from '../../../../src/ports/index.ts';
import { terms } from '../../../hospital-in-fhir/terms.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

// Whom a server knows no gender of. How such a person registers is in untidy-data.test.ts.

const { server, ports } = await setUpHospital();

const DNI = '40222333';
const birthDate = '1990-02-01';
const makePatient = (id: string, rest: object) =>
  server.load({ resourceType: 'Patient', id, birthDate, identifier: [{ system: terms.dni, value: DNI }], ...rest });

describe('a search for people of the gender Other', () => {
  const find = async (criteria: PatientSearch) =>
    (await ports.patients.search({ gender: 'Other', ...criteria }, callNow())).map((patient) => patient.id);
  const makeMany = (gender: Patient['gender'], count: number) => {
    for (let n = 0; n < count; n++) makePatient(`${gender}-${n}`, { gender, identifier: undefined });
  };

  test.each<[string, PatientSearch]>([
    ['an identifier', { identifier: DNI }],
    ['a birth date', { birthDate }],
  ])('finds by %s whom the server knows no gender of, and no woman', async (_, criteria) => {
    makePatient('ella', { gender: 'female' });
    for (const gender of [undefined, 'unknown', 'other'] as const) {
      makePatient('alguien', { gender });
      expect(await find(criteria)).toEqual(['alguien']);
    }
  });

  test('finds the only one of so many who were born on that day', async () => {
    makeMany('female', 120);
    makePatient('alguien', { gender: undefined });
    expect(await find({ birthDate })).toEqual(['alguien']);
  });

  test('finds fifty, and is too wide for more', async () => {
    makeMany('female', 60);
    makeMany('other', 50);
    expect(await find({ birthDate })).toHaveLength(50);
    makePatient('alguien', { gender: undefined });
    await expect(find({ birthDate })).rejects.toMatchObject({ kind: 'invalid', code: 'search_too_wide' });
  });

  test('asks once by an identifier', async () => {
    makePatient('alguien', { gender: undefined });
    expect(await find({ identifier: DNI })).toHaveLength(1);
    expect(server.requests.calls).toEqual(['POST Patient/_search']);
  });
});
