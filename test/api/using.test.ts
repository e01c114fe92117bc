// Objects in other hands: `using` that a compiler has lowered, in engines without its symbols; and libraries that replace objects by proxies.
import vm from "node:vm";
import { blake3 } from "blake-simd";
import { BaoDecodeStream, OutboardStream, outboard } from "blake-simd/bao";
import { SubtreeCollector, SubtreeGroupHasher, SubtreeHasher } from "blake-simd/hazmat";
import { hmac, nobleHash } from "blake-simd/hmac";
import { createHash, createHmac, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { DigestStream, HashStream, VerifyStream } from "blake-simd/streams";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

const PROGRAM = `
  import { blake3 } from "blake-simd";
  import { SubtreeCollector, SubtreeHasher } from "blake-simd/hazmat";
  import { hmac } from "blake-simd/hmac";
  import { Blake3Pool } from "blake-simd/parallel";

  const makers = {
    Hasher: () => blake3.create(),
    Xof: () => blake3.create().xof(),
    Hmac: () => hmac.create(blake3, new Uint8Array(9)),
    SubtreeHasher: () => new SubtreeHasher(),
    SubtreeCollector: () => new SubtreeCollector(9000, 1024),
  };
  function errorAfterUse(make) {
    let kept;
    {
      using object = make();
      kept = object;
    }
    try { kept.update ? kept.update("x") : kept.read ? kept.read(1) : kept.missing; } catch (error) { return error.message; }
  }
  async function usePool() {
    let kept;
    {
      await using pool = new Blake3Pool({ threads: 0 });
      kept = pool;
    }
    try { kept.allocate(1); } catch (error) { return error.message; }
  }
  polyfill();
  const errors = Object.values(makers).map(errorAfterUse);
  usePool().then((error) => finish([...errors, error]), finish);`;

const { outputFiles } = await build({
  stdin: { contents: PROGRAM, resolveDir: ROOT },
  ...{ bundle: true, format: "iife", platform: "neutral", target: "es2022", external: ["node:*"], write: false },
});

/** Replaces Symbol by one without the symbols of `using`, as Safari's. */
const WITHOUT = `{
  const own = Symbol;
  globalThis.Symbol = (text) => own(text);
  for (const key of Reflect.ownKeys(own))
    if (!["dispose", "asyncDispose", "prototype", "length", "name"].includes(key)) Symbol[key] = own[key];
}`;

it.each([
  ["no symbols", WITHOUT, ""],
  ["no symbols, and then core-js's", WITHOUT, "for (const name of names) Symbol[name] = Symbol.for('Symbol.' + name);"],
  ["the engine's symbols", "", ""],
])("`using` ends what it holds with %s", async (_, before, polyfill) => {
  const errors = await new Promise((finish) => {
    const context = vm.createContext({ finish, TextEncoder });
    const code = `const polyfill = () => { const names = ["dispose", "asyncDispose"]; ${polyfill} };`;
    vm.runInContext(`${before}${code}${outputFiles[0]!.text}`, context);
  });
  expect(errors).toEqual([
    "blake3 hasher.update: the hasher was disposed",
    "blake3 reader.read: the reader was disposed",
    "hmac-blake3.update: the HMAC was disposed",
    "SubtreeHasher.update: the hasher was disposed",
    "SubtreeCollector.missing: the collector was disposed",
    "Blake3Pool.allocate: the pool is closed",
  ]);
});

it.each([
  ["a hasher", blake3.create(), "update digest digestInto clone reset xof bytesHashed"],
  ["a reader", blake3.create().xof(), "read readInto"],
  ["an HMAC", hmac.create(blake3, new Uint8Array(9)), "update digest clone reset"],
  ["a subtree", new SubtreeHasher(), "update chainingValue bytesHashed"],
  ["a subtree with groups", new SubtreeGroupHasher({ group: 1024 }), "update chainingValue groupValues"],
  ["a collector", new SubtreeCollector(9000, 1024), "set missing chainingValue digest xof groupValues save"],
  ["a hash of Node's kind", createHash("blake3"), "update copy"],
  ["a pool", new Blake3Pool({ threads: 0 }), "hash"],
])("%s behind a Proxy throws an error of the package's", async (_, object, members) => {
  const error = new TypeError("blake-simd: the object must not be a Proxy");
  const behind = new Proxy<Record<string, unknown>>(object as never, {});
  for (const name of members.split(" ")) {
    const call = async () => {
      const member = behind[name];
      return (
        typeof member === "function" && member.apply(behind, ["update", "set", "hash"].includes(name) ? ["x"] : [])
      );
    };
    await expect(call(), name).rejects.toThrow(error);
  }
});

it("no object that has private fields passes for a plain one, which libraries wrap", () => {
  const objects = [
    blake3.create(),
    blake3.create().xof(),
    hmac.create(blake3, new Uint8Array(9)),
    nobleHash(blake3).create(),
    new SubtreeHasher(),
    new SubtreeGroupHasher({ group: 1024 }),
    new SubtreeCollector(9000, 1024),
    new Blake3Pool({ threads: 0 }),
    createHash("blake3"),
    createHmac("blake3", "key"),
    hashThrough(blake3, () => {}),
    new HashStream(blake3),
    new DigestStream(blake3),
    new VerifyStream(blake3, new Uint8Array(32)),
    new BaoDecodeStream(new Uint8Array(32)),
    new OutboardStream(),
    outboard("x"),
  ];
  // What cannot be extended is left alone, too.
  const wrapped = objects.filter(
    (object) => Object.isExtensible(object) && Object.prototype.toString.call(object) === "[object Object]",
  );
  expect(wrapped).toEqual([]);
});
