import type { Address } from '@medplum/fhirtypes';
import { terms } from './terms.ts';

interface Parts {
  readonly street: string;
  readonly number: string;
  readonly floor?: string;
  readonly apartment?: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** An Argentine address whose parts are extensions of its first line (ISO 21090). */
export function buildAddress({ street, number, floor, apartment, city, state, zip }: Parts): Address {
  const part = (name: string, value: string | undefined) =>
    value === undefined ? [] : [{ url: `${terms.addressPart}-${name}`, valueString: value }];
  // The types of the package do not know the extensions of primitive elements.
  const parts = {
    _line: [
      {
        extension: [
          ...part('streetName', street),
          ...part('houseNumber', number),
          ...part('additionalLocator', floor),
          ...part('unitID', apartment),
        ],
      },
    ],
  };
  const line = [`${street} ${number}`, floor && `Piso ${floor}`, apartment && `Dto ${apartment}`];
  return {
    ...parts,
    use: 'home',
    line: [line.filter(Boolean).join(', ')],
    city,
    state,
    postalCode: zip,
    country: 'AR',
  };
}
