import { describe, expect, test } from '@jest/globals';
import { watchFixtures } from '../../../src/cli/contract/watched-fixtures.ts';
import type { Fixtures, Subject } from '../../../src/contract/index.ts';
import { requireFixtures } from '../../../src/contract/promised-fixtures.ts';

const named = { timeZone: 'UTC', locale: 'es-AR', unknown: 'x', patients: { complete: 'ana' } };
const watch = () => watchFixtures(named, new Set(['patients.search', 'appointments.list'] as const));

describe('watched fixtures', () => {
  test('let a case run that does not use what is missing', () => {
    const { fixtures, takeMissing } = watch();
    const subject: Subject = {
      send: () => Promise.reject(new Error('nothing is sent')),
      supports: () => true,
      now: () => new Date(0),
      fixtures: fixtures as Fixtures,
    };
    requireFixtures(subject, 'patients.search');
    expect(fixtures.patients?.complete).toBe('ana');
    expect(takeMissing()).toEqual([]);
  });

  test('end a case that reads what is missing, and tell its name once', () => {
    const { fixtures, takeMissing } = watch();
    expect(() => fixtures.passport).toThrow('the map names no passport');
    expect(() => fixtures.patients?.bare).toThrow('the map names no patients.bare');
    expect(takeMissing()).toEqual(['passport', 'patients.bare']);
    expect(takeMissing()).toEqual([]);
  });

  test('have nothing that no capability promises', () => {
    const { fixtures, takeMissing } = watch();
    expect([fixtures.patients?.payer, fixtures.owner, fixtures.services]).toEqual([undefined, undefined, undefined]);
    expect(takeMissing()).toEqual([]);
  });

  test('are the same object each time', () => {
    const { fixtures } = watch();
    expect(fixtures.patients).toBe(fixtures.patients);
  });
});
