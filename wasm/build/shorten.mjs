// Shorter code in what wasm2js makes, which has one operation or two a statement: engines without a compiler take about
// as long to store a result in a local and to load it again as to compute it. bench/NOTES.md has what each step saves.
import { generate } from "astring";
import { parseAst } from "rollup/parseAst";

const isOperation = (node, ...operators) => node.type === "BinaryExpression" && operators.includes(node.operator);
const isBitwise = (node) => isOperation(node, "^", "&", "|", "<<", ">>", ">>>");
const isComparison = (node) => isOperation(node, "==", "!=", "<", "<=", ">", ">=");
const isSum = (node) => isOperation(node, "+", "-");
const isWordOf = (node) => isOperation(node, "|") && node.right.value === 0;
const isNumber = ({ type, argument }) => type === "Literal" || (type === "UnaryExpression" && isNumber(argument));
const isLocal = ({ type, name }) => type === "Identifier" && name.startsWith("$");

const isNode = (value) => typeof value?.type === "string";
/** In the order of evaluation. */
const childrenOf = (node) => Object.values(node).flat().filter(isNode);
const contains = (node, ...types) =>
  types.includes(node.type) || childrenOf(node).some((child) => contains(child, ...types));

/** A tree with other children. */
function mapped(node, change) {
  const changed = (value) => (isNode(value) ? change(value) : value);
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map(changed) : changed(value),
  ]);
  return Object.fromEntries(entries);
}

/** Whether it is a sum of words of 32 bits, of which doubles hold so many exactly, in any order. */
const isExact = (node) =>
  ["Identifier", "MemberExpression"].includes(node.type) ||
  isNumber(node) ||
  isBitwise(node) ||
  isComparison(node) ||
  (isSum(node) && isExact(node.left) && isExact(node.right));

/**
 * Without conversions to words that change nothing, and with operands in the best order. `wraps` if only the result's
 * low 32 bits count; `last` is the local that was computed last.
 */
function simplified(node, last, wraps = false) {
  if (isWordOf(node) && isOperation(node.left, ">>>") && node.left.right.value % 32 > 0)
    return simplified(node.left, last);
  if (wraps && isWordOf(node) && isSum(node.left) && isExact(node.left)) return simplified(node.left, last, true);
  const inner = isBitwise(node) || (wraps && isSum(node) && isExact(node));
  const plain = mapped(node, (child) => simplified(child, last, inner));
  return isOperation(plain, "+", "^", "&", "|") && !isWordOf(plain) ? ordered(plain, last) : plain;
}

// V8's interpreter takes a register on the left and the last result on the right, and has instructions for a number on
// the right; another left operand is stored first, and then another right one loaded.
function ordered(node, last) {
  if (contains(node, "AssignmentExpression", "CallExpression")) return node;
  const { type, operator } = node;
  const terms = termsOf(node);
  const numbers = terms.filter(isNumber);
  const locals = terms.filter((term) => isLocal(term) && term.name !== last);
  const others = terms.filter((term) => !numbers.includes(term) && !locals.includes(term));
  const first = others.length > 0 ? others : locals.splice(-1);
  const together = (left, right) => ({ type, operator, left, right });
  return locals.reduceRight((right, left) => together(left, right), [...first, ...numbers].reduce(together));
}

function termsOf(node) {
  const operands = [node.left, node.right];
  if (!isOperation(node, "^") && !(isOperation(node, "+") && isExact(node))) return operands;
  return operands.flatMap((operand) => (operand.operator === node.operator ? termsOf(operand) : [operand]));
}

/** The assignment that a statement is, of a value without calls and branches to a local. */
function assignmentOf({ expression }) {
  const isOne = expression?.type === "AssignmentExpression" && isLocal(expression.left);
  const others = ["CallExpression", "ConditionalExpression", "LogicalExpression"];
  return isOne && !contains(expression.right, ...others) ? expression : undefined;
}

/** Simplifies each expression, and makes an assignment a part of the next one if that reads its local first. */
function shortenedBlock(statements) {
  const done = [];
  for (const statement of statements) {
    const [before, own] = [done.at(-1) ?? {}, statement].map(assignmentOf);
    if (own) own.right = simplified(own.right, before?.left.name);
    const place = before && own && placeOf(before, own.right);
    if (place) Object.assign(place, done.pop().expression);
    done.push(own ? statement : shortened(statement));
  }
  return done;
}

function placeOf(before, value) {
  if (contains(value, "AssignmentExpression")) return undefined;
  const written = localsIn(before)
    .filter(({ isWritten }) => isWritten)
    .map(({ name }) => name);
  const first = localsIn(value).find(({ name }) => written.includes(name));
  return first?.name === before.left.name ? first.node : undefined;
}

function localsIn(node, parent) {
  const isWritten = parent?.type === "AssignmentExpression" && parent.left === node;
  if (isLocal(node)) return [{ node, name: node.name, isWritten }];
  return childrenOf(node).flatMap((child) => localsIn(child, node));
}

function shortened(node) {
  if (node.type === "BlockStatement") return { ...node, body: shortenedBlock(node.body) };
  return node.type.endsWith("Expression") ? simplified(node) : mapped(node, shortened);
}

/** Shortens the text of functions. */
export const shortenedCode = (code) => generate(shortened(parseAst(code)), { indent: " ", startingIndentLevel: 1 });
