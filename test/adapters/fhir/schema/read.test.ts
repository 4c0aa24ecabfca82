import { describe, expect, test } from '@jest/globals';
import { formatAddress, toAddress, toFhirAddress } from '../../../../adapters/fhir/schema/read.ts';

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
