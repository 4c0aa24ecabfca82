import type { Identifier, IdentifierType } from '../../../src/ports/index.ts';
import { escapeValue, formatToken } from '../rest/url.ts';
import { type FhirIdentifier, findCode } from '../schema/datatypes.ts';
import { type Codes, hl7 } from '../schema/terminology.ts';

/** In the order in which they are preferred. */
export const documentKinds: readonly IdentifierType[] = ['DNI', 'Passport', 'Other'];

/** What kind of document of identity an identifier is; undefined when it is none, such as the number of a record. */
export function toIdentifierType({ system = '', type }: FhirIdentifier, codes: Codes): IdentifierType | undefined {
  const code = findCode(type && [type], hl7.identifierType);
  if (code === 'MR' || codes.mrn.includes(system)) return undefined;
  if (codes.dni.includes(system)) return 'DNI';
  if (codes.passport.includes(system) || code === 'PPN') return 'Passport';
  return 'Other';
}

/** The value as the ports have it: a DNI in digits without leading zeros, others without blanks and in upper case. */
export const normaliseIdentifier = (kind: IdentifierType, value: string): string =>
  kind === 'DNI' ? value.replace(/[. ]/g, '').replace(/^0+(?=\d)/, '') : value.replaceAll(' ', '').toUpperCase();

/** The documents of identity, the preferred one first: DNI, passport, others of a known kind, the rest, secondary ones. */
export function toIdentifiers(identifiers: readonly FhirIdentifier[] | undefined, codes: Codes): Identifier[] {
  const rank = ({ system = '', type, use = '' }: FhirIdentifier, kind: IdentifierType): number => {
    if (['secondary', 'old'].includes(use)) return 5;
    if (kind !== 'Other') return documentKinds.indexOf(kind);
    return codes.other.includes(system) ? 2 : type ? 3 : 4;
  };
  return (identifiers ?? [])
    .flatMap((each) => {
      const type = toIdentifierType(each, codes);
      return type && each.value ? [{ rank: rank(each, type), type, value: normaliseIdentifier(type, each.value) }] : [];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ type, value }) => ({ type, value }));
}

/** The search tokens under which an identifier may be stored; a kind that has no fixed systems is searched in all. */
export function toSearchTokens(value: string, kind: IdentifierType | undefined, codes: Codes): string {
  if (kind === 'DNI') return codes.dni.map((system) => formatToken(system, value)).join(',');
  return escapeValue(value);
}

/** The identifier as it is written: under the first system of its kind. */
export function toFhirIdentifier({ type, value }: Identifier, codes: Codes): FhirIdentifier & { system: string } {
  const [system = codes.sid('other')] = { DNI: codes.dni, Passport: codes.passport, Other: codes.other }[type];
  const code = { DNI: 'NI', Passport: 'PPN', Other: undefined }[type];
  return {
    use: 'official',
    ...(code && { type: { coding: [{ system: hl7.identifierType, code }] } }),
    system,
    value,
  };
}
