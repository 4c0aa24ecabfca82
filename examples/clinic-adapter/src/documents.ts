import type { Identifier, IdentifierType } from 'puente/adapter';
import { code } from './columns.ts';

/** The legacy system tells more types apart than the ports; the first of each is the one to write. */
const codes: Readonly<Record<IdentifierType, readonly [string, ...string[]]>> = {
  DNI: ['DNI'],
  Passport: ['PAS'],
  Other: ['OTR', 'LC', 'LE', 'CI'],
};

/** The type of a document, from the column `tip_doc`. */
export const documentType = code<IdentifierType>({
  DNI: 'DNI',
  PAS: 'Passport',
  OTR: 'Other',
  LC: 'Other',
  LE: 'Other',
  CI: 'Other',
});

/** A DNI has eight digits in the column `nro_doc`, and no zeros in front outside. */
export const parseNumber = (type: IdentifierType, number: string): string =>
  type === 'DNI' ? number.trim().replace(/^0+/, '') : number.trim();

const formatNumber = ({ type, value }: Identifier): string => (type === 'DNI' ? value.padStart(8, '0') : value);

/** The document as it is written into `documentos`. */
export const formatDocument = (identifier: Identifier) => ({
  tip_doc: codes[identifier.type][0],
  nro_doc: formatNumber(identifier),
});

/** The codes of this type, or of all, as the JSON that a query reads. */
export const listCodes = (type?: IdentifierType): string =>
  JSON.stringify(type === undefined ? Object.values(codes).flat() : codes[type]);

/** Every document that this number may be, of this type or of all, as the JSON that a query reads. */
export const listDocuments = (value: string, type?: IdentifierType): string => {
  const types: readonly IdentifierType[] = type === undefined ? ['DNI', 'Passport', 'Other'] : [type];
  return JSON.stringify(types.flatMap((each) => codes[each].map((c) => [c, formatNumber({ type: each, value })])));
};
