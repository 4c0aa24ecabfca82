import { text } from '../scalars.ts';

/** The query parameter that narrows a list by name. */
export const search = text(100).meta({ description: 'Part of the name; case and accents are ignored.' }).optional();

/** The text in lower case and without accents. */
export const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');

/** Whether a name contains the searched text, ignoring case and accents; always when nothing is searched. */
export const includesText = (name: string, search = ''): boolean => foldAccents(name).includes(foldAccents(search));
