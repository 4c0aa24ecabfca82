import { weighJson } from '../../../../src/http-client/answer-size.ts';
import type { HttpSettings } from './schema.ts';

/** What each costs at least, in bytes of an answer: it takes so much longer to read than the same bytes of a text. A reference is
 * as dear as a carriage return, and as a line in an attribute. */
const REFERENCE = 25;
const CELL = 50;
const NODE = 150;
const COLUMN = 200;
/** Elements of XML in each other. */
const MAX_DEPTH = 100;

/**
 * How large an answer counts, in bytes, before it is parsed: its own, or what its values, cells, elements and attributes cost.
 * Infinite when it is nested deeper than 100 levels. Beyond the limit it is not exact.
 * @param text the answer, in the charset of the settings.
 */
export function weighAnswer(data: Uint8Array, text: string, { answers, bytes, charset, separator }: HttpSettings) {
  if (answers === 'xml') return Math.max(data.length, weighXml(text, bytes));
  if (answers === 'csv') return Math.max(data.length, weighCsv(text, separator));
  return weighJson(/^utf-?8$/i.test(charset) ? data : Buffer.from(text), bytes);
}

/** In these no tag is one. */
const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

function weighXml(text: string, most: number): number {
  let weight = 0;
  let depth = 0;
  let isInTag = false;
  for (let at = 0; at < text.length && weight <= most; at++) {
    switch (text[at]) {
      case '<': {
        const [begin = '', end = ''] = sections.find(([begin]) => text.startsWith(begin, at)) ?? [];
        isInTag = begin === '' && text[at + 1] !== '/';
        if (isInTag) depth++;
        else if (begin === '') depth--;
        else at = findOrEnd(text, end, at + begin.length) + end.length - 1;
        if (isInTag || begin !== '') weight += NODE;
        if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
        break;
      }
      case '>':
        if (isInTag && text[at - 1] === '/') depth--;
        isInTag = false;
        break;
      case '"':
      case "'":
        if (isInTag) {
          const end = findOrEnd(text, text[at]!, at + 1);
          weight += NODE + REFERENCE * countAll('&\t\n', text, at, end);
          at = end;
        }
        break;
      case '&':
      case '\r':
        weight += REFERENCE;
        break;
    }
  }
  return weight;
}

const findOrEnd = (text: string, what: string, from: number): number => {
  const at = text.indexOf(what, from);
  return at === -1 ? text.length : at;
};

function countAll(characters: string, text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (characters.includes(text[at]!)) count++;
  return count;
}

function weighCsv(text: string, separator: string): number {
  const head = findOrEnd(text, '\n', 0);
  const between = `${separator}\r\n`;
  return COLUMN * countAll(between, text, 0, head) + CELL * countAll(between, text, head, text.length);
}
