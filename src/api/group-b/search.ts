import { text } from '../scalars.ts';

/** The query parameter that narrows a list by name. */
export const search = text(100).meta({ description: 'Part of the name; case and accents are ignored.' }).optional();

/** Text in which case and accents no longer differ. */
export const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');

/** Whether a name holds what was searched; everything does when nothing was. */
export const includesText = (name: string, search = ''): boolean => foldAccents(name).includes(foldAccents(search));
