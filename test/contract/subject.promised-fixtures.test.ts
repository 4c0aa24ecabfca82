import { describe, expect, test } from '@jest/globals';
import { watchFixtures } from '../../src/contract/subject.ts';
import { Skipped } from '../../src/contract/thrown.ts';

const named = { timeZone: 'UTC', locale: 'es-AR', unknown: 'x', patients: { complete: 'ana' } };

describe('watched fixtures', () => {
  test('have what is named', () => {
    expect(watchFixtures(named).patients.complete).toBe('ana');
    expect(watchFixtures(named).timeZone).toBe('UTC');
  });

  test('skip a case that reads what a capability promises and is missing, and say its name', () => {
    const fixtures = watchFixtures(named);
    expect(() => fixtures.passport).toThrow(new Skipped('the fixtures name no passport'));
    expect(() => fixtures.patients.bare).toThrow(new Skipped('the fixtures name no patients.bare'));
    expect(() => fixtures.services.bookable).toThrow(new Skipped('the fixtures name no services.bookable'));
  });

  test('have nothing where no capability promises it', () => {
    const fixtures = watchFixtures(named);
    expect([fixtures.patients.payer, fixtures.cancelUntilHours]).toEqual([undefined, undefined]);
  });

  test('are the same object each time, by which cases remember whom they took', () => {
    expect(watchFixtures(named)).toBe(watchFixtures(named));
    expect(watchFixtures(named).patients).toBe(watchFixtures(named).patients);
  });
});
