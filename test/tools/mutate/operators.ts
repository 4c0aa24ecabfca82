import ts from 'typescript';

/** Another text for one node, or for a part of it. */
export interface Change {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

type Operator = (node: ts.Node, source: ts.SourceFile) => readonly Change[];

const replace = (operator: string, node: ts.Node, source: ts.SourceFile, replacement: string): Change => ({
  operator,
  start: node.getStart(source),
  end: node.getEnd(),
  replacement,
});

const otherOperators: Readonly<Partial<Record<ts.SyntaxKind, readonly [operator: string, replacement: string]>>> = {
  [ts.SyntaxKind.LessThanToken]: ['boundary', '<='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['boundary', '<'],
  [ts.SyntaxKind.GreaterThanToken]: ['boundary', '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['boundary', '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['equality', '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['equality', '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken]: ['logic', '||'],
  [ts.SyntaxKind.BarBarToken]: ['logic', '&&'],
  [ts.SyntaxKind.PlusToken]: ['arithmetic', '-'],
  [ts.SyntaxKind.MinusToken]: ['arithmetic', '+'],
  [ts.SyntaxKind.AsteriskToken]: ['arithmetic', '/'],
  [ts.SyntaxKind.SlashToken]: ['arithmetic', '*'],
  [ts.SyntaxKind.PercentToken]: ['arithmetic', '*'],
  [ts.SyntaxKind.PlusEqualsToken]: ['arithmetic', '-='],
  [ts.SyntaxKind.MinusEqualsToken]: ['arithmetic', '+='],
};

const changeBinary: Operator = (node, source) => {
  if (!ts.isBinaryExpression(node)) return [];
  if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
    return [node.left, node.right].map((side) => replace('nullish', node, source, side.getText(source)));
  const other = otherOperators[node.operatorToken.kind];
  return other ? [replace(other[0], node.operatorToken, source, other[1])] : [];
};

const negateCondition: Operator = (node, source) => {
  const condition =
    ts.isIfStatement(node) || ts.isWhileStatement(node)
      ? node.expression
      : ts.isConditionalExpression(node)
        ? node.condition
        : undefined;
  return condition ? [replace('condition', condition, source, `!(${condition.getText(source)})`)] : [];
};

const changeUnary: Operator = (node, source) => {
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return [];
  const operand = node.operand.getText(source);
  switch (node.operator) {
    case ts.SyntaxKind.ExclamationToken:
      return [replace('negation', node, source, operand)];
    case ts.SyntaxKind.MinusToken:
      return [replace('arithmetic', node, source, operand)];
    case ts.SyntaxKind.PlusPlusToken:
      return [replace('arithmetic', node, source, node.getText(source).replace('++', '--'))];
    case ts.SyntaxKind.MinusMinusToken:
      return [replace('arithmetic', node, source, node.getText(source).replace('--', '++'))];
    default:
      return [];
  }
};

/** Text for people has a space. That it is worded otherwise is no fault that a test should see. */
const isProse = (text: string): boolean => /\s/.test(text);

const isText = (node: ts.Node, source: ts.SourceFile): boolean =>
  (ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) &&
  isProse(node.getText(source).replaceAll(/\$\{[^}]*\}/g, ''));

const changeLiteral: Operator = (node, source) => {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replace('boolean', node, source, 'false')];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [replace('boolean', node, source, 'true')];
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text.replaceAll('_', ''));
    return [replace('number', node, source, String(value < 10 ? value + 1 : value * 2))];
  }
  if (ts.isStringLiteral(node) && !isProse(node.text))
    return [replace('string', node, source, node.text === '' ? "'mutant'" : "''")];
  if (ts.isTemplateExpression(node) && !isText(node, source)) return [replace('string', node, source, "''")];
  return [];
};

const removeEffect: Operator = (node, source) => {
  if (ts.isAwaitExpression(node)) return [replace('await', node, source, node.expression.getText(source))];
  if (ts.isThrowStatement(node)) return [replace('throw', node, source, ';')];
  if (ts.isReturnStatement(node) && node.expression) return [replace('return', node, source, 'return undefined;')];
  if (!ts.isExpressionStatement(node)) return [];
  const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  const isAssignment = ts.isBinaryExpression(called) && called.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return ts.isCallExpression(called) || isAssignment ? [replace('statement', node, source, ';')] : [];
};

const leaveOut: Operator = (node, source) => {
  if (ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node)) {
    const parts: readonly ts.Node[] = ts.isArrayLiteralExpression(node)
      ? node.elements
      : node.properties.filter(ts.isSpreadAssignment);
    const meant = parts.filter((part) => !isText(part, source));
    return meant.map((part) => {
      const next = source.text.slice(part.getEnd()).match(/^\s*,/);
      return {
        operator: ts.isArrayLiteralExpression(node) ? 'element' : 'spread',
        start: part.getStart(source),
        end: part.getEnd() + (next?.[0].length ?? 0),
        replacement: '',
      };
    });
  }
  if (
    (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node)) &&
    node.questionDotToken
  )
    return [replace('optional', node.questionDotToken, source, ts.isPropertyAccessExpression(node) ? '.' : '')];
  return [];
};

const passThrough = new Set(['filter', 'slice', 'toSorted', 'toReversed', 'trim', 'toLowerCase', 'toUpperCase']);

/** `list.filter(fits)` becomes `list`. */
const skipStep: Operator = (node, source) => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  return passThrough.has(name.text) ? [replace('step', node, source, expression.getText(source))] : [];
};

const operators: readonly Operator[] = [
  changeBinary,
  negateCondition,
  changeUnary,
  changeLiteral,
  removeEffect,
  leaveOut,
  skipStep,
];

/** Documentation in code: these are texts that are published, not what the code does. */
const textProperties = new Set(['description', 'summary', 'title']);

/** Whether nothing below this node runs, or what runs is text for people. */
function isOutOfScope(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  return ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && textProperties.has(node.name.text);
}

/** Every change that the operators make to a file, in the order of the text. */
export function listChanges(file: string, text: string): Change[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    if (isOutOfScope(node)) return;
    const isName = ts.isPropertyAssignment(node.parent ?? node) && (node.parent as ts.PropertyAssignment).name === node;
    if (!isName) for (const operator of operators) changes.push(...operator(node, source));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return changes
    .filter(({ start, end, replacement }) => text.slice(start, end) !== replacement)
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
}
