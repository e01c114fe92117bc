// Shorter straight-line code in what wasm2js makes, which has one operation or two a statement: engines without a compiler take
// about as long to store a result in a local and to load it again as to compute it. BLAKE3's compression is 1.2 to 1.3 times as
// fast in Node's --jitless, the same with a compiler, and its bundle 0.7 kB smaller. Only assignments of expressions without
// calls, stores and branches are touched.

// ---- expressions ----

const TOKEN = /\s*(>>>|<<|>>|[<>=!]=|[-+*|&^<>=!~?:()[\]]|[\w$]+)/y;
const PRECEDENCE = {
  "|": 1,
  "^": 2,
  "&": 3,
  "==": 4,
  "!=": 4,
  "<": 5,
  ">": 5,
  "<=": 5,
  ">=": 5,
  "<<": 6,
  ">>": 6,
  ">>>": 6,
  "+": 7,
  "-": 7,
  "*": 8,
};
const UNARY = 9;

/** The tree of an expression over locals, numbers, words in memory and operators; undefined if there is more in it. */
function parse(text) {
  const tokens = tokensOf(text);
  if (!tokens) return undefined;
  let at = 0;
  const take = (token) => tokens[at] === token && ++at > 0;

  function operand() {
    const token = tokens[at++];
    if (token === "(") {
      const inner = expression(1);
      return take(")") ? inner : undefined;
    }
    if (token === "-" || token === "~" || token === "!") {
      const inner = operand();
      return inner && { operator: token, operands: [inner] };
    }
    if (!/^[\w$]+$/.test(token ?? "") || tokens[at] === "(") return undefined;
    if (!take("[")) return { name: token };
    const index = expression(1);
    return index && take("]") ? { array: token, operands: [index] } : undefined;
  }

  function expression(least) {
    let left = operand();
    while (left && PRECEDENCE[tokens[at]] >= least) {
      const operator = tokens[at++];
      const right = expression(PRECEDENCE[operator] + 1);
      left = right && { operator, operands: [left, right] };
    }
    return left;
  }

  const tree = expression(1);
  return at === tokens.length ? tree : undefined;
}

function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (!found) return undefined;
    tokens.push(found[1]);
  }
  return tokens;
}

function print(tree, least = 0) {
  const { name, value, array, operator, operands } = tree;
  if (value) return least > 0 ? `(${name} = ${print(value)})` : `${name} = ${print(value)}`;
  if (name) return name;
  if (array) return `${array}[${print(operands[0])}]`;
  if (operands.length === 1) return spaced(operator, print(operands[0], UNARY));
  const own = PRECEDENCE[operator];
  const text = `${print(operands[0], own)} ${operator} ${print(operands[1], own + 1)}`;
  return own < least ? `(${text})` : text;
}

/** `- -1`, not `--1`. */
const spaced = (operator, text) => (text.startsWith(operator) ? `${operator} ${text}` : operator + text);

const isLocal = ({ name, value }) => name?.startsWith("$") && !value;

/** The locals that a tree reads, in the order of evaluation. */
function* reads(tree) {
  if (isLocal(tree)) yield tree;
  if (tree.value) yield* reads(tree.value);
  for (const operand of tree.operands ?? []) yield* reads(operand);
}

/** The locals that it writes. */
function* writes(tree) {
  if (tree.value) {
    yield tree.name;
    yield* writes(tree.value);
  }
  for (const operand of tree.operands ?? []) yield* writes(operand);
}

// ---- conversions to 32 bits ----

const isSum = ({ operator, operands }) => (operator === "+" || operator === "-") && operands.length === 2;
const isWord = ({ operator, operands }) => operator === "|" && operands[1].name === "0";

/** Without conversions that change nothing: a sum of three words is exact, and a shifted word has less than 32 bits. */
function converted(tree) {
  if (!tree.operands) return tree;
  const operands = tree.operands.map(converted);
  const plain = { ...tree, operands };
  if (!isWord(plain)) return plain;
  const [inner] = operands;
  if (inner.operator === ">>>" && inner.operands[1].name > 0) return inner;
  return isSum(inner) ? { ...plain, operands: [shortSum(inner), operands[1]] } : plain;
}

function shortSum(sum) {
  const inner = sum.operands.map((operand) => isWord(operand) && isSum(operand.operands[0]));
  const place = inner.indexOf(true);
  // Only two words in the other sum: four might not be added in the order of the source.
  if (place < 0 || sum.operator === "-" || inner[1 - place]) return sum;
  const short = sum.operands[place].operands[0];
  if (short.operator === "-" || short.operands.some(isSum)) return sum;
  return place === 0
    ? { ...sum, operands: [short, sum.operands[1]] }
    : { ...sum, operands: [{ ...sum, operands: [sum.operands[0], short.operands[0]] }, short.operands[1]] };
}

// ---- operands ----

