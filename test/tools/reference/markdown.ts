import { dirname, posix } from 'node:path';

/** A table of GitHub's Markdown. */
export const formatTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(escapeCell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

const escapeCell = (cell: string): string => cell.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|');

export const quote = (text: string): string => `\`${text}\``;

export const quoteAll = (texts: readonly string[]): string => texts.map(quote).join(', ');

/** The text with links that begin at the root of the repository, as seen from the page. */
export const rebaseLinks = (text: string, page: string): string =>
  text.replaceAll(/\]\((docs\/[^)#\s]+)?(#[^)\s]+)?\)/g, (_link, path: string | undefined, anchor = '') => {
    const target = path === undefined || path === page ? '' : posix.relative(dirname(page), path);
    return `](${target}${anchor})`;
  });

/** A key of a configuration as an item of a list, with its default in brackets. */
export const formatKey = (name: string, shown: string, about: string): string =>
  `- ${quote(name)}${shown === '' ? '' : ` (${shown})`}: ${about}`;
