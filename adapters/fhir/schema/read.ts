import type { Address as WrittenAddress } from '@medplum/fhirtypes';
import { type Address, type Day, type Instant, toCountryName } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/toolkit/records.ts';
import { formatBound, type Zone } from '../../../src/toolkit/zone.ts';
import type { Settings } from '../settings.ts';
import {
  type FhirAddress,
  findCode,
  findExtension,
  type HumanName,
  type Period,
  parseReferenceId,
  type Telecom,
} from './datatypes.ts';
import type { FhirRole, Resource } from './resources.ts';
import { hl7 } from './terminology.ts';

// The data types that describe a person, and in part a place: HumanName, ContactPoint, Address.

/** The uses of names, best first. Undefined is a name without a use. */
const nameUses = ['official', 'usual', undefined, 'temp'];

/** A name as the two parts of the API. */
export interface NameParts {
  readonly given: string;
  readonly family: string;
}

/** Picks the current name. A name of another use, or an ended one, is the fallback. */
export const pickName = (names: readonly HumanName[] | undefined, isInForce: IsInForce): HumanName | undefined =>
  pickProperName(names, isInForce) ??
  (names ?? []).filter(hasWords).toSorted((a, b) => Number(isInForce(b.period)) - Number(isInForce(a.period)))[0];

/** Picks a name in force that is not a nickname, maiden, old or anonymous name. */
export function pickProperName(names: readonly HumanName[] | undefined, isInForce: IsInForce): HumanName | undefined {
  const current = (names ?? []).filter((name) => isInForce(name.period) && hasWords(name));
  return nameUses.map((wanted) => current.find(({ use }) => use === wanted)).find(Boolean);
}

const hasWords = (name: HumanName): boolean => Object.values(toNameParts(name)).some(Boolean);

/**
 * The parts of a name. A text alone is the given name, or is split at its comma. Next to one part, the text has the
 * other.
 */
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

/** The text without these words, in any case. Empty if the text lacks the first of them. */
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

/** The family name. If only its parts are stored, the father's comes before the mother's. */
function formatFamilyName(name: HumanName | undefined): string {
  if (name?.family !== undefined) return [name.family].flat().join(' ');
  const halves = [hl7.fathersFamily, hl7.mothersFamily].map((url) => findExtension(name?._family, url)?.valueString);
  return halves.filter(Boolean).join(' ');
}

const byRank = (a: Telecom, b: Telecom): number => (a.rank ?? 99) - (b.rank ?? 99);

/** Picks the mobile number, then the home number, then any other. Among equals, the lowest rank counts. */
export function pickPhone(telecoms: readonly Telecom[] | undefined, isInForce: IsInForce): Telecom | undefined {
  const phones = listCurrent(telecoms, 'phone', isInForce).toSorted(byRank);
  return ['mobile', 'home'].map((wanted) => phones.find(({ use }) => use === wanted)).find(Boolean) ?? phones[0];
}

export const pickEmail = (telecoms: readonly Telecom[] | undefined, isInForce: IsInForce): Telecom | undefined =>
  listCurrent(telecoms, 'email', isInForce).toSorted(byRank)[0];

/** The current telephones or mail addresses. `sms` numbers are the fallback. */
export function listCurrent(
  telecoms: readonly Telecom[] | undefined,
  kind: 'phone' | 'email',
  isInForce: IsInForce,
): Telecom[] {
  const current = (telecoms ?? []).filter(({ use, value, period }) => use !== 'old' && value && isInForce(period));
  const found = current.filter(({ system }) => system === kind);
  return found.length > 0 || kind === 'email' ? found : current.filter(({ system }) => system === 'sms');
}

/** Picks the home address. The fallback is any current one. */
export function pickAddress(addresses: readonly FhirAddress[] = [], isInForce: IsInForce): FhirAddress | undefined {
  const current = addresses.filter(({ use, period }) => use !== 'old' && isInForce(period));
  return current.find(({ use }) => use === 'home') ?? current[0];
}

/** The extension (ISO 21090, ADXP) for each part of an address. The floor has none, so it uses the locator. */
const addressParts = {
  street: 'streetName',
  number: 'houseNumber',
  floor: 'additionalLocator',
  apartment: 'unitID',
} as const;
type AddressPart = keyof typeof addressParts;

/** The parts of the address. Without street and number, the whole line is the street. The text is the last fallback. */
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

/** The home address, with its parts as extensions and as a readable line. */
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

/**
 * Converts a FHIR dateTime to an instant of the years 1 to 9999. Without a time, it is the start of the day, month or
 * year in the zone.
 */
export function toInstant(dateTime: string, zone: Zone): Instant {
  if (dateTime.includes('T')) return formatBound(Date.parse(dateTime));
  const [year, month = '01', day = '01'] = dateTime.split('-');
  return zone.toStartOfDay(`${year}-${month}-${day}` satisfies Day);
}

/** True if the instant lies within the period. An end without a time includes the whole day, month or year. */
export function isWithin(period: Period | undefined, now: Instant, zone: Zone): boolean {
  const { start, end } = period ?? {};
  const begun = start === undefined || Date.parse(toInstant(start, zone)) <= Date.parse(now);
  const over =
    end !== undefined &&
    (end.includes('T') ? Date.parse(end) <= Date.parse(now) : end < zone.toLocalDay(now).slice(0, end.length));
  return begun && !over;
}

/** True if an element with this period, such as a name, is in force. */
export type IsInForce = (period: Period | undefined) => boolean;

/** Tests for the moment of the call. */
export const createIsInForce =
  ({ now }: { readonly now: Instant }, zone: Zone): IsInForce =>
  (period) =>
    isWithin(period, now, zone);

/** The minute of the instant, in milliseconds since 1970: callers send no seconds. */
export const toMinute = (instant: string): number => Math.floor(Date.parse(instant) / 60_000) * 60_000;

/** Minutes between two instants, rounded. */
export const computeMinutesBetween = (start: string, end: string): number =>
  Math.round((Date.parse(end) - Date.parse(start)) / 60_000);

/** The id of the role's practitioner. */
export const getPractitionerId = ({ practitioner }: FhirRole): string | undefined =>
  parseReferenceId(practitioner, 'Practitioner');

/**
 * Creates a test for patients whom the institution hides: test patients, and those with a restricted record. Undefined
 * if it hides nobody.
 */
export function createIsHidden({
  hidePatients,
}: Pick<Settings, 'hidePatients'>): ((resource: Resource) => boolean) | undefined {
  const kinds = hidePatients ?? (process.env.NODE_ENV === 'production' ? ['test'] : []);
  if (kinds.length === 0) return undefined;
  return (resource) => {
    if (resource.resourceType !== 'Patient') return false;
    const { security = [], tag = [] } = resource.meta ?? {};
    const isTest = [...security, ...tag].some(({ code }) => code === 'HTEST');
    const confidentiality = findCode({ coding: security }, hl7.confidentiality) ?? 'N';
    return (isTest && kinds.includes('test')) || (['R', 'V'].includes(confidentiality) && kinds.includes('restricted'));
  };
}
