import type { Address } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/ports/omit-undefined.ts';
import type { FhirAddress } from '../schema/datatypes.ts';
import { hl7 } from '../schema/terminology.ts';

/** Which extension of the first line carries which part (ISO 21090, ADXP); it knows no floor, so that takes the locator. */
const parts = {
  street: 'streetName',
  number: 'houseNumber',
  floor: 'additionalLocator',
  apartment: 'unitID',
} as const;
type Part = keyof typeof parts;

const countries: Readonly<Record<string, string>> = { AR: 'Argentina', ARG: 'Argentina' };

/** The address in its parts; without the extensions the whole line is the street. */
export function toAddress(address: FhirAddress | undefined): Address {
  if (!address) return {};
  const extensions = address._line?.flatMap((line) => line?.extension ?? []) ?? [];
  const part = (name: Part) => extensions.find(({ url }) => url === hl7.addressPart(parts[name]))?.valueString;
  const line = (address.line ?? []).filter((each) => each !== null).join(', ');
  const { country } = address;
  return omitUndefined({
    street: part('street') ?? (part('number') === undefined && line !== '' ? line : undefined),
    number: part('number'),
    floor: part('floor'),
    apartment: part('apartment'),
    city: address.city,
    state: address.state,
    country: country && (countries[country] ?? country),
    zipCode: address.postalCode,
  });
}

/** The home address, its parts as extensions and as a line that a person can read. */
export function toFhirAddress(address: Address): FhirAddress {
  const extension = (Object.keys(parts) as Part[]).flatMap((name) => {
    const valueString = address[name];
    return valueString ? [{ url: hl7.addressPart(parts[name]), valueString }] : [];
  });
  const line = toLine(address);
  return omitUndefined({
    use: 'home',
    ...(line !== '' && { line: [line], _line: [{ extension }] }),
    city: address.city || undefined,
    state: address.state || undefined,
    postalCode: address.zipCode || undefined,
    country: address.country || undefined,
  });
}

/** The whole address in one line. */
export function formatAddress(address: FhirAddress | undefined): string {
  if (address?.text) return address.text;
  const { city, state, ...rest } = toAddress(address);
  const line = toLine(rest);
  return [line, city, state].filter(Boolean).join(', ');
}

const toLine = ({ street, number, floor, apartment }: Address): string =>
  [[street, number].filter(Boolean).join(' '), floor ? `Piso ${floor}` : '', apartment ? `Dto ${apartment}` : '']
    .filter(Boolean)
    .join(', ');
