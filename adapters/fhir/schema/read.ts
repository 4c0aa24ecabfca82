import type { Address as WrittenAddress } from '@medplum/fhirtypes';
import { type Address, type Day, type Instant, toCountryName } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/toolkit/records.ts';
import { formatBound, type Zone } from '../../../src/toolkit/zone.ts';
import type { Settings } from '../settings.ts';
import { type FhirAddress, findCode, findExtension, type HumanName, type Period, type Telecom } from './datatypes.ts';
import type { Resource } from './resources.ts';
import { hl7 } from './terminology.ts';

// The data types that describe a person, and in part a place: HumanName, ContactPoint, Address.

/** The uses of names from the best to the worst; undefined is a name without a use. */
const nameUses = ['official', 'usual', undefined, 'temp'];

/** A name in the two parts of the API. */
export interface NameParts {
  readonly given: string;
  readonly family: string;
}

/** Picks the name by which the person is called today; one of another use, or one that ended, when there is nothing else. */
export const pickName = (names: readonly HumanName[] | undefined, isInForce: IsInForce): HumanName | undefined =>
  pickProperName(names, isInForce) ??
  (names ?? []).filter(hasWords).toSorted((a, b) => Number(isInForce(b.period)) - Number(isInForce(a.period)))[0];

/** Picks a name that is in force today and no nickname, maiden, old or anonymous name. */
export function pickProperName(names: readonly HumanName[] | undefined, isInForce: IsInForce): HumanName | undefined {
  const current = (names ?? []).filter((name) => isInForce(name.period) && hasWords(name));
  return nameUses.map((wanted) => current.find(({ use }) => use === wanted)).find(Boolean);
}

const hasWords = (name: HumanName): boolean => Object.values(toNameParts(name)).some(Boolean);

/** The parts of a name; text alone is a given name, or split at its comma, and beside one part it has the other. */
export function toNameParts(name: HumanName | undefined): NameParts {
  const given = (name?.given ?? []).filter((each) => each !== null).join(' ');
  const family = formatFamilyName(name);
  if ((given && family) || !name?.text) return { given, family };
  const affixes = [...(name.prefix ?? []), ...(name.suffix ?? [])].filter((each) => each !== null);
  if (given) return { given, family: removeWords(name.text, [given, ...affixes]) };
  if (family) return { given: removeWords(name.text, [family, ...affixes]), family };
  const [first = '', ...rest] = name.text.split(',').map((part) => part.trim());
  return rest.length > 0 ? { given: rest.join(', '), family: first } : { given: first, family };
}

/** What is left of a text without these words, in any case; nothing when the first of them are not in it. */
function removeWords(text: string, [first = '', ...others]: readonly string[]): string {
  const split = (words: string) => words.split(/[\s,]+/).filter(Boolean);
  const remove = (from: readonly string[], words: readonly string[]): readonly string[] | undefined => {
    const isHere = (at: number) => words.every((word, index) => from[at + index]?.toLowerCase() === word.toLowerCase());
    const at = from.findIndex((_, index) => isHere(index));
    return at < 0 ? undefined : from.toSpliced(at, words.length);
  };
  const rest = remove(split(text), split(first)) ?? [];
  return others.reduce((left, words) => remove(left, split(words)) ?? left, rest).join(' ');
}

/** The family name; where only its halves are stored, the father’s before the mother’s. */
function formatFamilyName(name: HumanName | undefined): string {
  if (name?.family !== undefined) return [name.family].flat().join(' ');
  const halves = [hl7.fathersFamily, hl7.mothersFamily].map((url) => findExtension(name?._family, url)?.valueString);
  return halves.filter(Boolean).join(' ');
}

const byRank = (a: Telecom, b: Telecom): number => (a.rank ?? 99) - (b.rank ?? 99);

/** Picks the mobile telephone, else that at home, else any; of those the one with the lowest rank. */
export function pickPhone(telecoms: readonly Telecom[] | undefined, isInForce: IsInForce): Telecom | undefined {
  const phones = listCurrent(telecoms, 'phone', isInForce).toSorted(byRank);
  return ['mobile', 'home'].map((wanted) => phones.find(({ use }) => use === wanted)).find(Boolean) ?? phones[0];
}

export const pickEmail = (telecoms: readonly Telecom[] | undefined, isInForce: IsInForce): Telecom | undefined =>
  listCurrent(telecoms, 'email', isInForce).toSorted(byRank)[0];

