import { badAnswer } from '../../../../src/toolkit/http-client/failures.ts';
import type { SourceValue } from '../source.ts';
import { findText } from './answer.ts';
import type { HttpQuestion } from './schema.ts';

export type Pages = NonNullable<HttpQuestion['pages']>;

/** How a page is asked for: by parameters of the query, or by a URL. */
export type Place = Readonly<Record<string, string>> | URL;

/** A page that has been read. */
export interface Page {
  readonly content: SourceValue | undefined;
  /** How many items it has. */
  readonly size: number;
  /** How many pages, and how many items, have been read with it. */
  readonly pages: number;
  readonly items: number;
  /** Where it stands. */
  readonly url: URL;
}

export function findFirstPage(pages: Pages | undefined): Place {
  if (pages && 'parameter' in pages) return { [pages.parameter]: String(pages.first) };
  return pages && 'offset' in pages ? { [pages.offset]: '0' } : {};
}

/**
 * Where the next page is; undefined after the last one.
 * @throws Failure bad_answer when the answer does not have what the file says.
 */
export function findNextPage(pages: Pages, page: Page): Place | undefined {
  if ('parameter' in pages) {
    const isLast = pages.count === undefined ? page.size === 0 : page.pages >= readCount(page, pages.count);
    return isLast ? undefined : { [pages.parameter]: String(pages.first + page.pages) };
  }
  if ('offset' in pages) {
    const isLast = pages.total === undefined ? page.size === 0 : page.items >= readCount(page, pages.total);
    return isLast ? undefined : { [pages.offset]: String(page.items) };
  }
  if ('cursor' in pages) {
    const cursor = findText(page.content, pages.from);
    return cursor === undefined ? undefined : { [pages.cursor]: cursor };
  }
  const link = findText(page.content, pages.next);
  if (link === undefined) return undefined;
  if (!URL.canParse(link, page.url.href)) throw badAnswer('bad_link');
  return new URL(link, page.url);
}

function readCount({ content }: Page, path: string): number {
  const count = Number(findText(content, path));
  if (!Number.isInteger(count)) throw badAnswer('no_count', path);
  return count;
}
