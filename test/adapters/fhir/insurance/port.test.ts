import { beforeEach, describe, expect, test } from '@jest/globals';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();

describe.each([hapi, medplum])('a coverage, on $software', (preset) => {
  beforeEach(() => server.reset(preset));

  test('that had ended is taken up again, and not doubled', async () => {
    const wanted = {
      beneficiaryId: id('Patient/ana'),
      planId: id('InsurancePlan/swiss-smg20'),
      credentialNumber: '80035520710101',
    };
    const shown = async () =>
      (await ports.insurance.coverages(id('Patient/ana'), callNow())).find((each) => each.plan === 'SMG20')?.active;
    // A server may keep the number under a system of its own; this one is that of the carrier.
    const old = await server.read('Coverage', id('Coverage/ana-swiss'));
    const system = `https://puente.example.org/fhir/sid/credential/${id('Organization/swiss')}`;
    await server.update({ ...old, identifier: (old.identifier ?? []).map((each) => ({ ...each, system })) });
    expect(await shown()).toBe(false);
    expect(await ports.insurance.create(wanted, callNow())).toEqual({ id: old.id });
    expect(await shown()).toBe(true);
    const all = await server.search('Coverage', `beneficiary=Patient/${id('Patient/ana')}`);
    expect(all).toHaveLength(2);
    await expect(ports.insurance.create(wanted, callNow())).rejects.toMatchObject({ code: 'coverage_exists' });
  });
});
