// The package's public interface, read from the bundled declarations: what the site's reference shows, and what
// test/docs/api.test.ts checks the docstrings against.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");

/** The names of the entries with declarations, such as "blake-simd/streams", and their files. */
export function entries() {
  const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([, target]) => target.types)
    .map(([path, target]) => ({ name: name + path.slice(1), file: join(root, target.types) }));
}

/** A tag's text, with links as they are written in the docstring. */
function commentOf({ comment }) {
  return (typeof comment === "string" ? comment : (ts.getTextOfJSDocComment(comment) ?? "")).trim();
}

function documentation(node) {
  const blocks = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const tags = blocks.flatMap(({ tags = [] }) => [...tags]);
  const named = (name) => tags.filter(({ tagName }) => tagName.text === name).map(commentOf);
  return {
    summary: blocks.map(commentOf).filter(Boolean).join("\n\n"),
    parameters: tags
      .filter(({ tagName }) => tagName.text === "param")
      .map((tag) => ({ name: tag.name?.getText() ?? "", text: commentOf(tag) })),
    returns: named("returns").join(" "),
    throws: named("throws").join("; "),
    examples: named("example"),
  };
}

/** A declaration's own text without docstrings, modifiers that say nothing to a reader, and bodies of members. */
function signatureOf(node) {
  const source = node.getSourceFile();
  const open = (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.members;
  const end = open ? open.pos - 1 : node.getEnd();
  const holder = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const text = source.text.slice(holder.getStart(source), ts.isVariableDeclaration(node) ? holder.getEnd() : end);
  return text
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/^(export |declare |default )+/, "")
    .replace(" extends NotIterable", "")
    .replaceAll('ReturnType<Uint8ArrayConstructor["of"]>', "Uint8Array<ArrayBuffer>")
    .replaceAll('ReturnType<BufferConstructor["of"]>', "Buffer")
    .replace(/\n\s*\n/g, "\n")
    .trim();
}

const isHidden = (member) =>
  (member.name && ts.isPrivateIdentifier(member.name)) ||
  ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected) ||
  /^_(transform|flush|destroy)$/.test(member.name?.getText() ?? "");

function memberName(member) {
  if (ts.isConstructorDeclaration(member)) return "constructor";
  if (ts.isCallSignatureDeclaration(member)) return "call";
  return member.name?.getText() ?? "";
}

const isFunction = (node) =>
  ts.isMethodDeclaration(node) ||
  ts.isMethodSignature(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isConstructorDeclaration(node) ||
  ts.isCallSignatureDeclaration(node);

/** Overloads are one thing with several signatures. */
function merged(items) {
  const byName = new Map();
  for (const item of items) {
    const before = byName.get(item.name);
    if (!before) byName.set(item.name, item);
    else {
      before.signatures.push(...item.signatures);
      before.parameterCount = Math.max(before.parameterCount, item.parameterCount);
      if (!before.summary) Object.assign(before, { ...item, signatures: before.signatures });
    }
  }
  return [...byName.values()];
}

function item(name, node, kind) {
  const doc = documentation(ts.isVariableDeclaration(node) ? node.parent.parent : node);
  const parameterCount = isFunction(node) ? node.parameters.length : 0;
  const type = node.type ? node.type.getText() : "";
  return { name, kind, signatures: [signatureOf(node)], type, parameterCount, ...doc };
}

/**
 * A class or interface with those of the package's that it extends and that no entry exports, whose members are its own
 * to a user.
 */
function withBases(checker, node, exported) {
  const bases = (node.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => types.map((type) => checker.getTypeAtLocation(type).symbol))
    .filter((symbol) => symbol && symbol.name !== "NotIterable" && !exported.has(symbol))
    .flatMap(({ declarations = [] }) => declarations)
    .filter((base) => base.getSourceFile().fileName.startsWith(join(root, "dist")));
  return [node, ...bases.flatMap((base) => withBases(checker, base, exported))];
}

function membersOf(checker, node, exported) {
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [];
  const all = withBases(checker, node, exported).flatMap(({ members }, depth) =>
    depth === 0 ? [...members] : members.filter((member) => !ts.isConstructorDeclaration(member)),
  );
  const shown = all.filter((member) => !isHidden(member));
  return merged(
    shown.map((member) => item(memberName(member), member, isFunction(member) ? "method" : "property")),
  ).filter(({ name }) => name !== "");
}

const KINDS = [
  [ts.isFunctionDeclaration, "function"],
  [ts.isClassDeclaration, "class"],
  [ts.isInterfaceDeclaration, "interface"],
  [ts.isTypeAliasDeclaration, "type"],
  [ts.isVariableDeclaration, "value"],
];

const targetOf = (checker, symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

function exportOf(checker, symbol, exported) {
  const target = targetOf(checker, symbol);
  const nodes = target.declarations ?? [];
  const items = nodes.map((node) => {
    const [, kind] = KINDS.find(([is]) => is(node)) ?? [];
    if (!kind) throw new Error(`${symbol.name}: a ${ts.SyntaxKind[node.kind]} is not documented`);
    return { ...item(symbol.name, node, kind), members: membersOf(checker, node, exported) };
  });
  const [whole] = merged(items);
  // What can only be used as a type, though it is a class inside.
  const typeOnly = symbol.declarations?.some((node) => ts.isExportSpecifier(node) && isTypeOnly(node));
  return { ...whole, typeOnly: Boolean(typeOnly), file: nodes[0].getSourceFile().fileName };
}

const isTypeOnly = (node) => node.isTypeOnly || node.parent.parent.isTypeOnly;

/** Every entry with everything that it exports, in the order of their names. */
export function readInterface() {
  const listed = entries();
  const program = ts.createProgram(
    listed.map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: ["node"], skipLibCheck: true },
  );
  const checker = program.getTypeChecker();
  const symbols = listed.map(({ file }) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))),
  );
  const exported = new Set(symbols.flat().map((symbol) => targetOf(checker, symbol)));
  return listed.map(({ name }, index) => {
    const items = symbols[index].map((symbol) => exportOf(checker, symbol, exported));
    return { name, exports: items.sort((a, b) => a.name.localeCompare(b.name)) };
  });
}
