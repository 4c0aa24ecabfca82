import { expect, test } from '@jest/globals';
import { listHospitalDay } from './hospital-day.ts';
import type { Result } from './variant.ts';

const measured = (name: string, cpu: number): Result => ({
  name,
  own: true,
  rounds: [{ cpu, rate: 1_000, p50: 1, p99: 2 }],
});

test('what a hospital asks for stands beside what one core does, over FHIR by the calls where it was not measured', () => {
  const rows = listHospitalDay(
    new Map([
      ['read', [measured('Puente on memory', 100)]],
      ['slots', [measured('Puente, page of ten of Group B', 200)]],
      ['operations', [measured('patient search', 100), measured('register', 200), measured('book', 250)]],
      ['fhir-0', [measured('Puente over FHIR', 400)]],
      ['fhir-slots', [measured('a page of ten', 5_000)]],
    ]),
  );
  expect(rows).toEqual([
    ['reads', '120,000', '15.0', '10000', '2500'],
    ['searches for a slot, a page of ten', '30,000', '3.75', '5000', '200'],
    ['searches for a patient', '6,000', '0.75', '10000', '2500'],
    ['bookings', '6,000', '0.75', '4000', '625'],
    ['registrations', '600', '0.07', '5000', '833'],
    ['all operations, share of one core', '', '', '0.25 %', '2.63 %'],
  ]);
});

test('what was not measured is left open', () => {
  expect(listHospitalDay(new Map())[0]).toEqual(['reads', '120,000', '15.0', '-', '-']);
});
