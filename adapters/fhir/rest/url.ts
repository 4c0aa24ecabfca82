import { isId } from '../schema/datatypes.ts';

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

/** Builds the paths of one server; none of them ever leaves its base. */
export class Paths {
  /** Without a slash at its end. */
  readonly base: string;

  constructor(baseUrl: string) {
    this.base = new URL(baseUrl).href.replace(/\/+$/, '');
  }

  /**
   * `/{type}`, `/{type}/{id}` or `/{type}/_search`, below the base.
   * @throws Error, a bug, when the id was not checked with `isId` before.
   */
  build(type: string, rest?: string): string {
    const path = rest === undefined ? `/${type}` : `/${type}/${rest}`;
    const fits = /^[A-Za-z]+$/.test(type) && (rest === undefined || rest === '_search' || isId(rest));
    if (!fits || new URL(this.base + path).href !== this.base + path) throw new Error('a path was not checked');
    return path;
  }

  /** The next page: only the query of what the server said, at a path of ours. It may name a host that we must not call. */
  parseNextLink(type: string, link: string): string | undefined {
    if (!URL.canParse(link, `${this.base}/`)) return undefined;
    const { pathname, search } = new URL(link, `${this.base}/`);
    return pathname.endsWith(`/${type}`) || pathname.endsWith(`/${type}/_search`) ? this.build(type) + search : search;
  }
}
