import type { IdentifierType } from '../../../src/ports/index.ts';
import { escapeValue, formatToken } from '../rest/url.ts';
import type { FhirIdentifier } from '../schema/datatypes.ts';
import type { Codes } from '../schema/terminology.ts';

/** What groups digits in threes, but those before the last six in one: `12.345678` is written too. */
const groupings: readonly ((text: string) => string)[] = [
  (text) => text,
  ...['.', ' '].flatMap((mark) => [
    (text: string) => text.replace(/(?<=\d)(?=(?:\d{3})+(?!\d))/g, mark),
    (text: string) => text.replace(/(?<=\d)(?=\d{6}(?!\d))/g, mark),
  ]),
];

/**
 * How servers spell what is shown as this, as far as it is searched for, since a search compares tokens to the letter: in
 * upper or lower case; with a blank where letters and digits meet, or none; digits alone filled up with zeros to eight, nine
 * or ten; and digits in groups of three, or with the millions apart, by dots or by blanks.
 */
function listSpellings(shown: string): string[] {
  const upTo = /^\d+$/.test(shown) ? [8, 9, 10] : [];
  const parted = shown.replace(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' ');
  const plain = [shown, parted, ...upTo.map((length) => shown.padStart(length, '0'))];
  const all = groupings.flatMap((group) => plain.map(group));
  return [...new Set([...all, ...all.map((each) => each.toLowerCase())])];
}

/** The search tokens for an identifier: a DNI in each of its systems, other kinds in any system. */
export function toSearchTokens(value: string, kind: IdentifierType | undefined, codes: Codes): string {
  const spellings = listSpellings(value);
  return kind === 'DNI'
    ? codes.dni.flatMap((system) => spellings.map((each) => formatToken(system, each))).join(',')
    : spellings.map(escapeValue).join(',');
}

/** Whether a search for the value that is shown of a document finds it, as the server spells it. */
export const isSearchable = (shown: string, { value = '' }: FhirIdentifier): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N}. -]{0,39}$/u.test(shown) && listSpellings(shown).includes(value);
