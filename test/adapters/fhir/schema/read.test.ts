import { describe, expect, test } from '@jest/globals';
import { formatAddress, isWithin, toAddress, toFhirAddress, toInstant } from '../../../../adapters/fhir/schema/read.ts';
import { Zone } from '../../../../src/toolkit/zone.ts';

const makePart = (name: string, valueString: string) => ({
  url: `http://hl7.org/fhir/StructureDefinition/iso21090-ADXP-${name}`,
  valueString,
});

describe('an address', () => {
  const whole = {
    street: 'Av. Rivadavia',
    number: '5480',
    floor: '6',
    apartment: 'B',
    city: 'Buenos Aires',
    state: 'CABA',
    zipCode: '1424',
    country: 'Argentina',
  };

  test.each([
    whole,
    { street: 'Rivadavia' },
    { city: 'Quilmes' },
    { number: '3', floor: '1' },
    { street: 'A', apartment: 'D' },
    {},
  ])('survives being written and read: %j', (address) => {
    expect(toAddress(toFhirAddress(address))).toEqual(address);
  });

  test('has its parts where others put them too', () => {
    const extension = [
      makePart('streetName', 'Boedo'),
      makePart('houseNumber', '742'),
      makePart('additionalLocator', '1'),
      makePart('unitID', 'A'),
    ];
    const line = ['Boedo 742 1 A'];
    expect(toAddress({ line, _line: [{ extension }] })).toEqual({
      street: 'Boedo',
      number: '742',
      floor: '1',
      apartment: 'A',
    });
    expect(toFhirAddress({ street: 'Boedo', number: '742', floor: '1', apartment: 'A' })._line).toEqual([
      { extension },
    ]);
  });

  test('has a line that people can read', () => {
    expect(toFhirAddress(whole).line).toEqual(['Av. Rivadavia 5480, Piso 6, Dto B']);
    expect(formatAddress(toFhirAddress(whole))).toBe('Av. Rivadavia 5480, Piso 6, Dto B, Buenos Aires, CABA');
    expect(formatAddress({ text: 'As it stands' })).toBe('As it stands');
  });

  test('without parts is one street, which is not guessed apart', () => {
    expect(toAddress({ line: ['Chacabuco 1167, 3 D', 'Fondo'] })).toEqual({ street: 'Chacabuco 1167, 3 D, Fondo' });
  });

  test('reads the code of the country as its name', () => {
    expect(toAddress({ country: 'AR' })).toEqual({ country: 'Argentina' });
    expect(toAddress({ country: 'Uruguay' })).toEqual({ country: 'Uruguay' });
  });
});

const zone = new Zone('America/Argentina/Buenos_Aires');

const now = '2026-11-21T12:00:00.000Z';

describe('a moment', () => {
  test.each([
    ['2023-08-23T17:45:00-03:00', '2023-08-23T20:45:00.000Z'],
    ['2023-08-23', '2023-08-23T03:00:00.000Z'],
    ['2023-08', '2023-08-01T03:00:00.000Z'],
    ['2023', '2023-01-01T03:00:00.000Z'],
    ['9999-12-31T23:59:59-03:00', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00+03:00', '0001-01-01T00:00:00.000Z'],
  ])('of %s is %s', (text, moment) => {
    expect(toInstant(text, zone)).toBe(moment);
  });
});

describe('a period', () => {
  test.each([
    [undefined, true],
    [{ start: '2021-03-01' }, true],
    [{ start: '2026-11-22' }, false],
    [{ end: '2026-11-21' }, true],
    [{ end: '2026-11-20' }, false],
    [{ end: '2026-11' }, true],
    [{ end: '2025' }, false],
    [{ end: '9999-12-31T23:59:59-03:00' }, true],
    [{ end: '9999-12-31T23:59:59.9999999-12:00' }, true],
    [{ end: '9999-12-31' }, true],
    [{ start: '0001-01-01T00:00:00+03:00' }, true],
    [{ start: '0001-01-01' }, true],
    [{ start: '9999-12-31T23:59:59-03:00' }, false],
    [{ end: '2026-11-21T12:00:00Z' }, false],
    [{ end: '2026-11-21T12:00:00.5Z' }, true],
    [{ end: '2026-11-21T08:00:00-03:00' }, false],
    [{ start: '2026-11-21T09:00:00-03:00', end: '2026-11-21T09:01:00-03:00' }, true],
  ])('%j holds the present moment: %s', (period, expected) => {
    expect(isWithin(period, now, zone)).toBe(expected);
  });
});
