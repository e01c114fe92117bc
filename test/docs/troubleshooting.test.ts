// docs/troubleshooting.md has the errors of common mistakes, which the calls below make, and none that the package no
// longer has.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as node from "blake-simd/node";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
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

const patterns = written.map((text) => pattern(text as string));

// biome-ignore lint/suspicious/noExplicitAny: calls that the types forbid
const loose: any = { ...main, ...node, ...streams, ...states, ...bao };
const decode = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new bao.BaoDecodeStream(new Uint8Array(32)))).text();
const calls: Record<string, () => unknown> = {
  "a number as input": () => loose.blake3(5),
  "a promise": () => loose.blake3(Promise.resolve("")),
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
  "upper case": () => loose.blake3.create().digest("HEX"),
  "a prefix": () => main.fromHex("0x00"),
  "an odd digit": () => main.fromHex("0"),
  "a short expected digest": () => new streams.VerifyStream(blake3, "abc"),
  "few expected bytes": () => new streams.VerifyStream(blake3, new Uint8Array(3)),
  "a name for an algorithm": () => loose.digestOf("blake3", ""),
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
  "more arguments for digest": () => loose.blake3.create().digest("hex", 16, 16),
  "null for a salt": () => loose.blake2b("", { salt: null }),
  "an opaque response": () => streams.digestOf(blake3, Response.error()),
  "half an encoding": () => decode(new Uint8Array(3)),
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
};

const errorOf = async (call: () => unknown): Promise<Error> =>
  Promise.resolve()
    .then(call)
    .then(
      () => expect.fail("no error"),
      (reason) => reason,
    );

describe("the page has a row for", () => {
  test.for(Object.entries(calls))("%s", async ([, call]) => {
    const { message } = await errorOf(call);
    expect(
      patterns.some((row) => row.test(message)),
      message,
    ).toBe(true);
  });
});

test("each message of the page is one of the package: a call above makes it, or the sources have its longest part", async () => {
  const files = readdirSync(join(ROOT, "js"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const sources = files.map((name) => read(join("js", name))).join("\n");
  const made = await Promise.all(Object.values(calls).map(errorOf));
  const longest = (text: string) => text.split("…").reduce((a, b) => (b.length > a.length ? b : a));
  const own = written.filter((text): text is string => text?.startsWith("…: ") === true);
  expect(own.length).toBeGreaterThan(15);
  const isOurs = (text: string) =>
    made.some(({ message }) => pattern(text).test(message)) || sources.includes(longest(text));
  expect(own.filter((text) => !isOurs(text))).toEqual([]);
});
