import { toPlainText } from './plain-text.ts';

/** The text, without what could control a terminal, in lines of at most `width` characters, broken between words, and within words that are longer. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = toPlainText(text);
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const at = space > width / 3 ? space : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
