/** Names and values of a search; a list repeats the parameter. */
export type SearchQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Characters of the longest list in a URL: other criteria, and servers on the way, leave no more. */
const ROOM_FOR_LIST = 1_000;

/** Splits values that a search joins by commas into as few lists as fit into a URL with other criteria. */
export function splitForUrl(values: readonly string[]): string[][] {
  const lists: string[][] = [];
  let length = ROOM_FOR_LIST;
  for (const value of values) {
    const own = encodeURIComponent(`${value},`).length;
    if (length + own > ROOM_FOR_LIST) {
      lists.push([]);
      length = 0;
    }
    lists.at(-1)?.push(value);
    length += own;
  }
  return lists;
}

/** A value within a search parameter, with the characters escaped that FHIR gives a meaning (R4, Search, 3.1.1.4.19). */
export const escapeValue = (value: string): string => value.replace(/[\\,|$]/g, '\\$&');

/** The token `system|code`. */
export const formatToken = (system: string, value: string): string => `${escapeValue(system)}|${escapeValue(value)}`;

/** The query as it stands after the question mark, or in a form. */
export function encodeQuery(query: SearchQuery): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === undefined ? [] : [value].flat()) pairs.append(name, each);
  }
  return pairs.toString().replaceAll('+', '%20');
}
