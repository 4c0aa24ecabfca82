import { describe, expect, test } from '@jest/globals';
import {
  checkApplicant,
  computeFrequentSince,
  isEligible,
  isPaidBy,
  meetsAgeAndSex,
  rankByUse,
} from '../../../adapters/common/care-services.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

const everybody = { minAge: null, maxAge: null, sex: null, plans: null };

const adults = { ...everybody, minAge: 18 };

const children = { ...everybody, maxAge: 17 };

const born = (birthDate: string) => ({ gender: 'Female' as const, birthDate });

describe('the age limits of a service', () => {
  test.each([
    ['2008-06-15', '2026-06-14', false, true],
    ['2008-06-15', '2026-06-15', true, false],
    ['2008-02-29', '2026-02-28', false, true],
    ['2008-02-29', '2026-03-01', true, false],
    ['2006-02-28', '2024-02-28', true, false],
    ['2006-03-01', '2024-02-29', false, true],
    ['2008-12-31', '2026-12-30', false, true],
  ])('of somebody born on %s are those of the completed years on %s', (birthDate, today, isAdult, isChild) => {
    expect(meetsAgeAndSex(adults, born(birthDate), today)).toBe(isAdult);
    expect(meetsAgeAndSex(children, born(birthDate), today)).toBe(isChild);
  });

  test.each([
    ['2008', '2026-01-01', true],
    ['2008', '2025-12-31', false],
    ['2008-02', '2026-02-01', true],
    ['2008-02', '2026-01-31', false],
    ['', '2026-01-01', true],
  ])('exclude nobody of whom only "%s" is known and who may be old enough on %s', (birthDate, today, fits) => {
    expect(meetsAgeAndSex(adults, born(birthDate), today)).toBe(fits);
  });

  test.each([
    ['2008', '2026-12-31', false],
    ['2008', '2026-12-30', true],
    ['2008-02', '2026-03-01', false],
    ['2008-02', '2026-02-28', true],
  ])('exclude nobody of whom only "%s" is known and who may be young enough on %s', (birthDate, today, fits) => {
    expect(meetsAgeAndSex(children, born(birthDate), today)).toBe(fits);
  });

  test('include both ages', () => {
    const service = { ...everybody, minAge: 18, maxAge: 18 };
    const onDays = ['2026-06-14', '2026-06-15', '2027-06-14', '2027-06-15'];
    expect(onDays.map((today) => meetsAgeAndSex(service, born('2008-06-15'), today))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('the sex that a service is for', () => {
  test.each([
    ['Female', true],
    ['Male', false],
    ['Other', true],
  ] as const)('is female, and %s passes: %s', (gender, fits) => {
    expect(meetsAgeAndSex({ ...everybody, sex: 'Female' }, { gender, birthDate: '1990-01-01' }, '2026-06-15')).toBe(
      fits,
    );
  });

  test('does not let Other pass the limits of age', () => {
    const service = { ...adults, sex: 'Female' as const };
    expect(meetsAgeAndSex(service, { gender: 'Other', birthDate: '2020-01-01' }, '2026-06-15')).toBe(false);
  });
});

describe('a coverage', () => {
  const service = { ...everybody, plans: new Set(['210', '310']) };

  test.each([
    ['of an accepted plan', { active: true, planId: '210' }, true],
    ['of another plan', { active: true, planId: '410' }, false],
    ['of a plan that the service calls otherwise', { active: true, planId: '410', otherPlanIds: ['310'] }, true],
    ['that is not active', { active: false, planId: '210' }, false],
  ])('%s pays or does not', (_title, coverage, pays) => {
    expect(isPaidBy(service, coverage)).toBe(pays);
  });

  test('of any plan pays where the service takes every plan, while it is active', () => {
    expect(isPaidBy(everybody, { active: true, planId: 'x' })).toBe(true);
    expect(isPaidBy(everybody, { active: false, planId: 'x' })).toBe(false);
  });

  test('and a patient are both asked for, where they are named', () => {
    const own = { ...adults, plans: service.plans };
    const [child, grown] = [born('2020-01-01'), born('1990-01-01')];
    const [paid, unpaid] = [
      { active: true, planId: '210' },
      { active: true, planId: '410' },
    ];
    const isFor = (applicant: Parameters<typeof isEligible>[1]) => isEligible(own, applicant, '2026-06-15');
    expect([isFor({}), isFor({ patient: grown, coverage: paid })]).toEqual([true, true]);
    expect([isFor({ patient: child, coverage: paid }), isFor({ patient: grown, coverage: unpaid })]).toEqual([
      false,
      false,
    ]);
  });
});

describe('what a request names', () => {
  const found = { patient: {}, coverage: { patientId: 'ana' } };

  test.each([
    ['nobody', {}, { patient: undefined, coverage: undefined }],
    ['a patient with an own coverage', { patientId: 'ana', coverageId: 'c' }, found],
    ['a coverage alone', { coverageId: 'c' }, { ...found, patient: undefined }],
  ])('may be %s', (_title, who, there) => {
    expect(() => checkApplicant(who, there)).not.toThrow();
  });

  test.each([
    ['patientId', 'neither exists', { patient: undefined, coverage: undefined }],
    ['coverageId', 'there is no such coverage', { ...found, coverage: undefined }],
    ['coverageId', 'it is somebody else’s', { ...found, coverage: { patientId: 'bruno' } }],
  ])('is refused at %s when %s', (at, _title, there) => {
    const check = () => checkApplicant({ patientId: 'ana', coverageId: 'c' }, there);
    expect(check).toThrow(expect.objectContaining({ kind: 'invalid', at }));
  });
});

describe('the services that a patient uses', () => {
  const services = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  const rank = (...uses: readonly (readonly [string | undefined, number])[]) =>
    rankByUse(
      services,
      uses.map(([serviceId, begins]) => ({ serviceId, begins })),
    ).map(({ id }) => id);

  test('are the most frequent first, then the latest, then as they stand', () => {
    expect(rank(['d', 1], ['d', 2], ['c', 9], ['b', 5], ['a', 5])).toEqual(['d', 'c', 'a', 'b']);
  });

  test('are only those that are still there', () => {
    expect(rank(['gone', 1], [undefined, 1], ['b', 1])).toEqual(['b']);
    expect(rank()).toEqual([]);
  });

  test.each([
    ['2026-06-15T02:59:59.000Z', '2024-06-14T03:00:00.000Z'],
    ['2026-06-15T03:00:00.000Z', '2024-06-15T03:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2026-02-28T03:00:00.000Z'],
  ])('count at %s from the beginning of the day 24 months ago in the zone: %s', (now, since) => {
    expect(computeFrequentSince(new Zone('America/Argentina/Buenos_Aires'), { now })).toBe(since);
  });
});