/** The telephones or mail addresses that are in use and not empty; numbers for `sms` where there is no other telephone. */
export function listCurrent(
  telecoms: readonly Telecom[] | undefined,
  kind: 'phone' | 'email',
  isInForce: IsInForce,
): Telecom[] {
  const current = (telecoms ?? []).filter(({ use, value, period }) => use !== 'old' && value && isInForce(period));
  const found = current.filter(({ system }) => system === kind);
  return found.length > 0 || kind === 'email' ? found : current.filter(({ system }) => system === 'sms');
}

/** Picks the home address, else any that is in use. */
export function pickAddress(addresses: readonly FhirAddress[] = [], isInForce: IsInForce): FhirAddress | undefined {
  const current = addresses.filter(({ use, period }) => use !== 'old' && isInForce(period));
  return current.find(({ use }) => use === 'home') ?? current[0];
}

/** The extension (ISO 21090, ADXP) for each part of an address; it has none for the floor, which takes the locator. */
const addressParts = {
  street: 'streetName',
  number: 'houseNumber',
  floor: 'additionalLocator',
  apartment: 'unitID',
} as const;
type AddressPart = keyof typeof addressParts;

/** The address in its parts; without street and number the whole line is the street, and without anything else the text. */
export function toAddress(address: FhirAddress | undefined): Address {
  if (!address) return {};
  const extensions = address._line?.flatMap((line) => line?.extension ?? []) ?? [];
  const findPart = (name: AddressPart) =>
    findExtension({ extension: extensions }, hl7.addressPart(addressParts[name]))?.valueString;
  const line = (address.line ?? []).filter((each) => each !== null).join(', ');
  const [number, floor, apartment] = [findPart('number'), findPart('floor'), findPart('apartment')];
  const hasStreet = number === undefined && line !== formatLine(omitUndefined({ floor, apartment }));
  const parts = omitUndefined({
    street: findPart('street') ?? (hasStreet ? line : undefined),
    number,
    floor,
    apartment,
    city: address.city,
    state: address.state,
    country: address.country && toCountryName(address.country),
    zipCode: address.postalCode,
  });
  return address.text && Object.keys(parts).length === 0 ? { street: address.text } : parts;
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

/** A FHIR dateTime as an instant of the years 1 to 9999; without a time it is the start of the day, month or year in the zone. */
export function toInstant(dateTime: string, zone: Zone): Instant {
  if (dateTime.includes('T')) return formatBound(Date.parse(dateTime));
  const [year, month = '01', day = '01'] = dateTime.split('-');
  return zone.toStartOfDay(`${year}-${month}-${day}` satisfies Day);
}

/** Whether the instant lies within the period; an end without a time includes the whole day, month or year. */
export function isWithin(period: Period | undefined, now: Instant, zone: Zone): boolean {
  const { start, end } = period ?? {};
  const begun = start === undefined || Date.parse(toInstant(start, zone)) <= Date.parse(now);
  const over =
    end !== undefined &&
    (end.includes('T') ? Date.parse(end) <= Date.parse(now) : end < zone.toLocalDay(now).slice(0, end.length));
  return begun && !over;
}

/** Whether what has this period, as a name, a document or a role, is in force. */
export type IsInForce = (period: Period | undefined) => boolean;

/** In force at the moment of the call. */
export const createIsInForce =
  ({ now }: { readonly now: Instant }, zone: Zone): IsInForce =>
  (period) =>
    isWithin(period, now, zone);

/** The minute in which it lies, in milliseconds since 1970: callers name no seconds. */
export const toMinute = (instant: string): number => Math.floor(Date.parse(instant) / 60_000) * 60_000;

/** Whole minutes, the nearest. */
export const computeMinutesBetween = (start: string, end: string): number =>
  Math.round((Date.parse(end) - Date.parse(start)) / 60_000);

/** Tells whether a resource is a patient whom the institution does not show: test patients, and those whose record is restricted. */
export function createIsHidden({ hidePatients }: Pick<Settings, 'hidePatients'>): (resource: Resource) => boolean {
  const kinds = hidePatients ?? (process.env.NODE_ENV === 'production' ? ['test'] : []);
  return (resource) => {
    if (resource.resourceType !== 'Patient') return false;
    const { security = [], tag = [] } = resource.meta ?? {};
    const isTest = [...security, ...tag].some(({ code }) => code === 'HTEST');
    const confidentiality = findCode({ coding: security }, hl7.confidentiality) ?? 'N';
    return (isTest && kinds.includes('test')) || (['R', 'V'].includes(confidentiality) && kinds.includes('restricted'));
  };
}
