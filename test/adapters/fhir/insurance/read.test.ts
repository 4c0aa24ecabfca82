import { describe, expect, test } from '@jest/globals';
import { toCoverage } from '../../../../adapters/fhir/insurance/read.ts';
import { resources } from '../../../../adapters/fhir/schema/resources.ts';
import { Codes } from '../../../../adapters/fhir/schema/terminology.ts';
import { Zone } from '../../../../src/toolkit/zone.ts';
import { makeSettings } from '../../../support/fhir-adapter.ts';

const codes = new Codes(makeSettings({ url: 'https://fhir.example.org' }));
const zone = new Zone('America/Argentina/Buenos_Aires');
const now = '2026-11-21T12:00:00.000Z';

describe('a coverage', () => {
  const coverage = (rest: object) =>
    resources.Coverage.parse({
      resourceType: 'Coverage',
      id: 'c',
      status: 'active',
      beneficiary: { reference: 'Patient/p' },
      ...rest,
    });
  const mapped = (rest: object) => toCoverage(coverage(rest), undefined, now, { codes, zone });
  const planClass = (rest: object) => ({
    type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/coverage-class', code: 'plan' }] },
    ...rest,
  });

  test('has the words of its payor, its class and its credential', () => {
    const payor = [{ reference: 'Organization/o', display: 'OSDE' }];
    const shown = mapped({ payor, class: [planClass({ value: 'osde-210', name: '210' })], subscriberId: '123' });
    expect(shown).toEqual({
      id: 'c',
      patientId: 'p',
      planId: 'osde-210',
      carrier: 'OSDE',
      plan: '210',
      credentialNumber: '123',
      active: true,
    });
  });

  test.each([
    'https://puente.example.org/fhir/StructureDefinition/coverage-plan',
    'http://hl7.org/fhir/5.0/StructureDefinition/extension-Coverage.insurancePlan',
  ])('names its plan by the extension %s', (url) => {
    const extension = [{ url, valueReference: { reference: 'InsurancePlan/77' } }];
    expect(mapped({ extension, class: [planClass({ value: 'osde-210' })] }).planId).toBe('77');
  });

  test.each([
    ['the one in force, after an old one', [{ use: 'old', value: 'old' }, { value: 'new' }], undefined, 'new'],
    [
      'the one in force, after one that ended',
      [{ period: { end: '2026-10-31' }, value: 'old' }, { value: 'new' }],
      'x',
      'new',
    ],
    ['the subscriber’s before an old one', [{ use: 'old', value: 'old' }], 'new', 'new'],
    ['an old one if there is no other', [{ use: 'old', value: 'old' }], undefined, 'old'],
  ])('has as its number %s', (_, numbers, subscriberId, shown) => {
    const type = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MB' }] };
    const identifier = numbers.map((each) => ({ type, ...each }));
    expect(mapped({ identifier, ...(subscriberId && { subscriberId }) }).credentialNumber).toBe(shown);
  });

  test('of the patient’s own purse is PARTICULAR', () => {
    expect(mapped({ payor: [{ reference: 'Patient/p' }] }).carrier).toBe('PARTICULAR');
  });

  test('that is over or canceled is inactive', () => {
    expect(mapped({ period: { end: '2026-11-20' } }).active).toBe(false);
    expect(mapped({ status: 'cancelled' }).active).toBe(false);
  });

  test('names its plan in the best words that it has', () => {
    expect(mapped({ class: [planClass({ value: '210' })] }).plan).toBe('210');
    expect(mapped({ type: { text: 'Plan joven' } }).plan).toBe('Plan joven');
  });
});
