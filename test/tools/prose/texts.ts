import { readFileSync } from 'node:fs';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { CODE } from './rules.ts';

/** A paragraph as a person reads it, and the line where it begins. */
export interface Paragraph {
  readonly line: number;
  readonly text: string;
}

/** The paragraphs, headings, cells and items of a page; code is left out. */
export function readMarkdown(file: string): readonly Paragraph[] {
  const tree = fromMarkdown(readFileSync(file, 'utf8'), { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return [...listBlocks(tree)];
}

function* listBlocks(node: Nodes): Generator<Paragraph> {
  const isBlock = node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell';
  if (isBlock) yield { line: node.position?.start.line ?? 0, text: toText(node) };
  else if ('children' in node) for (const child of node.children) yield* listBlocks(child);
}

function toText(node: Nodes): string {
  if (node.type === 'inlineCode') return CODE;
  if (node.type === 'text') return node.value;
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map(toText).join('') : '';
}

/** The comments of a source file. Each tag and each list item of a docstring is a paragraph. */
export function readComments(file: string): readonly Paragraph[] {
  const found: { line: number; text: string }[] = [];
  let last: { line: number; text: string } | undefined;
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const [, mark = '', written = ''] = /^\s*(\/\/|\/\*\*?|\*(?!\/))\s?(.*?)(?:\*\/)?\s*$/.exec(line) ?? [];
    if (mark === '' || /^(?:biome|oxlint|eslint|@ts|prettier|#!)/.test(written)) {
      last = undefined;
      continue;
    }
    const [, tagged] = /^@(?:param \S+|throws|returns?|template \S+|see)\s*(.*)$/.exec(written) ?? [];
    if (last === undefined || mark.startsWith('/*') || tagged !== undefined || /^(?:- |$)/.test(written)) {
      last = { line: i + 1, text: '' };
      found.push(last);
    }
    last.text += ` ${tagged ?? written}`;
  }
  return found.map(({ line, text }) => ({ line, text: text.replaceAll(/`[^`]*`|\{@link [^}]*\}/g, CODE).trim() }));
}
