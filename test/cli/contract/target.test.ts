import { expect, test } from '@jest/globals';
import { toFixtures } from '../../../src/cli/contract/target.ts';

test('a fixture map goes before the configuration of the institution, and that before defaults', () => {
  const institution = { timeZone: 'America/Montevideo', locale: 'es-UY', bookingHorizonDays: 30 };
  const map = { unknown: '0', locale: 'pt-BR' };
  expect(toFixtures(map, { institution })).toEqual({ ...institution, ...map });
  expect(toFixtures({}, { institution: {} })).toEqual({
    timeZone: 'America/Argentina/Buenos_Aires',
    locale: 'es-AR',
    unknown: 'puente-contract-unknown',
  });
});
