// The public interface is what test/package/api.txt lists. The docstrings of everything exported, as the site's
// reference shows them, are complete: meaning, units and ranges, errors, an example, and a source. All examples and
// snippets compile strictly.
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Documented, type Exported, readInterface } from "../../scripts/api.mjs";
import { ROOT } from "../support/child.js";
import { errorsOf, libraries } from "../support/compile.js";
import { nameOf, snippets } from "../support/documents.js";

const entries = readInterface();
const all = entries.flatMap(({ name, exports }) => exports.map((item) => ({ entry: name, item })));
const once = [...new Map(all.map((found) => [`${found.item.name} ${found.item.summary}`, found])).values()];
const members = once.flatMap(({ entry, item }) => item.members.map((member) => ({ entry, item, member })));

const wholeText = (item: Documented) =>
  [item.summary, item.returns, item.throws, ...item.parameters.map(({ text }) => text)].join("\n");
const failing = <T>(list: readonly T[], isGood: (item: T) => unknown, name: (item: T) => string) =>
  list.filter((item) => !isGood(item)).map(name);
const itemName = ({ entry, item }: { entry: string; item: Exported }) => `${entry}: ${item.name}`;
const memberName = ({ entry, item, member }: { entry: string; item: Exported; member: Documented }) =>
  `${entry}: ${item.name}.${member.name}`;

const isCallable = ({ kind, typeOnly }: Exported) => !typeOnly && ["function", "class", "value"].includes(kind);
const mentionsErrors = (item: Documented) =>
  item.throws !== "" || /throws?\b|rejects|fails with/i.test(wholeText(item));

/** An export as text: its signatures, and those of its members. */
function report({ signatures, members: inside, typeOnly }: Exported): string {
  const line = (text: string) => text.replace(/\s+/g, " ");
  const lines = [
    ...signatures.map(line),
    ...inside.flatMap((each) => each.signatures.map((text) => `  ${line(text)}`)),
  ];
  return `${typeOnly ? "type only: " : ""}${lines.join("\n")}`;
}

// A change is a decision that semantic versioning has a word in: `npx vitest run test/docs/api.test.ts -u` writes the
// list.
test("it is what api.txt lists", async () => {
  const sections = entries.map(({ name, exports }) => `${name}: ${exports.map((item) => item.name).join(", ")}`);
  const items = new Set(entries.flatMap(({ exports }) => exports.map(report)));
  const text = `${[...sections, ...[...items].sort()].join("\n\n")}\n`;
  await expect(text).toMatchFileSnapshot(join(ROOT, "test/package/api.txt"));
});

test("every export has a meaning", () => {
  expect(once.length).toBeGreaterThan(90);
  expect(failing(once, ({ item }) => item.summary.length > 10, itemName)).toEqual([]);
});

test("every function, class and value has an example", () => {
  // Errors and what only functions here make are not constructed by a caller.
  const made = once.filter(({ item }) => isCallable(item) && !/Error$/.test(item.name));
  expect(failing(made, ({ item }) => item.examples.length > 0, itemName)).toEqual([]);
});

test("every function with parameters says what it throws", () => {
  const functions = once.filter(({ item }) => isCallable(item) && item.kind === "function" && item.parameterCount > 0);
  expect(failing(functions, ({ item }) => mentionsErrors(item), itemName)).toEqual([]);
});

test("every member has a meaning; constructors and calls have that of their class", () => {
  const named = members.filter(({ member }) => !["constructor", "call"].includes(member.name));
  expect(failing(named, ({ member }) => member.summary.length > 10, memberName)).toEqual([]);
});

test("every method with parameters says what it throws", () => {
  // Its own docstring, or for constructors and calls that of the class; what is only a shape throws nothing itself.
  const shapes = new Set(["NobleHash", "NobleHasher", "OpenFile"]);
  const methods = members.filter(({ item, member }) => member.parameterCount > 0 && !shapes.has(item.name));
  const says = ({ item, member }: (typeof members)[number]) =>
    mentionsErrors(member) || (["constructor", "call"].includes(member.name) && mentionsErrors(item));
  const callsOf = new Set(["HkdfFunction.call", "HmacFunction.call"]); // their values, hkdf and hmac, say it
  expect(
    failing(methods, (found) => says(found) || callsOf.has(`${found.item.name}.${found.member.name}`), memberName),
  ).toEqual([]);
});

test("every number has a unit or a range", () => {
  const numbers = members.filter(({ member }) => member.kind === "property" && /\b(number|bigint)\b/.test(member.type));
  expect(numbers.length).toBeGreaterThan(20);
  const hasUnit = /bytes?\b|\d|position|thread|descriptor|status/i;
  expect(failing(numbers, ({ member }) => hasUnit.test(member.summary), memberName)).toEqual([]);
});

