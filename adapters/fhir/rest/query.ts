/** Names and values of a search; a list repeats the parameter. */
export type SearchQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The maximum characters of a list in a URL. It leaves space for other criteria. */
const ROOM_FOR_LIST = 1_000;

/** Splits comma-joined values into as few lists as fit into a URL with other criteria. */
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

/** Escapes the characters of a value that have a meaning in FHIR searches (R4, Search, 3.1.1.4.19). */
export const escapeValue = (value: string): string => value.replace(/[\\,|$]/g, '\\$&');

/** The token `system|code`. */
export const formatToken = (system: string, value: string): string => `${escapeValue(system)}|${escapeValue(value)}`;

/** The encoded query for a URL or a form. */
export function encodeQuery(query: SearchQuery): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === undefined ? [] : [value].flat()) pairs.append(name, each);
  }
  return pairs.toString().replaceAll('+', '%20');
}
