// Arrays that may hold a secret are made of an ArrayBuffer by `secretBytes` or `pooledSecret`: V8 keeps others of up to
// 64 bytes in its heap, and leaves copies when it moves them. The sources make no other array but those that are listed
// here, with the reason.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

const DIGEST = "a digest, which is the caller's";
const LONG = "more than 64 bytes, which V8 never keeps in its heap";
const PUBLIC = "nothing secret";

/** What makes an array otherwise, by file. The text is the expression's. */
const ALLOWED: Record<string, Record<string, string>> = {
  "algorithms/blake1-variants.ts": { "new Uint8Array(13 * word)": PUBLIC },
  "algorithms/blake3-mode.ts": { "Uint8Array.from(": PUBLIC },
  "algorithms/side-by-side.ts": { "new Uint8Array(digests[i] as Bytes)": DIGEST },
  "engine/algorithm.ts": {
    "new Uint8Array(kernel.output.first(digestLength))": DIGEST,
    "new Uint8Array(kernel.output.first(length))": DIGEST,
    "new Uint8Array(1)": PUBLIC,
  },
  "engine/backend.ts": { "new Uint8Array(SIMD_PROBE)": PUBLIC },
  "engine/compile.ts": {
    "new Uint8Array(decoder)": PUBLIC,
    "memory.slice(text.length, exports.decode(0, text.length))": PUBLIC,
  },
  "engine/hasher.ts": { "new Uint8Array(kernel.output.first(digestLength))": DIGEST },
  "engine/output.ts": { "new Uint8Array(bytes)": DIGEST },
  "engine/xof.ts": { "new Uint8Array(length)": "output, which is the caller's" },
  "engine/saved-state.ts": { "scratch.bytes.slice(0, seal(scratch, at + size))": LONG },
  "hmac/hkdf.ts": { "Uint8Array.of(n)": PUBLIC },
  "subtrees/collector.ts": {
    "new Uint8Array(Math.ceil(count / 8))": PUBLIC,
  },
};

/** The folders of what hashes secrets; text is in V8's heap already, whatever it is decoded to. */
const FOLDERS = ["algorithms", "engine", "hmac", "subtrees", "tree"];

const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), (path) => readFileSync(path, "utf8"));
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();

const COPIES = /^(slice|map|filter|with|toReversed|toSorted)$/;

const isArray = (node: ts.Node) => /^(Uint8Array|Area)\b/.test(checker.typeToString(checker.getTypeAtLocation(node)));
const isBuffer = (node: ts.Node) =>
  /^(Shared)?ArrayBuffer(Like)?$/.test(checker.typeToString(checker.getTypeAtLocation(node)));

/** Whether a node makes bytes of their own: neither a view of a buffer nor an empty array. */
function makesBytes(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) {
    const [first] = node.arguments ?? [];
    return node.expression.getText() === "Uint8Array" && first !== undefined && !isBuffer(first);
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { expression: object, name } = node.expression;
  if (object.getText() === "Uint8Array") return /^(of|from)$/.test(name.text);
  return COPIES.test(name.text) && isArray(object);
}

function madeIn(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (makesBytes(node)) found.push(node.getText().split("\n")[0] as string);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it("no array is made otherwise, but for what is no secret or too long", () => {
  const made: Record<string, string[]> = {};
  for (const source of program.getSourceFiles()) {
    const file = relative(join(ROOT, "js"), source.fileName);
    if (!FOLDERS.includes(file.split("/")[0] as string)) continue;
    const found = [...new Set(madeIn(source))];
    if (found.length > 0) made[file] = found.sort();
  }
  const allowed = Object.entries(ALLOWED).map(([file, reasons]) => [file, Object.keys(reasons).sort()]);
  expect(made).toEqual(Object.fromEntries(allowed));
});
