// The mutants of a TypeScript source, by its syntax tree: operators, bounds, conditions, constants, and statements
// removed. Not Stryker: it puts all mutants into one instrumented source, while tests count allocations and stack
// frames, and the code of workers is text, which its switch does not reach.
import ts from "typescript";

const K = ts.SyntaxKind;
const operators = new Map([
  [K.LessThanToken, ["<="]],
  [K.LessThanEqualsToken, ["<"]],
  [K.GreaterThanToken, [">="]],
  [K.GreaterThanEqualsToken, [">"]],
  [K.EqualsEqualsEqualsToken, ["!=="]],
  [K.ExclamationEqualsEqualsToken, ["==="]],
  [K.AmpersandAmpersandToken, ["||"]],
  [K.BarBarToken, ["&&"]],
  [K.PlusToken, ["-"]],
  [K.MinusToken, ["+"]],
  [K.AsteriskToken, ["/"]],
  [K.SlashToken, ["*"]],
  [K.PercentToken, ["*"]],
  [K.AmpersandToken, ["|"]],
  [K.BarToken, ["&"]],
  [K.CaretToken, ["|"]],
  [K.LessThanLessThanToken, [">>"]],
  [K.GreaterThanGreaterThanToken, ["<<"]],
  [K.GreaterThanGreaterThanGreaterThanToken, [">>"]],
  [K.PlusEqualsToken, ["-=", "="]],
  [K.MinusEqualsToken, ["+="]],
]);

/** The replacements for a node, each with the node that it takes the place of. */
function* changesOf(node) {
  if (ts.isBinaryExpression(node)) {
    for (const to of operators.get(node.operatorToken.kind) ?? []) yield [node.operatorToken, to];
    if (node.operatorToken.kind === K.QuestionQuestionToken) yield [node, node.left.getText()];
  } else if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) {
    yield [node, `(${node.getText()} + ${ts.isBigIntLiteral(node) ? "1n" : "1"})`];
  } else if (node.kind === K.TrueKeyword && !ts.isLiteralTypeNode(node.parent)) {
    yield [node, "false"];
  } else if (node.kind === K.FalseKeyword && !ts.isLiteralTypeNode(node.parent)) {
    yield [node, "true"];
  } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    yield [node.expression, "false"];
    if (ts.isIfStatement(node)) yield [node.expression, "true"];
  } else if (ts.isConditionalExpression(node)) {
    yield [node.condition, "false"];
    yield [node.condition, "true"];
  } else if (ts.isExpressionStatement(node)) {
    yield [node, ";"];
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) {
    yield [node, node.operand.getText()];
  }
}

const isType = (node) => ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

export function mutantsOfTypeScript(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants = [];
  const visit = (node) => {
    if (isType(node)) return;
    for (const [place, to] of changesOf(node)) {
      const at = place.getStart();
      const { line } = source.getLineAndCharacterOfPosition(at);
      mutants.push({ file, line: line + 1, at, from: place.getText(), to });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}
