import { badAnswer } from '../../http-client/failures.ts';
import type { ResourceType } from '../schema/resources.ts';
import { parseSearchPage, type SearchPage, SearchResult } from './bundle.ts';
import { isMissing, parseBody } from './decode.ts';
import type { Caller, Request, Transport } from './transport.ts';
import { encodeQuery, type Query } from './url.ts';

export interface Limits {
  /** Most pages of one search, and most matches on them. */
  readonly pages: number;
  readonly entries: number;
}

export interface SearchOptions {
  /** Sends the criteria in the body: what identifies a person must not stand in a URL, which proxies log. */
  readonly post?: true;
  /** Takes the first page only. */
  readonly onePage?: true;
  /** Most matches, when it is more than the limit of all searches. */
  readonly entries?: number;
}

/** Beyond this length a search goes by POST: URLs have limits on their way. */
const MAX_URL_LENGTH = 1_500;
/** HAPI answers a search from a cache of 60 seconds unless it is told not to. */
const fresh = { 'Cache-Control': 'no-cache' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };

/** Reads searches from the first page to the last. */
export class Pager {
  readonly #transport: Transport;
  readonly #limits: Limits;

  constructor(transport: Transport, limits: Limits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  async search<T extends ResourceType>(
    type: T,
    query: Query,
    call: Caller,
    options: SearchOptions,
  ): Promise<SearchResult<T>> {
    const first = this.#buildFirstRequest(type, query, options);
    const found =
      (await this.#readPages(type, first, call, options)) ?? (await this.#readPages(type, first, call, options));
    if (!found) throw badAnswer('search_expired');
    return found;
  }

  #buildFirstRequest(type: ResourceType, query: Query, { post }: SearchOptions): Request {
    const text = encodeQuery(query);
    if (!post && text.length <= MAX_URL_LENGTH) {
      return { method: 'GET', path: `${this.#transport.paths.build(type)}?${text}`, headers: fresh, write: false };
    }
    const path = this.#transport.paths.build(type, '_search');
    return { method: 'POST', path, headers: { ...fresh, ...form }, body: text, write: false };
  }

  /** Undefined when the server has dropped the search between two pages: then the search begins again. */
  async #readPages<T extends ResourceType>(
    type: T,
    first: Request,
    call: Caller,
    { onePage, entries = this.#limits.entries }: SearchOptions,
  ): Promise<SearchResult<T> | undefined> {
    const pages: SearchPage<T>[] = [];
    const seen = new Set<string>();
    let matches = 0;
    for (let request = first; ; ) {
      const reply = await this.#transport.send(request, call);
      if (pages.length > 0 && isMissing(reply)) return undefined;
      const page = parseSearchPage(type, parseBody(reply));
      pages.push(page);
      matches += page.matches.length;
      if (page.next === undefined || onePage) return new SearchResult(pages);
      const path = this.#transport.paths.parseNextLink(type, page.next);
      if (path === undefined || seen.has(path)) throw badAnswer('bad_next_link');
      if (pages.length >= this.#limits.pages || matches >= entries) throw badAnswer('too_many_results');
      seen.add(path);
      request = { method: 'GET', path, headers: fresh, write: false };
    }
  }
}