// V8's interpreter takes a register on the left and the last result on the right, and has instructions for a number on the
// right; another left operand is stored first, and then another right one loaded.

/** The same value with the operands of sums, and of other operators that commute, in that order; `last` is the last result. */
function inRegisters(tree, last) {
  if (!tree.operands) return tree;
  const plain = { ...tree, operands: tree.operands.map((operand) => inRegisters(operand, last)) };
  const { operator } = plain;
  if (!COMMUTATIVE.includes(operator)) return plain;
  const terms = termsOf(plain);
  const numbers = terms.filter(isNumber);
  const locals = terms.filter((term) => isLocal(term) && term.name !== last);
  const others = terms.filter((term) => !numbers.includes(term) && !locals.includes(term));
  const inner = others.length > 0 ? others : locals.splice(-1);
  const together = (left, right) => ({ operator, operands: [left, right] });
  return locals.reduceRight((right, left) => together(left, right), [...inner, ...numbers].reduce(together));
}

const COMMUTATIVE = ["+", "^", "&", "|"];

/** The terms of a sum or of a chain of ^. A product may have more bits than are exact in a longer sum. */
function termsOf({ operator, operands }) {
  if (operator !== "+" && operator !== "^") return operands;
  const terms = operands.flatMap((operand) => (operand.operator === operator ? termsOf(operand) : [operand]));
  return terms.some(hasProduct) ? operands : terms;
}

const hasProduct = ({ operator, operands = [] }) => operator === "*" || operands.some(hasProduct);

const isNumber = ({ name, operator, operands }) =>
  operator === "-" && operands.length === 1 ? isNumber(operands[0]) : /^\d/.test(name ?? "");

// ---- runs of assignments ----

const ASSIGNMENT = /^( *)(\$\w+) = (.+?);?$/;

/** Shortens every run of assignments in the text of functions. */
export function straightened(code) {
  const functions = code.split(/^(?= function )/m);
  return functions.map(straightenedFunction).join("");
}

function straightenedFunction(code) {
  const pieces = code.split("\n").map(statementOf);
  const runs = pieces.flatMap((piece, i) => (piece.value && !pieces[i - 1]?.value ? [runFrom(pieces, i)] : []));
  const outer = new Set(
    pieces.flatMap(({ line }) => (!line || DECLARATION.test(line) ? [] : (line.match(LOCAL) ?? []))),
  );
  for (const run of runs) for (const name of readFromBefore(run)) outer.add(name);
  const lines = [];
  let most = 0;
  for (const piece of pieces) {
    if (!piece.value) lines.push(piece.line);
    if (runs[0]?.[0] !== piece) continue;
    const { statements, fresh } = shortRun(runs.shift(), outer);
    for (const { indent, ...tree } of statements) lines.push(`${indent}${print(tree)};`);
    most = Math.max(most, fresh);
  }
  return declared(lines.join("\n"), most);
}

// Not the end of a name such as `global$0`.
const LOCAL = /(?<![\w$])\$\w+/g;
const DECLARATION = /^ +var /;

function statementOf(line) {
  const [, indent, name, text] = ASSIGNMENT.exec(line) ?? [];
  const value = text && parse(text);
  return value ? { indent, name, value: converted(value) } : { line };
}

function runFrom(pieces, start) {
  const end = pieces.findIndex(({ value }, i) => i > start && !value);
  return pieces.slice(start, end < 0 ? undefined : end);
}

/** The locals that a run reads before it writes them, if it does. */
function readFromBefore(run) {
  const written = new Set();
  return run.flatMap(({ name, value }) => {
    const found = Array.from(reads(value), (local) => local.name).filter((local) => !written.has(local));
    written.add(name);
    return found;
  });
}

const freshName = (i) => `$t${i}`;

/** Declares the fresh locals, which are written before they are read, and only those of the others that are left. */
function declared(code, fresh) {
  const names = Array.from({ length: fresh }, (_, i) => freshName(i));
  return code.replace(/^( +var )(\$\w+ = 0(?:, \$\w+ = 0)*);\n/m, (line, head, list) => {
    const body = code.slice(code.indexOf(line) + line.length).split("\n");
    const rest = new Set(code.replace(line, "").match(LOCAL));
    const kept = list
      .split(", ")
      .map((item) => item.split(" ")[0])
      .filter((name) => rest.has(name));
    const items = kept.map((name) => (isWrittenFirst(name, body) ? name : `${name} = 0`));
    return kept.length + fresh > 0 ? `${head}${[...items, ...names].join(", ")};\n` : "";
  });
}

const depthOf = (line) => line.search(/\S/);

