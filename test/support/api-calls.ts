// The calls of the API, each with arguments that are right: what the tests of arguments, options and errors go through.
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as hazmat from "blake-simd/hazmat";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import * as node from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { restore, save } from "blake-simd/states";
import * as streams from "blake-simd/streams";
import { afterAll } from "vitest";
import { same } from "./messages.ts";
import { type Subject, subjects } from "./subjects.ts";

export type Loose = (...args: unknown[]) => unknown;

export interface ApiCall {
  /** What its errors begin with. */
  readonly call: string;
  readonly act: Loose;
  /** As many as it takes; the first that is a plain object has its options. */
  readonly args: readonly unknown[];
  /** Whose options it takes, if those of an algorithm. */
  readonly of?: Subject;
  /** The secrets among its options. */
  readonly secrets?: readonly string[];
  /** What some of its errors begin with instead: what it calls. */
  readonly via?: string;
  /** Which of its arguments errors may quote: numbers, and names of files. */
  readonly quoted?: readonly number[];
  /** It ignores further arguments: they are for callbacks as of `map`, or would take time. */
  readonly more?: boolean;
  /** Whether the object of the last call is as it was before. */
  isUnchanged?(): boolean;
}

type Rest = Pick<ApiCall, "of" | "secrets" | "via" | "quoted" | "more">;

const call = (name: string, act: unknown, args: readonly unknown[], rest: Rest = {}): ApiCall => {
  return { call: name, act: act as Loose, args, ...rest };
};

const made = (name: string, Class: unknown, args: readonly unknown[], rest?: Rest): ApiCall =>
  call(name, (...given: unknown[]) => new (Class as new (...args: unknown[]) => unknown)(...given), args, rest);

/** A method of an object that is made for each call, and is then read. */
function on<T extends object>(make: () => T, read: (object: T) => Uint8Array) {
  return (name: string, method: keyof T, args: readonly unknown[], rest: Rest = {}): ApiCall => {
    let last = make();
    const act: Loose = (...given) => {
      last = make();
      return (last[method] as Loose)(...given);
    };
    return { call: name, act, args, ...rest, isUnchanged: () => same(read(last), read(make())) };
  };
}

const bytes = new Uint8Array(64);
const chunk = new Uint8Array(32);
const noop = (): void => {};

/** Which of its options are secrets. */
function secretsOf({ name, keyLengths }: Subject): string[] {
  return [...(keyLengths.length > 0 ? ["key"] : []), ...(name === "blake3" ? ["context"] : [])];
}

