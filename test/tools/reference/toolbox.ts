import { posix } from 'node:path';
import ts from 'typescript';
import { quote } from './markdown.ts';
import { findNodes, getComment, parseFile } from './source.ts';

const resolve = (file: string, from: string): string => posix.join(posix.dirname(file), from);

/** The functions, classes and constants that a file exports, also from other files, with their docstrings. */
function listDeclarations(file: string): ReadonlyMap<string, string> {
  const exports = findNodes(parseFile(file), ts.isExportDeclaration);
  const found = new Map(exports.flatMap((each) => [...listReexports(file, each)]));
  for (const node of parseFile(file).statements) {
    const isExported =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported || ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword)) continue;
    const names = ts.isVariableStatement(node)
      ? node.declarationList.declarations.map(({ name }) => name)
      : ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)
        ? [node.name]
        : [];
    // An overload follows the declaration with the docstring.
    for (const name of names)
      if (name && ts.isIdentifier(name)) found.set(name.text, found.get(name.text) || getComment(node));
  }
  return found;
}

/** The values that an `export ... from` of a file passes on. */
function listReexports(
  file: string,
  { moduleSpecifier, exportClause, isTypeOnly }: ts.ExportDeclaration,
): readonly (readonly [string, string])[] {
  const from = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  if (isTypeOnly || !from.startsWith('.')) return [];
  const declared = listDeclarations(resolve(file, from));
  if (!exportClause || !ts.isNamedExports(exportClause)) return [...declared];
  const named = exportClause.elements.filter((each) => !each.isTypeOnly);
  return named.map(({ name }) => [name.text, declared.get(name.text) ?? '']);
}

/** What `puente/adapter` exports beside the ports, types and zod, each with the first sentence of its docstring. */
export const formatToolbox = (): string =>
  [...listDeclarations('adapters/public.ts')]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, about]) => `- ${quote(name)}: ${/^.*?\.(?= [A-Z]|$)/.exec(about)?.[0] ?? about}`)
    .join('\n');
