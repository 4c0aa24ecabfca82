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

const type = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MB' }],
  text: 'Número de afiliado',
};

const member = { type, system: 'https://osde.example.org/afiliado', value: '61-2', assigner: { display: 'OSDE' } };

const payors = (carrier: string) => [
  { reference: `Organization/${id(`Organization/${carrier}`)}`, display: carrier },
  { reference: `Patient/${id('Patient/dario')}` },
];

async function edit(stored: object, changes: { planId?: string; credentialNumber?: string }) {
  const beneficiary = { reference: `Patient/${id('Patient/dario')}` };
  const coverage = { resourceType: 'Coverage', id: 'c', status: 'active', beneficiary, payor: payors('osde') } as const;
  server.load({ ...coverage, ...stored });
  await ports.insurance.edit('c', changes, callNow());
  return server.read('Coverage', 'c');
}

describe('a coverage that gets another plan', () => {
  test('of the same carrier keeps who else pays, and its numbers as they are', async () => {
    const stored = { identifier: [member], subscriberId: '61-1' };
    const after = await edit(stored, { planId: id('InsurancePlan/osde-310') });
    expect(after).toMatchObject({ ...stored, class: [{ name: '310' }], payor: payors('osde') });
  });

  test('of another carrier keeps its former numbers, and has the one in force under the new carrier', async () => {
    const former = { ...member, use: 'old', value: '61-0' } as const;
    const after = await edit({ identifier: [former, member] }, { planId: id('InsurancePlan/swiss-smg20') });
    const system = `https://puente.example.org/fhir/sid/credential/${id('Organization/swiss')}`;
    expect(after).toMatchObject({ identifier: [{ ...member, system }, former], subscriberId: '61-2' });
  });

  test('gets no number when it has none', async () => {
    const after = await edit({}, { planId: id('InsurancePlan/osde-310') });
    expect(after).toMatchObject({ class: [{ name: '310' }] });
    expect([after.identifier, after.subscriberId]).toEqual([undefined, undefined]);
  });

  test('of another carrier has its number among those of that carrier, and keeps who else pays', async () => {
    const after = await edit({ identifier: [member] }, { planId: id('InsurancePlan/swiss-smg20') });
    const system = `https://puente.example.org/fhir/sid/credential/${id('Organization/swiss')}`;
    expect(after.identifier).toEqual([{ ...member, system }]);
    expect(after.payor).toEqual([{ reference: `Organization/${id('Organization/swiss')}` }, payors('osde')[1]]);
  });
});

test('a coverage that gets another number has it under the system of the old one', async () => {
  const after = await edit({ identifier: [member] }, { credentialNumber: '77' });
  expect(after).toMatchObject({ identifier: [{ ...member, value: '77' }], subscriberId: '77' });
});
