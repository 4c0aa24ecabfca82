import { describe, expect, test } from '@jest/globals';
import type { Insurance, Patients } from '../../../src/ports/index.ts';
import { startDroppingProxy } from '../../support/dropping-proxy.ts';
import { connect } from '../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../support/fhir-calls.ts';
import { setUpHospital } from '../../support/fhir-hospital.ts';

const { server, id } = await setUpHospital();
const at = async (takesDeletes: boolean) =>
  (await connect({ url: await startDroppingProxy(server.url, takesDeletes) }, { retries: 0 })).ports;
const [tidy, stubborn] = [await at(true), await at(false)];

const person = { identifier: { type: 'DNI', value: '85000001' }, birthDate: '1990-02-01', gender: 'Female' } as const;
const register = (patients: Patients) => patients.register(person, callNow());
const addCoverage = (insurance: Insurance) => {
  const beneficiaryId = id('Patient/bruno');
  return insurance.create({ beneficiaryId, planId: id('InsurancePlan/osde-210'), credentialNumber: 'N-1' }, callNow());
};

describe('a server that drops the identifier of what is created', () => {
  test('has no patient more after three registrations, each of which fails', async () => {
    const before = await server.search('Patient');
    for (const _ of [1, 2, 3]) {
      await expect(register(tidy.patients)).rejects.toEqual(
        matchFailure('bad_answer', { cause: { code: 'identifier_not_kept' }, at: 'Patient/identifier' }),
      );
    }
    expect(await server.search('Patient')).toHaveLength(before.length);
  });

  test('has no coverage and no relative more', async () => {
    const count = async () =>
      [await server.search('Coverage'), await server.search('RelatedPerson')].map((all) => all.length);
    const before = await count();
    await expect(addCoverage(tidy.insurance)).rejects.toMatchObject({ kind: 'bad_answer' });
    const member = {
      relatedPatientId: id('Patient/elena'),
      relationshipCode: 2,
      relationshipDescription: '',
      active: true,
    };
    const add = tidy['family-groups'].add(id('Patient/bruno'), member, callNow());
    await expect(add).rejects.toMatchObject({ kind: 'bad_answer' });
    expect(await count()).toEqual(before);
  });

  test('leaves it unknown what was done, where it removes nothing', async () => {
    await expect(register(stubborn.patients)).rejects.toEqual(
      matchFailure('outcome_unknown', { cause: { code: 'identifier_not_kept' } }),
    );
    await expect(addCoverage(stubborn.insurance)).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });
});
