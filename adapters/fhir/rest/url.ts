/** Names and values of a search; a list repeats the parameter. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A value within a search parameter, with the characters escaped that FHIR gives a meaning (R4, Search, 3.1.1.4.19). */
export const escapeValue = (value: string): string => value.replace(/[\\,|$]/g, '\\$&');

/** The token `system|code`. */
export const formatToken = (system: string, value: string): string => `${escapeValue(system)}|${escapeValue(value)}`;

/** The query as it stands after the question mark, or in a form. */
export function encodeQuery(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === undefined ? [] : [value].flat()) pairs.append(name, each);
  }
  return pairs.toString().replaceAll('+', '%20');
}
