// Each request goes to every implementation that can reply to it, and all must agree. An input is a number of counting
// bytes.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { blake224, blake256, blake384, blake512 } from "@noble/hashes/blake1.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { buildGo, buildRust, Oracle } from "../../oracles/program.mjs";
import * as specified from "../../oracles/specification.mjs";
import { KIB, MIB } from "./documents.mjs";

const node = fileURLToPath(new URL("../../oracles/node/", import.meta.url));
const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--silent"];
execFileSync("npm", install, { cwd: node, stdio: ["ignore", 2, 2] });
const npm = await import("../../oracles/node/hashes.mjs");

const rust = new Oracle(buildRust());
// As pure Go: the assembly of x/crypto's BLAKE2b compares its counter as a signed number, wrong from 2^63 bytes on.
const go = new Oracle(buildGo("purego"));
export function end() {
  for (const program of [rust, go]) program.end();
}

const counting = new Uint8Array(251 * 9000).map((_, i) => i % 251);
const wire = ({ context, ...fields }) => ({
  ...fields,
  ...(context !== undefined && { context: Buffer.from(context) }),
});
const BYTES = ["key", "salt", "personal", "left", "right"];

/** For an implementation in this process: bytes as bytes. */
function given({ input = 0, ...fields }) {
  const options = Object.entries(wire(fields)).map(([name, value]) => [
    name,
    BYTES.includes(name) ? new Uint8Array(Buffer.from(value, "hex")) : name === "count" ? BigInt(value) : value,
  ]);
  return { message: counting.subarray(0, input), ...Object.fromEntries(options) };
}

const only = (request, ...names) => Object.keys(request).every((name) => names.includes(name));

const blake1 = { blake224, blake256, blake384, blake512 };
const BLAKE2 = ["blake2b", "blake2s"];
const PARALLEL = ["blake2bp", "blake2sp"];
const EXTENDABLE = ["blake2xb", "blake2xs"];
const TREE = ["chaining-value", "parent", "root", "left-length", "max-length"];

async function goReplies(name, request) {
  if (name.startsWith("blake2x") && request.position !== undefined) {
    const from = Number(request.position);
    return (await go.reply(name, { ...request, length: from + request.length, position: 0 })).slice(2 * from);
  }
  return go.reply(name, request);
}

function goCan(name, request) {
  if (BLAKE2.includes(name)) return only(request, "input", "key", "count");
  if (EXTENDABLE.includes(name))
    return only(request, "input", "key", "total", "length", "position") && Number(request.position ?? 0) <= 16 * KIB;
  return name.endsWith("-chain") || name === "blake224" || name === "blake256";
}

function nobleReplies(name, request) {
  const { message, salt, key, context, length = 32 } = given(request);
  return name === "blake3" ? blake3(message, { key, context, dkLen: length }) : blake1[name](message, { salt });
}

/** BLAKE2 and BLAKE2X; a request of the latter has the length that is read, and the total that is declared or not. */
function blake2(name, request) {
  const { message, total, ...options } = given(request);
  const x = EXTENDABLE.includes(name) && { length: total, read: options.length };
  return specified.hashers[name]({ ...options, ...x })
    .update(message)
    .digest();
}

const treeOf = (request) => {
  const { message, offset = 0, length = 32, position = 0, left, right, ...mode } = given(request);
  const node = left
    ? specified.parent(specified.modeOf(mode), left, right)
    : specified.subtree(specified.modeOf(mode), message, BigInt(offset) / 1024n);
  return { node, length, position: BigInt(position) };
};
const output = (_, request) => {
  const { node, length, position } = treeOf(request);
  return specified.outputOf(node, length, position);
};
const chain = (_, request) => specified.chainOf(treeOf(request).node);
const specifiedBlake1 = (w) => (_, request) => specified.blake1(w, given(request).message, given(request));

const specification = {
  blake256: specifiedBlake1(32),
  blake512: specifiedBlake1(64),
  ...Object.fromEntries([...BLAKE2, ...PARALLEL, ...EXTENDABLE].map((name) => [name, blake2])),
  blake3: output,
  root: output,
  parent: chain,
  "chaining-value": chain,
};

/** Whether an implementation can reply to a request, or could in time; and how it does. */
const sources = [
  {
    can: (name, { count }) =>
      count === undefined && [...BLAKE2, ...PARALLEL, ...EXTENDABLE, "blake3", ...TREE].includes(name),
    reply: (name, request) => rust.reply(name, wire(request)),
  },
  { can: goCan, reply: goReplies },
  {
    can: (name, { input, count, position }) =>
      input <= 2 * MIB && (name in blake1 ? count === undefined : name === "blake3" && position === undefined),
    reply: nobleReplies,
  },
  {
    can: (name, { input }) => name in blake1 && input <= 5 * KIB,
    reply: (name, request) => npm.blake1(name, given(request).message, given(request)),
  },
  {
    can: (name, request) => PARALLEL.includes(name) && request.input <= 64 * KIB + 1 && only(request, "input", "count"),
    reply: (name, request) => npm.parallel(name, given(request).message, given(request)),
  },
  {
    // It alone seconds seeks and subtrees, however long.
    can: (name, { input = 0, length = 0, position }) =>
      name in specification &&
      (TREE.includes(name) || position !== undefined || (input <= 2 * KIB && length <= 2 * KIB)),
    reply: (name, request) => specification[name](name, request),
  },
];

/** What all say; hex, or a number. */
export async function ask(name, request) {
  const able = sources.filter(({ can }) => can(name, request));
  const replies = await Promise.all(able.map(({ reply }) => reply(name, request)));
  const texts = replies.map((each) => (typeof each === "string" ? each : Buffer.from(each).toString("hex")));
  if (new Set(texts).size !== 1) throw new Error(`${name} ${Object.entries(request)}: ${texts}`);
  return texts[0];
}
