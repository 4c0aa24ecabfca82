import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { logEvents } from '../../../src/ports/log-events.ts';
import { formatTable, quote, quoteAll } from './markdown.ts';
import { findNodes, getComment, parseFile } from './source.ts';

interface Line {
  /** The event, or the place in the source where it is not a string literal. */
  readonly event: string;
  readonly levels: readonly string[];
  readonly fields: readonly string[];
}

/** The names of an object literal, including those of the objects that it spreads. */
const listFields = (node: ts.Node): string[] =>
  findNodes(node, ts.isObjectLiteralExpression).flatMap(({ properties }) =>
    properties.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : [])),
  );

const listTexts = (node: ts.Node): string[] => findNodes(node, ts.isStringLiteral).map(({ text }) => text);

/** Every line that a source file writes through `Log`. */
function findLogCalls(file: string): Line[] {
  if (!readFileSync(file, 'utf8').includes('log.write')) return [];
  const source = parseFile(file);
  return findNodes(source, ts.isCallExpression).flatMap(({ expression, arguments: [level, event, fields] }) => {
    if (!/\blog\.write$/.test(expression.getText(source)) || !level) return [];
    const name = event && ts.isStringLiteral(event) ? event.text : `${file}: ${event?.getText(source)}`;
    return [{ event: name, levels: listTexts(level), fields: fields ? listFields(fields) : [] }];
  });
}

/** Every line that the gateway and the adapters write. */
export const findLogLines = (): readonly Line[] =>
  globSync(['src/**/*.ts', 'adapters/**/*.ts']).toSorted().flatMap(findLogCalls);

/** The fields of a line with the first sentences of their docstrings, in the order of `LogFields`. */
export function describeLogFields(): readonly (readonly [string, string])[] {
  const [fields] = findNodes(parseFile('src/ports/log.ts'), ts.isInterfaceDeclaration);
  return (fields?.members ?? []).map((member) => {
    return [member.name && ts.isIdentifier(member.name) ? member.name.text : '', getComment(member)] as const;
  });
}

const levels = ['debug', 'info', 'warn', 'error'];

/** The table of events: the code has their levels and fields, `logEvents` the words. */
export function formatEvents(): string {
  const lines = findLogLines();
  const order = describeLogFields().map(([name]) => name);
  const rows = Object.entries<{ when: string; action?: string }>(logEvents).map(([event, { when, action = '' }]) => {
    const own = lines.filter((line) => line.event === event);
    const written = new Set(own.flatMap((line) => line.levels));
    const fields = new Set(own.flatMap((line) => line.fields));
    return [
      quote(event),
      quoteAll(levels.filter((level) => written.has(level))),
      when,
      action,
      quoteAll(order.filter((name) => fields.has(name))),
    ];
  });
  return formatTable(['Event', 'Level', 'When', 'What to do', 'Fields'], rows);
}

export const formatLogFields = (): string =>
  formatTable(
    ['Field', 'Content'],
    describeLogFields().map(([name, about]) => [quote(name), about]),
  );
