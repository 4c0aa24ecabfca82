import type { Identifier, IdentifierType } from './patients.ts';

/**
 * The only form in which documents of identity are compared: letters and digits in upper case; of a DNI also without the word
 * `DNI` before it and leading zeros. It is empty when the text is marks alone, which are no document.
 */
export function normaliseDocument(type: IdentifierType | undefined, text: string): string {
  const signs = text
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();
  return type === 'DNI' ? signs.replace(/^DNI(?:N|NO|NRO)?(?=\d)/, '').replace(/^0+(?=\d)/, '') : signs;
}

/** How a document is shown and written: a DNI in its normal form, any other as it is spelled, in upper case without blanks. */
export const tidyDocument = (type: IdentifierType | undefined, text: string): string =>
  type === 'DNI' ? normaliseDocument(type, text) : text.replaceAll(/\s/g, '').toUpperCase();

/** Whether they are the same document, however it is spelled. */
export const isSameDocument = (one: Identifier, other: Identifier): boolean =>
  one.type === other.type && normaliseDocument(one.type, one.value) === normaliseDocument(other.type, other.value);
