const names: Readonly<Record<string, string>> = { AR: 'Argentina', ARG: 'Argentina' };

/** The name of a country of which only the code (ISO 3166) may be known; any other text stays as it is. */
export const toCountryName = (country: string): string => names[country] ?? country;