export function callsOf(subject: Subject): ApiCall[] {
  const { algorithm, name } = subject;
  const under: Rest = { of: subject, secrets: secretsOf(subject), via: `${name}.create` };
  const hasher = on(
    () => algorithm.create().update("a"),
    (each) => each.digest(),
  );
  const mac = on(
    () => hmac.create(algorithm, chunk).update("a"),
    (each) => each.digest(),
  );
  const adapted = nobleHash(algorithm);
  return [
    call(name, algorithm, ["a", {}], under),
    call(`${name}.hex`, algorithm.hex, ["a", {}], under),
    call(`${name}.into`, algorithm.into, ["a", bytes, {}], under),
    call(`${name}.many`, algorithm.many, [["a"], {}], under),
    call(`${name}.create`, algorithm.create, [{}], under),
    hasher(`${name} hasher.update`, "update", ["616263"]),
    hasher(`${name} hasher.digest`, "digest", ["hex"]),
    hasher(`${name} hasher.digestInto`, "digestInto", [bytes], { more: true }),
    hasher(`${name} hasher.updateUint8`, "updateUint8", [7], { more: true }),
    hasher(`${name} hasher.updateUint32LE`, "updateUint32LE", [7], { more: true }),
    hasher(`${name} hasher.updateUint64BE`, "updateUint64BE", [7n], { more: true }),
    hasher(`${name} hasher.updateFloat32LE`, "updateFloat32LE", [7], { more: true }),
    call("save", save, [algorithm.create()]),
    call("restore", restore, [algorithm, save(algorithm.create())]),
    call("digestOf", streams.digestOf, [algorithm, bytes, {}], under),
    made("DigestStream", streams.DigestStream, [algorithm, {}], under),
    made("HashStream", streams.HashStream, [algorithm, {}], under),
    made("VerifyStream", streams.VerifyStream, [algorithm, algorithm("a"), {}], under),
    call("hmac", hmac, [algorithm, bytes, "a"]),
    call("hmac.create", hmac.create, [algorithm, bytes]),
    mac(`hmac-${name}.update`, "update", ["b"]),
    mac(`hmac-${name}.digest`, "digest", ["hex"]),
    mac(`hmac-${name}.clone`, "clone", []),
    mac(`hmac-${name}.reset`, "reset", []),
    call("hkdf", hkdf, [algorithm, bytes, {}]),
    call("hkdf.extract", hkdf.extract, [algorithm, bytes, "salt"]),
    call("hkdf.expand", hkdf.expand, [algorithm, bytes, "info", 32], { quoted: [3] }),
    call("nobleHash", nobleHash, [algorithm, {}], under),
    call(`nobleHash(${name})`, adapted, [bytes], { via: `${name} hasher.update` }),
    call(`nobleHash(${name}).create`, adapted.create, []),
    call("createHash", node.createHash, [name, {}], { ...under, via: name, more: true }),
    call("createHmac", node.createHmac, [name, bytes, {}], { via: name, more: true }),
    call("hashFile", node.hashFile, [algorithm, "package.json", {}], { ...under, quoted: [1] }),
    call("hashThrough", node.hashThrough, [algorithm, noop, {}], under),
  ];
}

const content = new Uint8Array(3000);
const tree = bao.outboard(content, { group: 1024 });
const { root } = tree;
const shape = { root, length: 3000, group: 1024 };
const leaves = [0, 1024, 2048].map((offset) =>
  hazmat.chainingValue(content.subarray(offset, offset + 1024), { offset }),
);
const fetch = async (): Promise<Response> =>
  new Response(content, { status: 206, headers: { "Content-Range": "bytes 0-2999/3000" } });
const half = hazmat.chainingValue("a".repeat(1024));
const collected = () => new hazmat.SubtreeCollector(2048, 1024).set(0, half).set(1024, half.slice());

function hazmatCalls(): ApiCall[] {
  const under = { secrets: ["key", "context"] };
  const subtree = on(
    () => new hazmat.SubtreeHasher().update("a"),
    (each) => each.chainingValue(),
  );
  const groups = on(
    () => new hazmat.SubtreeGroupHasher({ group: 1024 }).update("a"),
    (each) => each.groupValues(),
  );
  const collector = on(collected, (each) => each.digest());
  const grouped = on(
    () => new hazmat.SubtreeCollector(2048, 1024, { group: 1024 }).set(0, half, half).set(1024, half, half),
    (each) => each.groupValues(),
  );
  return [
    call("chainingValue", hazmat.chainingValue, ["a", {}], under),
    call("mergeSubtrees", hazmat.mergeSubtrees, [chunk, chunk, {}], under),
    call("rootOf", hazmat.rootOf, [chunk, chunk, {}, {}], under),
    call("rootXof", hazmat.rootXof, [chunk, chunk, {}], under),
    call("partsOf", hazmat.partsOf, [5000, 1024, 0], { quoted: [0, 1, 2] }),
    call("leftSubtreeLength", hazmat.leftSubtreeLength, [5000], { quoted: [0] }),
    call("maxSubtreeLength", hazmat.maxSubtreeLength, [1024], { quoted: [0] }),
    made("SubtreeHasher", hazmat.SubtreeHasher, [{}], under),
    subtree("SubtreeHasher.update", "update", ["a"]),
    subtree("SubtreeHasher.chainingValue", "chainingValue", []),
    made("SubtreeGroupHasher", hazmat.SubtreeGroupHasher, [{ group: 1024 }], under),
    groups("SubtreeGroupHasher.update", "update", ["a"]),
    groups("SubtreeGroupHasher.groupValues", "groupValues", []),
    groups("SubtreeGroupHasher.chainingValue", "chainingValue", []),
    made("SubtreeCollector", hazmat.SubtreeCollector, [5000, 1024, {}], { ...under, quoted: [0, 1] }),
    collector("SubtreeCollector.set", "set", [0, half, undefined], { quoted: [0] }),
    collector("SubtreeCollector.chainingValue", "chainingValue", []),
    collector("SubtreeCollector.digest", "digest", [{}]),
    collector("SubtreeCollector.xof", "xof", []),
    collector("SubtreeCollector.save", "save", []),
    grouped("SubtreeCollector.groupValues", "groupValues", []),
    call("SubtreeCollector.restore", hazmat.SubtreeCollector.restore, [collected().save()]),
  ];
}

