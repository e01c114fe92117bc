// docs/troubleshooting.md has every error that a caller can meet: those that the calls below make, and every text of an error
// in the sources of the API.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as node from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/child.js";
import { read } from "../support/documents.js";

const { blake2b, blake3 } = main;

/** Messages as the page writes them, with an ellipsis for what varies. */
const rows = read("docs/troubleshooting.md")
  .split("\n")
  .filter((line) => line.startsWith("| `"));
const written = rows.flatMap((row) =>
  [...(row.split(" | ")[0] as string).matchAll(/`([^`]+)`/g)].map(([, text]) => text),
);

function pattern(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

/** A row for any argument at all says nothing of this one. */
const GENERAL = new Set(["…: … must be …, got …", "…: … must have …, got …", "… got undefined"]);
const specific = written.filter((text) => !GENERAL.has(text as string)).map((text) => pattern(text as string));

// biome-ignore lint/suspicious/noExplicitAny: calls that the types forbid
const loose: any = { ...main, ...node, ...streams, ...states, ...bao };
const calls: Record<string, () => unknown> = {
  "a number as input": () => loose.blake3(5),
  "a promise": () => loose.blake3(Promise.resolve("")),
  "many of a string": () => loose.blake3.many("abc"),
  "a key as hexadecimal text": () => loose.blake3("", { key: "00".repeat(32) }),
  "a key of the wrong length": () => blake3("", { key: new Uint8Array(64) }),
  "an empty key": () => blake2b("", { key: new Uint8Array() }),
  "a key that was not found": () => loose.blake2b("", { key: process.env.NO_SUCH_KEY }),
  "a context that was not found": () => loose.blake3("", { context: undefined }),
  "null for a key": () => loose.blake2b("", { key: null }),
  "noble's dkLen": () => loose.blake3("", { dkLen: 16 }),
  "an encoding for options": () => loose.blake3("", "hex"),
  "options of digest": () => loose.blake3.create().digest("hex", { length: 16 }),
  "three arguments": () => loose.blake2b("", undefined, 32),
  "key and context": () => blake3("", { key: new Uint8Array(32), context: "c" }),
  "length and outputLength": () => node.createHash("blake2b", { length: 1, outputLength: 1 }),
  "start and ranges": () => new bao.BaoDecodeStream(new Uint8Array(32), { start: 1, ranges: [{}] }),
  "upper case": () => loose.blake3.create().digest("HEX"),
  "a prefix": () => main.fromHex("0x00"),
  "an odd digit": () => main.fromHex("0"),
  "text to toHex": () => loose.toHex("ab"),
  "a short expected digest": () => new streams.VerifyStream(blake3, "abc"),
  "few expected bytes": () => new streams.VerifyStream(blake3, new Uint8Array(3)),
  "nothing to verify": () => new streams.VerifyStream(blake3, "", { length: 0 }),
  "a name for an algorithm": () => loose.digestOf("blake3", ""),
  "another hash": () => node.createHash("md5"),
  "a number as source": () => loose.digestOf(blake3, 5),
  "a call after dispose": () => {
    const hasher = blake3.create();
    hasher.dispose();
    hasher.update("");
  },
  "a second digest": () => {
    const hash = node.createHash("blake3");
    hash.digest();
    hash.digest();
  },
  "a closed pool": async () => {
    const pool = new Blake3Pool();
    await pool.close();
    await pool.hash(new Uint8Array());
  },
  "an error page": () => streams.digestOf(blake3, new Response("", { status: 404 })),
  "a used body": async () => {
    const response = new Response("a");
    await response.text();
    await streams.digestOf(blake3, response);
  },
  "a locked stream": () => {
    const stream = new Blob(["a"]).stream();
    stream.getReader();
    return streams.digestOf(blake3, stream);
  },
  "a huge digest": () => blake3("", { length: 2 ** 52 }),
  "a state of another algorithm": () => states.restore(blake3, states.save(blake2b.create())),
  "a wrong message": () =>
    new Response(new Blob(["b"]).stream().pipeThrough(new streams.VerifyStream(blake3, blake3("a")))).text(),
};

describe("the page has a row of its own for", () => {
  test.for(Object.entries(calls))("%s", async ([, call]) => {
    const error: Error = await Promise.resolve()
      .then(call)
      .then(
        () => expect.fail("no error"),
        (reason) => reason,
      );
    expect(
      specific.some((row) => row.test(error.message)),
      error.message,
    ).toBe(true);
  });
});

/** The text of each error that a file makes, with an ellipsis for each part that varies. */
function messagesIn(file: string): string[] {
  const found: string[] = [];
  const textOf = (node: ts.Expression): string | undefined => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
    if (!ts.isTemplateExpression(node)) return undefined;
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
  };
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText())) {
      const text = node.arguments?.[0] && textOf(node.arguments[0]);
      if (text) found.push(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022, true));
  return found;
}

test("the page has every text of an error in the sources", () => {
  const files = readdirSync(join(ROOT, "js"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("cli"))
    .map((name) => join(ROOT, "js", name));
  // Some arguments are not messages but reasons, of one word, and some messages are put together elsewhere.
  const isMessage = (text: string) => /[a-z]+ [a-z]+/.test(text.replace(", got", ""));
  const texts = [...new Set(files.flatMap(messagesIn))].filter(isMessage);
  expect(texts.length).toBeGreaterThan(30);
  const all = written.map((text) => pattern(text as string));
  const missing = texts.filter((text) => !all.some((row) => row.test(text)) && !text.includes(", got status"));
  expect(missing).toEqual([]);
});
