// The declarations that are published: one file for each entry, nothing internal, and what an editor shows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

const DIST = join(ROOT, "dist");
const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  exports: Record<string, { types?: string }>;
};
const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
const files = readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
const textOf = (file: string) => readFileSync(join(DIST, file), "utf8");

describe("the declarations", () => {
  it("are a file for each entry, and two that entries share", () => {
    const shared = ["shared.d.ts", "sources.d.ts"];
    expect(files.sort()).toEqual([...new Set(entries.map((file) => file.replace("./dist/", ""))), ...shared].sort());
  });

  it.each(files)("%s: name nothing internal, and no type of a library that a project may lack", (file) => {
    expect(textOf(file)).not.toMatch(
      /WebAssembly\.|TextEncoder|Kernel|HasherState|ChunkHasher|@internal|Uint8Array<|Identity/,
    );
  });
});

// What every project reads, parsed once.
const parsed = ts.createDocumentRegistry();
let projects = 0;

/** A file of a strict project that imports the package by name. */
function openEditor(lines: readonly string[], options: ts.CompilerOptions = {}) {
  const file = join(ROOT, `test/program-${projects++}.ts`);
  const text = lines.join("\n");
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2022.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: [],
      ...options,
    }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  };
  const service = ts.createLanguageService(host, parsed);
  const at = (part: string) => text.indexOf(part);
  return {
    errors() {
      const program = service.getProgram() as ts.Program;
      // Not the libraries' own, which take most of the time.
      const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes("/node_modules/"));
      return own
        .flatMap((source) => ts.getPreEmitDiagnostics(program, source))
        .map(({ messageText, file: source, start = 0 }) => {
          const line = source?.fileName === file ? source.getLineAndCharacterOfPosition(start).line : source?.fileName;
          return `${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
        });
    },
    hover(part: string): string {
      const info = service.getQuickInfoAtPosition(file, at(part));
      return `${ts.displayPartsToString(info?.displayParts)}\n${ts.displayPartsToString(info?.documentation)}`;
    },
    parameters(part: string): string[] {
      const found = service.getSignatureHelpItems(file, at(part) + part.length, undefined)?.items[0];
      return (found?.parameters ?? []).map((each) => `${each.name}: ${ts.displayPartsToString(each.documentation)}`);
    },
    completions(part: string): string[] {
      const found = service.getCompletionsAtPosition(file, at(part) + part.length, undefined);
      return found?.entries.map(({ name }) => name) ?? [];
    },
  };
}

const NODE: ts.CompilerOptions = { types: ["node"] };

describe("a strict project", () => {
  it("compiles with neither the DOM's types nor Node's, and every option but a key and a context may be undefined", () => {
    const editor = openEditor([
      'import { blake2b, blake3, type Hasher, toHex } from "blake-simd";',
      'import { restore, save } from "blake-simd/states";',
      'import { SubtreeHasher } from "blake-simd/hazmat";',
      "declare const key: Uint8Array;",
      "const hasher: Hasher = blake2b.create({ key, length: undefined, salt: undefined, lastNode: undefined });",
      "toHex(restore(blake2b, save(hasher)).digest());",
      "blake3('', { key, length: undefined });",
      "new SubtreeHasher({ offset: undefined, key });",
    ]);
    expect(editor.errors()).toEqual([]);
  });

  // Those of blake-simd/javascript have the types of others.
  const names = [...new Set(entries)].map((file) =>
    file.replace("./dist/", "blake-simd/").replace(/(\/index)?\.d\.ts$/, ""),
  );
  const browsers = names.filter((name) => name !== "blake-simd/node");

  it.each([
    ["", browsers],
    ["node", ["blake-simd/node"]],
  ])("compiles with every entry, the DOM's types and, for Node's, its types: %j", (types, alone) => {
    const lines = alone.map(
      (entry, i) => `import * as entry${i} from "${entry}";\nexport const names${i} = Object.keys(entry${i});`,
    );
    const lib = ["lib.es2022.d.ts", "lib.dom.d.ts"];
    expect(openEditor(lines, { lib, types: types === "" ? [] : [types] }).errors()).toEqual([]);
  });

  it("compiles with Node's types alone", () => {
    const editor = openEditor(
      [
        'import * as crypto from "node:crypto";',
        'import { blake3 } from "blake-simd";',
        'import { createHash, hashFile } from "blake-simd/node";',
        'import { Blake3Pool } from "blake-simd/parallel";',
        'import { digestOf, VerifyStream } from "blake-simd/streams";',
        "const hash: crypto.Hash = createHash('blake2b512', { outputLength: undefined });",
        "declare const name: string;",
        "createHash(name, { key: Buffer.from('secret'), salt: 'salt', highWaterMark: 1 });",
        "createHash('BLAKE2B512');",
        "hashFile(blake3, 'path', { context: 'c', signal: undefined }).then(() => hash);",
        "hashFile(blake3, 'path', { length: 3, onProgress: undefined });",
        "digestOf(blake3, new Blob([]), { signal: undefined });",
        "new VerifyStream(blake3, '00');",
        "new Blake3Pool({ threads: undefined }).close();",
      ],
      NODE,
    );
    expect(editor.errors()).toEqual([]);
  });

  it.each([true, false])(
    "does not compile with any of these, exactOptionalPropertyTypes: %s",
    (exactOptionalPropertyTypes) => {
      const head = [
        'import { type Algorithm, blake2b, blake2bp, blake2s, blake2xb, blake3, blake256, equal, Hasher, Xof } from "blake-simd";',
        'import { chainingValue, rootOf, SubtreeCollector } from "blake-simd/hazmat";',
        'import { hkdf, hmac, nobleHash } from "blake-simd/hmac";',
        'import { createHash, Hash, hashFile, hashThrough, verifyFile } from "blake-simd/node";',
        'import { Blake3Pool } from "blake-simd/parallel";',
        'import { DigestStream, digestOf, HashStream, verified, VerifyStream } from "blake-simd/streams";',
        'import { createReadStream } from "node:fs";',
        'import type { IncomingMessage } from "node:http";',
        'import { outboardOf } from "blake-simd/bao";',
        "declare const bytes: Uint8Array, pool: Blake3Pool, request: IncomingMessage & { path: string };",
        "declare const maybe: Uint8Array | undefined;",
        "const part = { path: 'f', start: 10 };",
        "class Named { path = 'f'; }",
        "hkdf(blake2s, bytes, { salt: process.env.SALT, info: 'text' });",
        "hmac(blake2s, bytes, 'm');",
        "declare const any: Algorithm;",
        "any('m', {}); any.create(); digestOf(any, bytes, { onProgress() {} });",
        "const keyed = (algorithm: Algorithm<{ key: Uint8Array }>) => algorithm.create({ key: bytes });",
        "[blake2b, blake2bp, blake2xb].map(keyed); keyed(blake3);",
      ];
      // What has a path, or is text, is no file.
      const noFiles = ["'f'", "createReadStream('f')", "{ path: 'f', start: 1 }", "part", "request", "new Named()"];
      const key = "process.env.KEY";
      const wrong = [
        ...noFiles.flatMap((source) => [`pool.hash(${source});`, `outboardOf(${source}, { pool });`]),
        ...["blake2b", "blake2bp", "blake2s", "blake2xb", "blake3"].map((name) => `${name}('m', { key: ${key} });`),
        "blake2b('m', { key: 'text' });",
        ...["hex('m', ", "into('m', bytes, ", "many(['m'], ", "create("].map(
          (call) => `blake3.${call}{ key: ${key} });`,
        ),
        `createHash('blake2b', { key: ${key} });`,
        `createHash('blake2b512', { key: ${key} });`,
        `createHash(process.argv[0]!, { key: ${key} });`,
        `hashFile(blake3, 'path', { key: ${key} });`,
        `digestOf(blake3, bytes, { key: ${key} });`,
        `new HashStream(blake2b, { key: ${key} });`,
        `pool.hash(bytes, { key: ${key} });`,
        `chainingValue(bytes, { key: ${key} });`,
        `new SubtreeCollector(5000, 1024, { key: ${key} });`,
        `nobleHash(blake2b, { key: ${key} });`,
        `hmac(blake2s, ${key}, 'm');`,
        "hmac.create(blake2s, 'text');",
        "hkdf(blake2s, 'text');",
        "hkdf.extract(blake2s, 'text');",
        "hkdf.expand(blake2s, 'text');",
        // Only this option tells a property that is undefined from one that is not there.
        ...(exactOptionalPropertyTypes ? ["blake3('m', { key: maybe });", "blake3('m', { context: maybe });"] : []),
        "createHash('blake3', { salt: 'x' });",
        "createHash('blake256', { key: 'x' });",
        "createHash('blake2b512', { outputLength: 32 });",
        "hashFile(blake3, 'path', { salt: 'x' });",
        "blake3('', { salt: 'x' });",
        "new Hasher();",
        "new Xof();",
        "new Hash();",
        "blake3.create().digest('hex', { length: 32 });",
        "export const name: 'blake2b' = blake3.algorithm;",
        // Text and bytes have a `length`, as options do.
        ...["blake2b", "blake2bp", "blake2xb", "blake3", "blake3.hex"].map((name) => `${name}('m', bytes);`),
        ...["blake2b('m'", "blake3('m'", "createHash('blake3'"].map((call) => `${call}, 'hex');`),
        ...["createHash('blake3', bytes)", "hashFile('blake3', 'f')"].map((call) => `${call};`),
        "blake3('m', [32]);",
        "blake3('m', new Map());",
        "blake3('m', bytes.buffer);",
        "blake256('m', 'salt');",
        "blake3.into('m', bytes, bytes);",
        "blake3.many(['m'], bytes);",
        "blake3.create(bytes);",
        "digestOf(blake3, [], 'hex');",
        "digestOf(blake3, [], bytes);",
        "digestOf(blake3, 'm');",
        "new HashStream(blake3, bytes);",
        "new DigestStream(blake3, 'hex');",
        "new VerifyStream(blake3, 'ab', bytes);",
        "verified(blake3, fetch('/'), 'ab');",
        "verified(new Response(), blake3, 'ab');",
        "verified(blake3, new Response());",
        "verifyFile(blake3, 'f');",
        ...[
          "blake3('m'",
          "createHash('blake3'",
          "hashFile(blake3, 'f'",
          "digestOf(blake3, bytes",
          "pool.hash(bytes",
        ].map((call) => `${call}, { key: bytes, context: 'c' });`),
        "new SubtreeCollector(5000, 1024, { key: bytes, context: 'c' });",
        "any('m', { nonsense: 1 });",
        "any.create({ key: bytes });",
        "digestOf(any, bytes, { nonsense: 1 });",
        "keyed(blake256);",
        "hashThrough(blake3, () => {}, 'hex');",
        "hashFile(blake3, 'f', 'hex');",
        "hashFile('f', blake3);",
        "digestOf('blake3', []);",
        "pool.hash(bytes, bytes);",
        "hkdf(blake2b, 'm', 'salt');",
        "chainingValue('m', bytes);",
        "rootOf(bytes, bytes, bytes);",
        "rootOf(bytes, bytes, {}, bytes);",
        "equal(bytes, 'ab');",
      ];
      const lines = openEditor([...head, ...wrong], { ...NODE, exactOptionalPropertyTypes })
        .errors()
        .map((error) => Number.parseInt(error, 10));
      expect([...new Set(lines)]).toEqual(wrong.map((_, i) => head.length + i));
    },
  );
});