function baoCalls(): ApiCall[] {
  return [
    call("outboard", bao.outboard, ["a", {}]),
    call("outboardOf", bao.outboardOf, [bytes, {}]),
    call("outboardOfGroups", bao.outboardOfGroups, [Uint8Array.of(...leaves.flatMap((each) => [...each])), shape]),
    call("Outboard.from", bao.Outboard.from, [tree.toBytes(), { root, group: 1024 }]),
    call("Outboard.fromParts", bao.Outboard.fromParts, [[], shape]),
    call("toBytes", tree.toBytes.bind(tree), ["iroh"]),
    call("check", tree.check.bind(tree), []),
    call("rangeOf", bao.rangeOf, [shape, {}]),
    call("nodesOf", bao.nodesOf, [shape, {}]),
    made("OutboardStream", bao.OutboardStream, [{}]),
    made("BaoEncodeStream", bao.BaoEncodeStream, [tree, {}]),
    made("BaoDecodeStream", bao.BaoDecodeStream, [root, {}]),
    made("VerifiedRangeStream", bao.VerifiedRangeStream, [tree, {}]),
    call("fetchVerified", bao.fetchVerified, ["https://a.example", { root, outboard: tree, fetch }], { quoted: [0] }),
  ];
}

const pool = new Blake3Pool({ threads: 0 });
afterAll(() => pool.close());

/** What takes no algorithm. */
const otherCalls: readonly ApiCall[] = [
  call("toHex", main.toHex, [bytes], { more: true }),
  call("fromHex", main.fromHex, ["00"], { more: true }),
  call("equal", main.equal, [bytes, bytes], { more: true }),
  call("useBackend", main.useBackend, ["simd128"], { more: true }),
  call("getHashes", node.getHashes, []),
  ...hazmatCalls(),
  ...baoCalls(),
  made("Blake3Pool", Blake3Pool, [{ threads: 0 }]),
  call("Blake3Pool.hash", pool.hash.bind(pool), [bytes, {}], { secrets: ["key", "context"] }),
  call("Blake3Pool.allocate", pool.allocate.bind(pool), [4], { quoted: [0] }),
  call("Blake3Pool.release", pool.release.bind(pool), [pool.allocate(4)]),
];

/** Every call of the API. */
export const apiCalls: readonly ApiCall[] = [...subjects.flatMap(callsOf), ...otherCalls];

const isPlain = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Where a call has its options; -1 if it has none. */
export const optionsAt = ({ args }: ApiCall): number => args.findIndex(isPlain);

/** A call with one argument replaced. */
export const withArgument = ({ act, args }: ApiCall, at: number, value: unknown): unknown =>
  act(...args.with(at, value));

/** A call under other options than its own. */
export const under = (each: ApiCall, options: unknown): unknown => withArgument(each, optionsAt(each), options);