/** Whether a local's first appearance, which is reached whenever its line is, writes it, and all others are in that block. */
function isWrittenFirst(name, lines) {
  const has = (text) => (text.match(LOCAL) ?? []).includes(name);
  const first = lines.findIndex(has);
  const line = lines[first];
  const found = new RegExp(`(?<![\\w$])\\${name}(?!\\w)(?: = )?`).exec(line);
  if (!found[0].endsWith("= ") || /\?|&&|\|\||^ *(}|else\b)/.test(line)) return false;
  const [condition] = /^ *(?:if|while) \(/.exec(line) ?? [];
  if (condition && found.index > condition.length + closing(line.slice(condition.length))) return false;
  const rest = line.slice(found.index + found[0].length);
  if (has(rest.slice(0, closing(rest)))) return false;
  const end = lines.findIndex((later, i) => i > first && later !== "" && depthOf(later) < depthOf(line));
  return end < 0 || !lines.slice(end).some(has);
}

/** Where the parentheses around the start of a text are closed. */
function closing(text) {
  let depth = 0;
  const end = Array.from(text).findIndex((character) => {
    depth += { "(": 1, "[": 1, ")": -1, "]": -1 }[character] ?? 0;
    return depth < 0;
  });
  return end < 0 ? text.length : end;
}

/** A run whose values are computed where they are read if that is once; the others get names for as long as they live. */
function shortRun(run, outer) {
  const statements = followed(folded(withSources(run, outer)));
  const fresh = nameValues(statements);
  return { statements: nested(statements), fresh };
}

/**
 * Each local that is read gets the assignment in the run that wrote it, if any. The last one of each of the `outer` locals,
 * which are read elsewhere, is kept.
 */
function withSources(run, outer) {
  const latest = new Map();
  const statements = run.map((statement) => ({ ...statement, uses: 0, kept: false }));
  for (const statement of statements) {
    for (const local of reads(statement.value)) {
      local.source = latest.get(local.name);
      if (local.source) local.source.uses++;
    }
    latest.set(statement.name, statement);
  }
  for (const statement of latest.values()) statement.kept = outer.has(statement.name);
  return statements;
}

/** Moves values that are read once, and numbers, to where they are read, and drops what is never read. */
function folded(statements) {
  const ends = new Map();
  statements.forEach((statement, at) => {
    statement.at = at;
    if (statement.kept) ends.set(statement.name, at);
  });
  // A local from before the run must not have been written in between; later values are named afterwards.
  const movable = (tree, to) => [...reads(tree)].every(({ name, source }) => source || (ends.get(name) ?? to) >= to);
  for (const statement of statements) {
    for (const local of reads(statement.value)) {
      const { source } = local;
      if (!source || source.kept) continue;
      const isNumber = /^\d/.test(source.value.name);
      if (!isNumber && (source.uses > 1 || !movable(source.value, statement.at))) continue;
      source.uses--;
      delete local.name;
      Object.assign(local, source.value);
    }
    statement.value = converted(statement.value);
  }
  return statements.filter(({ kept, uses }) => kept || uses > 0);
}

/** Moves what reads nothing but one value, and all uses of it, to the place after that. */
function followed(statements) {
  const done = [];
  for (const statement of statements) {
    const [first, ...others] = reads(statement.value);
    const source = first?.source;
    const follows = source?.uses === others.length + 1 && others.every((local) => local.source === source);
    const at = follows && !statement.kept && !source.kept ? done.indexOf(source) + 1 : done.length;
    done.splice(at, 0, statement);
  }
  return done;
}

/** Names values that do not outlive the run, as few at a time as can be; returns how many. */
function nameValues(statements) {
  const lastReads = new Map();
  for (const statement of statements)
    for (const { source } of reads(statement.value)) if (source && !source.kept) lastReads.set(source, statement);
  const free = [];
  let fresh = 0;
  for (const statement of statements) {
    for (const local of reads(statement.value)) if (local.source) local.name = local.source.name;
    for (const [source, last] of lastReads) {
      if (last !== statement) continue;
      free.push(source.name);
      lastReads.delete(source);
    }
    if (!statement.kept) statement.name = free.pop() ?? freshName(fresh++);
  }
  return fresh;
}

/** Makes an assignment a part of the next one, where that reads its local first. */
function nested(statements) {
  const done = [];
  for (const statement of statements) {
    const before = done.at(-1);
    const value = inRegisters(statement.value, before?.name);
    const place = before && placeOf(before, value);
    if (place) {
      place.value = before.value;
      done.pop();
    }
    done.push({ ...statement, value: typed(value) });
  }
  return done;
}

/** A word from memory as the result of an operator, whose type Hermes knows: BLAKE3 of 64 bytes 1.03. */
const typed = (tree) => (tree.array === "HEAP32" ? { operator: "|", operands: [tree, { name: "0" }] } : tree);

function placeOf(before, tree) {
  const written = new Set([before.name, ...writes(before.value)]);
  for (const local of reads(tree)) {
    if (local.name === before.name) return local;
    if (written.has(local.name)) return undefined;
  }
  return undefined;
}