test("every option has a default or says what is without it", () => {
  const options = members.filter(({ item, member }) => /Options$|Mode$/.test(item.name) && member.kind === "property");
  const optional = options.filter(({ member }) => member.signatures.some((signature) => /\?:/.test(signature)));
  const says =
    /default|omitted|left out|absent|secret key|zero-padded|with false|whether|instead|aborts|stops|ends|called after|another name|cannot be combined|hashes on all|must have/i;
  expect(failing(optional, ({ member }) => says.test(member.summary), memberName)).toEqual([]);
});

test("every algorithm and construction names its source", () => {
  const computing = all.filter(({ entry, item }) => {
    const isAlgorithm = item.kind === "value" && /^blake\d/.test(item.name);
    const isTree = entry.endsWith("/hazmat") && /^(mergeSubtrees|rootOf|rootXof)$/.test(item.name);
    return isAlgorithm || isTree || ["hmac", "hkdf", "Outboard", "Xof"].includes(item.name);
  });
  expect(computing.length).toBeGreaterThan(20);
  expect(failing(computing, ({ item }) => /RFC \d{4}|paper/.test(item.summary), itemName)).toEqual([]);
});

// What an example takes as given.
const PRELUDE = `
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as hazmat from "blake-simd/hazmat";
import * as hmacs from "blake-simd/hmac";
import * as node from "blake-simd/node";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import * as typed from "blake-simd/typed";
import { createReadStream, createWriteStream, readFileSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
type Bytes = Uint8Array<ArrayBuffer>;
type Body = NonNullable<Response["body"]>;
declare const key: Bytes, message: Bytes, material: Bytes, seed: Bytes, bytes: Bytes, header: Bytes, root: Bytes;
declare const first: Bytes, second: Bytes, packet: Bytes, film: Bytes, salt: Bytes, shared: Bytes, password: Bytes;
declare const left: Bytes, right: Bytes, buffer: Bytes, pieces: Bytes[], bodies: Bytes[];
declare const length: number, path: string, url: string, bar: { value: number };
declare const file: Blob & WritableStream<Bytes>, blob: Blob, handle: FileHandle;
declare const response: Response & { body: Body }, request: NodeJS.ReadableStream & { body: Body };
declare const pool: parallel.Blake3Pool, tree: bao.Outboard, range: { start: number; end: number };
declare const hash: ReturnType<typeof node.createHash>, hasher: main.Hasher, xof: main.Xof;
declare function show(done: number, total?: number): void;
declare function fetchPart(span: bao.Span): Promise<bao.OutboardPart>;
declare function fetch(url: string, init: object): Promise<Response & { body: Body }>;
`;

test.for(Object.entries(libraries))("every example and snippet compiles in the strictest mode %s", ([library, lib]) => {
  const documented = [
    ...once.map(({ entry, item }) => ({ entry, name: item.name, item: item as Documented })),
    ...members.map(({ entry, item, member }) => ({ entry, name: `${item.name}.${member.name}`, item: member })),
  ];
  const examples = documented.flatMap(({ entry, name, item }, number) =>
    item.examples.map((code, i) => ({ name: `${`${entry} ${name}`.replace(/\W/g, "-")}-${number}-${i}`, code })),
  );
  expect(examples.length).toBeGreaterThan(70);
  const names = {
    main: "blake-simd",
    bao: "blake-simd/bao",
    hazmat: "blake-simd/hazmat",
    hmacs: "blake-simd/hmac",
    node: "blake-simd/node",
    parallel: "blake-simd/parallel",
    states: "blake-simd/states",
    streams: "blake-simd/streams",
    typed: "blake-simd/typed",
  };
  const withoutDom = library === "without the DOM";
  const pieces = snippets.filter(({ info }) => !withoutDom || info !== "js dom");
  const wrong = { name: "wrong", code: 'import { blake3 } from "blake-simd";\nblake3(5);' };
  const all = [...pieces.map((piece) => ({ name: nameOf(piece), code: piece.code })), wrong];
  // The wrong one is found, and nothing else.
  expect(errorsOf(withoutDom ? [...examples.map(withPrelude), ...all] : all, lib)).toEqual([
    expect.stringMatching(/^wrong\.mts:2: /),
  ]);

  /** The example in a block of its own, so that what it declares may be what others take as given. */
  function withPrelude({ name, code }: { name: string; code: string }) {
    const used = (word: string) => new RegExp(`\\b${word}\\b`).test(code);
    const imported = Object.entries(names).flatMap(([alias, entry]) => {
      const exported = entries.find((each) => each.name === entry)?.exports ?? [];
      const values = exported.filter((item) => isCallable(item) && used(item.name)).map((item) => item.name);
      return values.length > 0 ? [`const { ${values.join(", ")} } = ${alias};`] : [];
    });
    // The entry's own names first; a later one of the same name is in an outer block.
    const blocks = imported.reverse();
    const open = blocks.map((line) => `{ ${line} {`).join("\n");
    return { name, code: `${PRELUDE}\nasync () => {\n${open}\n{\n${code}\n}\n${"} }".repeat(blocks.length)}\n};` };
  }
});
