import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

interface Line {
  /** The event, or the place in the source where it is not a string literal. */
  readonly event: string;
  readonly levels: readonly string[];
  readonly fields: readonly string[];
}

/** The nodes of a tree that match. */
function findNodes<T extends ts.Node>(node: ts.Node, matches: (node: ts.Node) => node is T): T[] {
  const found = matches(node) ? [node] : [];
  ts.forEachChild(node, (child) => void found.push(...findNodes(child, matches)));
  return found;
}

/** The names of an object literal, including those of the objects that it spreads. */
const listFields = (node: ts.Node): string[] =>
  findNodes(node, ts.isObjectLiteralExpression).flatMap(({ properties }) =>
    properties.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : [])),
  );

const listTexts = (node: ts.Node): string[] => findNodes(node, ts.isStringLiteral).map(({ text }) => text);

/** Every line that a source file writes through `Log`. */
function findLogCalls(file: string): Line[] {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('log.write')) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return findNodes(source, ts.isCallExpression).flatMap(({ expression, arguments: [level, event, fields] }) => {
    if (!/\blog\.write$/.test(expression.getText(source)) || !level) return [];
    const name = event && ts.isStringLiteral(event) ? event.text : `${file}: ${event?.getText(source)}`;
    return [{ event: name, levels: listTexts(level), fields: fields ? listFields(fields) : [] }];
  });
}

const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);

const rows = readFileSync('docs/reference/events.md', 'utf8')
  .split('| Event | Level |')[1]!
  .split('\n\n')[0]!
  .split('\n')
  .slice(2)
  .map((row) => row.split('|').map((cell) => cell.trim()));

/** Levels and fields by event, each once and in order. */
function summarize(lines: readonly Line[]) {
  const sorted = (values: readonly string[]) => [...new Set(values)].toSorted();
  const byEvent = Object.entries(Object.groupBy(lines, ({ event }) => event));
  return Object.fromEntries(
    byEvent.map(([event, same = []]) => [
      event,
      { levels: sorted(same.flatMap(({ levels }) => levels)), fields: sorted(same.flatMap(({ fields }) => fields)) },
    ]),
  );
}

describe('docs/reference/events.md', () => {
  const written = globSync(['src/**/*.ts', 'adapters/**/*.ts']).flatMap(findLogCalls);

  test('has every log event of the code with its levels and fields, and no other', () => {
    const documented = rows.map(([, event, level, , fields]) => ({
      event: codeIn(event)[0] ?? '',
      levels: codeIn(level),
      fields: codeIn(fields),
    }));
    expect(documented).toHaveLength(new Set(documented.map(({ event }) => event)).size);
    expect(summarize(documented)).toEqual(summarize(written));
  });

  test('says when each log event happens and what the operator does', () => {
    expect(rows.filter(([, , , when, , action]) => !when || !action)).toEqual([]);
  });

  test('names every log event in a few lower-case words', () => {
    expect(written.length).toBeGreaterThan(8);
    expect(written.filter(({ event }) => !/^[a-z]+( [a-z]+){0,3}$/.test(event))).toEqual([]);
  });
});
