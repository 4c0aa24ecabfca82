import type { Address as WrittenAddress } from '@medplum/fhirtypes';
import type { Address } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/ports/omit-undefined.ts';
import { type FhirAddress, findExtension, type HumanName, type Telecom } from '../schema/datatypes.ts';
import { hl7 } from '../schema/terminology.ts';

// The data types that describe a person, and in part a place: HumanName, ContactPoint, Address.

const nameUses = ['official', 'usual'];

/** Picks the official name, else the usual one, else any that is not old. */
export function pickName(names: readonly HumanName[] | undefined): HumanName | undefined {
  const current = (names ?? []).filter(({ use }) => use !== 'old');
  return nameUses.map((wanted) => current.find(({ use }) => use === wanted)).find(Boolean) ?? current[0];
}

export const formatGivenNames = (name: HumanName | undefined): string =>
  (name?.given ?? []).filter((each) => each !== null).join(' ');

/** The family name; where only its halves are stored, the father’s before the mother’s. */
export function formatFamilyName(name: HumanName | undefined): string {
  if (name?.family !== undefined) return [name.family].flat().join(' ');
  const halves = [hl7.fathersFamily, hl7.mothersFamily].map((url) => findExtension(name?._family, url)?.valueString);
  return halves.filter(Boolean).join(' ');
}

const phoneUses = ['mobile', 'home'];

/** Picks the mobile telephone, else that at home, else any; of those the one with the lowest rank. */
export function pickPhone(telecoms: readonly Telecom[] | undefined): Telecom | undefined {
  const phones = listCurrent(telecoms, 'phone').toSorted((a, b) => (a.rank ?? 99) - (b.rank ?? 99));
  return phoneUses.map((wanted) => phones.find(({ use }) => use === wanted)).find(Boolean) ?? phones[0];
}

export const pickEmail = (telecoms: readonly Telecom[] | undefined): Telecom | undefined =>
  listCurrent(telecoms, 'email')[0];

/** The telephones or mail addresses that are not old or empty. */
export const listCurrent = (telecoms: readonly Telecom[] | undefined, kind: 'phone' | 'email'): Telecom[] =>
  (telecoms ?? []).filter(({ system, use, value }) => system === kind && use !== 'old' && value);

/** The extension (ISO 21090, ADXP) for each part of an address; it has none for the floor, which takes the locator. */
const addressParts = {
  street: 'streetName',
  number: 'houseNumber',
  floor: 'additionalLocator',
  apartment: 'unitID',
} as const;
type AddressPart = keyof typeof addressParts;

const countries: Readonly<Record<string, string>> = { AR: 'Argentina', ARG: 'Argentina' };

/** The address in its parts; without the extensions the whole line is the street. */
export function toAddress(address: FhirAddress | undefined): Address {
  if (!address) return {};
  const extensions = address._line?.flatMap((line) => line?.extension ?? []) ?? [];
  const findPart = (name: AddressPart) =>
    extensions.find(({ url }) => url === hl7.addressPart(addressParts[name]))?.valueString;
  const line = (address.line ?? []).filter((each) => each !== null).join(', ');
  const { country } = address;
  return omitUndefined({
    street: findPart('street') ?? (findPart('number') === undefined && line !== '' ? line : undefined),
    number: findPart('number'),
    floor: findPart('floor'),
    apartment: findPart('apartment'),
    city: address.city,
    state: address.state,
    country: country && (countries[country] ?? country),
    zipCode: address.postalCode,
  });
}

/** The home address, with its parts both as extensions and as a readable line. */
export function toFhirAddress(address: Address): WrittenAddress & Pick<FhirAddress, '_line'> {
  const extension = (Object.keys(addressParts) as AddressPart[]).flatMap((name) => {
    const valueString = address[name];
    return valueString ? [{ url: hl7.addressPart(addressParts[name]), valueString }] : [];
  });
  const line = formatLine(address);
  return omitUndefined({
    use: 'home' as const,
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
  const parts = toAddress(address);
  return [formatLine(parts), parts.city, parts.state].filter(Boolean).join(', ');
}

const formatLine = ({ street, number, floor, apartment }: Address): string =>
  [[street, number].filter(Boolean).join(' '), floor ? `Piso ${floor}` : '', apartment ? `Dto ${apartment}` : '']
    .filter(Boolean)
    .join(', ');
