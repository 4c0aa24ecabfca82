const fold = (credential: string): string => credential.replaceAll(/\s/g, '').toUpperCase();

/** Whether two credential numbers are those of one card: blanks and case tell none apart. */
export const isSameCredential = (one: string, other: string): boolean => fold(one) === fold(other);
