import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The nodes of a tree that match. */
export function findNodes<T extends ts.Node>(node: ts.Node, matches: (node: ts.Node) => node is T): T[] {
  const found = matches(node) ? [node] : [];
  ts.forEachChild(node, (child) => void found.push(...findNodes(child, matches)));
  return found;
}

export const parseFile = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

const toText = (comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string =>
  (ts.getTextOfJSDocComment(comment) ?? '').replaceAll(/\s+/g, ' ');

/** The docstring of a declaration without its tags. If there are only tags, the errors that it throws. */
export function getComment(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const thrown = ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === 'throws');
  return toText(doc?.comment) || thrown.map(({ comment }) => `Throws ${toText(comment)}`).join(' ');
}
