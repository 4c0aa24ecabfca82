import { describe, expect, test } from '@jest/globals';
import { watchFixtures } from '../../../src/cli/contract/watched-fixtures.ts';
import type { Fixtures, Subject } from '../../../src/contract/index.ts';
import { requireFixtures } from '../../../src/contract/promised-fixtures.ts';
import { Skipped } from '../../../src/contract/run.ts';

const named = { timeZone: 'UTC', locale: 'es-AR', unknown: 'x', patients: { complete: 'ana' } };
const watch = () => watchFixtures(named, new Set(['patients.search', 'appointments.list'] as const));

describe('watched fixtures', () => {
  test('let a case run that does not use what is missing', () => {
    const fixtures = watch();
    const subject: Subject = {
      send: () => Promise.reject(new Error('nothing is sent')),
      supports: () => true,
      now: () => new Date(0),
      fixtures: fixtures as Fixtures,
    };
    requireFixtures(subject, 'patients.search');
    expect(fixtures.patients?.complete).toBe('ana');
  });

  test('skip a case that reads what is missing, and say its name', () => {
    const fixtures = watch();
    expect(() => fixtures.passport).toThrow(new Skipped('the map names no passport'));
    expect(() => fixtures.patients?.bare).toThrow(new Skipped('the map names no patients.bare'));
  });

  test('have nothing that no capability promises', () => {
    const fixtures = watch();
    expect([fixtures.patients?.payer, fixtures.owner, fixtures.services]).toEqual([undefined, undefined, undefined]);
  });

  test('are the same object each time', () => {
    const fixtures = watch();
    expect(fixtures.patients).toBe(fixtures.patients);
  });
});
