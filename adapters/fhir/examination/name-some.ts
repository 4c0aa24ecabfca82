/** How many records a finding names. */
const NAMED = 3;

/** The first of these names, and how many more there are. */
export const nameSome = (names: readonly string[]): string =>
  names.slice(0, NAMED).join(', ') + (names.length > NAMED ? `, and ${names.length - NAMED} more` : '');
