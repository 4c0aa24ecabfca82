import { type IdentifierType, normaliseDocument } from '../../../src/ports/index.ts';
import { escapeValue, formatToken } from '../rest/url.ts';
import type { FhirIdentifier } from '../schema/datatypes.ts';
import type { Codes } from '../schema/terminology.ts';

/** Sets a mark between groups of three digits, or only before the last six: `12.345678` is written too. */
const groupDigits = (text: string, mark: string): string[] =>
  [/(?<=\d)(?=(?:\d{3})+(?!\d))/g, /(?<=\d)(?=\d{6}(?!\d))/g].map((place) => text.replace(place, mark));

/**
 * How servers spell what is shown as this, as far as it is searched for, since a search compares tokens to the letter: in
 * upper or lower case; with a blank where letters and digits meet, or none; without marks; digits alone filled up with zeros
 * to eight, nine or ten; digits in groups by the marks in use; and a DNI after the word.
 */
function listSpellings(shown: string, kind: IdentifierType | undefined): string[] {
  const bare = normaliseDocument(kind, shown);
  const upTo = /^\d+$/.test(bare) ? [8, 9, 10] : [];
  const parted = [shown, bare].map((text) => text.replace(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' '));
  const plain = new Set([shown, bare, ...parted, ...upTo.map((length) => bare.padStart(length, '0'))]);
  const grouped = [...plain].flatMap((text) => ['.', ' '].flatMap((mark) => groupDigits(text, mark)));
  const others = [',', '-', "'", '’', '\u00a0'].flatMap((mark) => groupDigits(bare, mark).slice(0, 1));
  const named = kind === 'DNI' ? [bare, ` ${bare}`, ` ${groupDigits(bare, '.')[0]}`].map((each) => `DNI${each}`) : [];
  const all = [...plain, ...grouped, ...others, ...named];
  return [...new Set([...all, ...all.map((each) => each.toLowerCase())])];
}

/** The search tokens for an identifier: a DNI in each of its systems, others in any system; one of any kind may be a DNI. */
export function toSearchTokens(value: string, kind: IdentifierType | undefined, codes: Codes): string {
  const spellings = [...new Set([kind, kind ?? 'DNI'].flatMap((each) => listSpellings(value, each)))];
  return kind === 'DNI'
    ? codes.dni.flatMap((system) => spellings.map((each) => formatToken(system, each))).join(',')
    : spellings.map(escapeValue).join(',');
}

/** Whether a search for the value that is shown of a document finds it, as the server spells it. */
export const isSearchable = (shown: string, kind: IdentifierType, { value = '' }: FhirIdentifier): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N}.,'’/ -]{0,39}$/u.test(shown) && listSpellings(shown, kind).includes(value);
