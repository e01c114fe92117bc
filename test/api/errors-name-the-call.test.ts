// Each error about an argument begins with the name of the call that was made, as the caller wrote it.
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import * as node from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import * as streams from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { messageOf } from "../support/errors.ts";
import { eachSubject } from "../support/subjects.ts";

type Loose = (...args: unknown[]) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: calls that the types forbid
const loose = (value: unknown) => value as any;

eachSubject(({ algorithm, name }) => {
  const any = loose(algorithm);
  const hasher = () => loose(algorithm.create());
  const calls: Record<string, () => unknown> = {
    [name]: () => any(5),
    [`${name}.hex`]: () => any.hex(5),
    [`${name}.into`]: () => any.into(5, new Uint8Array(64)),
    [`${name}.many`]: () => any.many(["a", 5]),
    [`${name}.create`]: () => any.create({ colour: 1 }),
    [`${name} hasher.update`]: () => hasher().update(5),
    [`${name} hasher.updateUint8`]: () => hasher().updateUint8(256),
    [`${name} hasher.digest`]: () => hasher().digest("HEX"),
    [`${name} hasher.digestInto`]: () => hasher().digestInto([]),
  };

  it.each(Object.entries(calls))("%s", async (call, act) => {
    expect((await messageOf(act)).startsWith(`${call}: `), await messageOf(act)).toBe(true);
  });

  it.each(["", ".hex", ".into", ".many"])("with wrong options, %s", async (call) => {
    const args: Record<string, unknown[]> = {
      "": ["a"],
      ".hex": ["a"],
      ".into": ["a", new Uint8Array(64)],
      ".many": [[]],
    };
    const act = (call === "" ? any : any[call.slice(1)]) as Loose;
    const message = await messageOf(() => act(...(args[call] as unknown[]), { colour: 1 }));
    expect(message.startsWith(`${name}${call}: unknown option`), message).toBe(true);
  });
});

describe("every other call", () => {
  const { blake2s, blake3 } = main;
  const pool = new Blake3Pool({ threads: 0 });
  const closed = new Blake3Pool({ threads: 0 });
  const noBytes = new Uint8Array();
  const calls: [call: string, act: () => unknown][] = [
    ["toHex", () => loose(main.toHex)(5)],
    ["fromHex", () => main.fromHex("0x00")],
    ["equal", () => loose(main.equal)("a", "a")],
    ["useBackend", () => loose(main.useBackend)("avx")],
    ["hmac", () => loose(hmac)(blake2s, 5, "")],
    ["hmac", () => loose(hmac)(blake2s, noBytes, 5)],
    ["hmac.create", () => loose(hmac).create(blake2s, 5)],
    ["hmac.create", () => loose(hmac).create("blake2s", "")],
    ["hmac-blake2s.update", () => loose(hmac.create(blake2s, noBytes)).update(5)],
    ["hmac-blake2s.digest", () => loose(hmac.create(blake2s, noBytes)).digest("HEX")],
    ["hkdf", () => loose(hkdf)(blake2s, 5)],
    ["hkdf", () => hkdf(blake2s, noBytes, { length: 0 })],
    ["hkdf.extract", () => loose(hkdf).extract(blake2s, 5)],
    ["hkdf.expand", () => loose(hkdf).expand(blake2s, 5)],
    ["hkdf.expand", () => hkdf.expand(blake2s, noBytes, "", 0)],
    ["nobleHash", () => loose(nobleHash)(5)],
    ["createHash", () => node.createHash("md5")],
    ["createHmac", () => node.createHmac("md5", "")],
    ["createHmac", () => loose(node.createHmac)("blake2s", 5)],
    ["blake3.update", () => loose(node.createHash("blake3")).update(5)],
    ["blake3.update", () => node.createHash("blake3").update("0", "hex")],
    ["hashFile", () => loose(node.hashFile)(5, blake3)],
    ["hashFile", () => loose(node.hashFile)({ path: "package.json" }, blake3)],
    ["hashFile", () => loose(node.hashFile)("package.json", 5)],
    ["hashThrough", () => loose(node.hashThrough)(blake3, 5)],
    ["digestOf", () => loose(streams.digestOf)(blake3, 5)],
    ["digestOf", () => loose(streams.digestOf)(blake3, [5])],
    ["DigestStream", () => new (loose(streams.DigestStream))(5)],
    ["HashStream", () => new (loose(streams.HashStream))("blake3")],
    ["VerifyStream", () => new streams.VerifyStream(blake3, "")],
    ["Blake3Pool", () => new Blake3Pool({ threads: -1 })],
    ["Blake3Pool.hash", () => loose(pool).hash(5)],
    ["Blake3Pool.hash", () => loose(pool).hash("")],
    ["Blake3Pool.hash", () => pool.hash(new Uint8Array(), { key: noBytes })],
    ["Blake3Pool.allocate", () => pool.allocate(-1)],
    ["Blake3Pool.release", () => pool.release(new Uint8Array(1))],
    ["outboard", () => loose(bao.outboard)(5)],
    ["BaoDecodeStream", () => new (loose(bao.BaoDecodeStream))(5)],
  ];

  it.each(calls)("%s", async (call, act) => {
    const message = await messageOf(act);
    expect(message.startsWith(`${call}: `), message).toBe(true);
  });

  it("says that the pool is closed", async () => {
    await closed.close();
    expect(await messageOf(() => closed.hash(new Uint8Array()))).toBe("Blake3Pool.hash: the pool is closed");
    expect(await messageOf(() => closed.allocate(1))).toBe("Blake3Pool.allocate: the pool is closed");
  });
});
