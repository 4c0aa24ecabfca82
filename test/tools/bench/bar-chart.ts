import { formatNumber } from './statistics.ts';

/** A group of bars with a title and a unit of its own. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly own: boolean }[];
}

const WIDTH = 760;
const LABEL_WIDTH = 250;
const ROW = 22;
const TITLE = 34;

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** An SVG with horizontal bars, ours in another colour, readable on light and dark pages. */
export function drawBarChart(title: string, groups: readonly BarGroup[]): string {
  let top = 0;
  const parts: string[] = [];
  for (const { title, bars } of groups) {
    const longest = Math.max(...bars.map(({ value }) => value));
    parts.push(`<text x="8" y="${top + 22}" font-weight="bold">${escapeXml(title)}</text>`);
    top += TITLE;
    for (const { label, value, own } of bars) {
      const width = Math.max(1, Math.round((value / longest) * (WIDTH - LABEL_WIDTH - 70)));
      parts.push(
        `<text x="${LABEL_WIDTH - 8}" y="${top + 13}" text-anchor="end">${escapeXml(label)}</text>`,
        `<rect x="${LABEL_WIDTH}" y="${top}" width="${width}" height="16" fill="${own ? '#b4521e' : '#8296a8'}"/>`,
        `<text x="${LABEL_WIDTH + width + 6}" y="${top + 13}">${formatNumber(value)}</text>`,
      );
      top += ROW;
    }
    top += 10;
  }
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" font-family="sans-serif" font-size="13">`;
  const head = [open, `<title>${escapeXml(title)}</title>`];
  return `${[...head, `<rect width="${WIDTH}" height="${top}" fill="#ffffff"/>`, ...parts, '</svg>'].join('\n')}\n`;
}
