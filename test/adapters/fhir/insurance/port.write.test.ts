import { describe, expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();

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
  await server.load({ ...coverage, ...stored });
  await ports.insurance.edit('c', changes, callNow());
  return server.read('Coverage', 'c');
}

describe('a coverage that gets another plan', () => {
  test('of the same carrier keeps who else pays, and its numbers as they are', async () => {
    const stored = { identifier: [member], subscriberId: '61-1' };
    const after = await edit(stored, { planId: id('InsurancePlan/osde-310') });
    expect(after).toMatchObject({ ...stored, class: [{ name: '310' }], payor: payors('osde') });
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
