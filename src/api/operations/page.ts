import { z } from 'zod';
import { type Page, type PageRequest, takePage } from '../../ports/index.ts';
import { digits, text } from '../scalars.ts';

/** The query parameters of every list of Group B. */
export const pageQuery = {
  page: digits(0, 999_999_999).prefault('0').meta({ description: 'The page to return; the first page is 0.' }),
  limit: digits(1, 100)
    .prefault('10')
    .meta({ description: 'Maximum number of rows of a page, 1 to 100.', pattern: '^0{0,6}([1-9]\\d?|100)$' }),
};

const pagination = z
  .object({
    totalPages: z.int(),
    totalElements: z.int(),
    page: z.int().meta({ description: 'Counts from 0.' }),
    limit: z.int(),
    numberOfElements: z.int().meta({ description: 'The number of rows of this page.' }),
  })
  .meta({ id: 'Pagination' });

/** The body of a list of Group B. */
export const pageBody = <R extends z.ZodType>(row: R) => z.object({ data: z.array(row), pagination });

/** Decisions about every list of Group B for gaps of the API document. */
export const pageAddition =
  '`page` counts from 0. `limit` is 10 by default and at most 100. A page beyond the last one is empty and has the correct totals.';

/** One page of a whole list, in the body of Group B. */
export const paginate = <T>(list: readonly T[], page: PageRequest) => toPageBody(takePage(list, page), page);

/** A page in the body of Group B. */
export const toPageBody = <T>({ items, total }: Page<T>, { page, limit }: PageRequest) => ({
  data: [...items],
  pagination: {
    totalPages: Math.ceil(total / limit),
    totalElements: total,
    page,
    limit,
    numberOfElements: items.length,
  },
});

/** The query parameter that narrows a list by name. */
export const search = text(100).meta({ description: 'Part of the name; case and accents are ignored.' }).optional();

/** The text in lower case and without accents. */
export const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');

/** True if a name contains the searched text, ignoring case and accents. True for an empty search. */
export const includesText = (name: string, search = ''): boolean => foldAccents(name).includes(foldAccents(search));
