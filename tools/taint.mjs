// Runs the shipped kernels, byte by byte as they are in wasm/dist, in an interpreter that follows what is secret: keys, salts and
// messages, and all that is computed from them (taint/interpreter.mjs says what is an error). Digests are compared with the
// package's.
//
//   node tools/taint.mjs
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { algorithms, toHex } from "blake-simd";
import { chainingValue, mergeSubtrees } from "blake-simd/hazmat";
import { bytes, parametersOf, subjects } from "./native/cases.mjs";
import { Machine } from "./taint/interpreter.mjs";
import { checkThatLeaksShow } from "./taint/leaks.mjs";

const PARAMETERS = 0x4000;
const STATE = 0x5000;
const WORKERS = 0x7100;
const JOBS = 0x8000;
const BACKUP = 0x9000;
const OUTPUT = 0xc000;
const INPUT = 0x10000;
const INPUT_SIZE = 0x10000;
const LENGTHS = [0, 1, 63, 64, 65, 127, 128, 129, 300, 1023, 1024, 1025, 2049];
const TREE_LENGTHS = [5000, 9217]; // chunks side by side
const BUILDS = ["baseline", "simd128"];

let digests = 0;

const wasm = (module, build) => readFileSync(join(import.meta.dirname, "../wasm/dist", `${module}.${build}.wasm`));
const outputOf = (machine, length, at = OUTPUT) => machine.bytes.slice(at, at + length);

function expectSame(where, actual, wanted) {
  digests++;
  if (toHex(actual) === toHex(wanted)) return;
  throw new Error(`${where}: the digest must be ${toHex(wanted)}, got ${toHex(actual)}`);
}

function placeParameters(machine, parameters, [from, to]) {
  machine.place(PARAMETERS, new Uint8Array(STATE - PARAMETERS), false);
  machine.place(PARAMETERS, parameters, false);
  machine.secret.fill(1, PARAMETERS + from, PARAMETERS + to);
}

function absorb(machine, message) {
  machine.call("init", STATE);
  for (let at = 0; at < message.length; at += 333) {
    const piece = message.subarray(at, at + 333);
    machine.place(INPUT, piece, true);
    machine.call("update", STATE, INPUT, piece.length);
  }
}

/** Each way in which a kernel hashes a message: returns the digest. */
const ways = {
  hash(machine, message, length) {
    machine.place(INPUT, message, true);
    machine.call("hash", message.length, length);
    return outputOf(machine, length);
  },
  update(machine, message, length) {
    absorb(machine, message);
    machine.call("finalize", STATE, length);
    return outputOf(machine, length);
  },
  squeeze(machine, message, length) {
    absorb(machine, message);
    machine.call("root", STATE);
    const first = Math.min(length, 70);
    machine.call("squeeze", 0, 0, first);
    const output = outputOf(machine, first);
    machine.call("squeeze", first, 0, length - first);
    return Uint8Array.of(...output, ...outputOf(machine, length - first));
  },
};

const isExtendable = (name) => name === "blake3" || name.startsWith("blake2x");

function checkAlgorithm(name, build) {
  const { module, modes, secret } = subjects[name];
  const own = Object.keys(ways).filter((way) => way !== "squeeze" || isExtendable(name));
  const lengths = name === "blake3" ? [...LENGTHS, ...TREE_LENGTHS] : LENGTHS;
  for (const mode of modes) {
    const machine = new Machine(wasm(module, build));
    const { parameters, outputLength } = parametersOf(name, mode);
    for (const length of lengths) {
      const message = bytes(length);
      const wanted = algorithms[name](message, mode);
      for (const way of own) {
        placeParameters(machine, parameters, secret);
        expectSame(`${name} ${build}, ${way}, ${length} bytes`, ways[way](machine, message, outputLength), wanted);
      }
    }
  }
}

/** Both halves of a message as subtrees, their values joined. */
function checkJoin(build) {
  const key = bytes(32);
  const { parameters } = parametersOf("blake3", { key });
  const machine = new Machine(wasm("blake3", build));
  const message = bytes(3000);
  const values = [message.subarray(0, 2048), message.subarray(2048)].map((half, i) => {
    const own = new Uint8Array(48);
    own.set(parameters);
    own[40] = 2 * i; // the number of its first chunk
    placeParameters(machine, own, subjects.blake3.secret);
    absorb(machine, half);
    machine.call("chain", STATE);
    return outputOf(machine, 32);
  });
  placeParameters(machine, parameters, subjects.blake3.secret);
  machine.place(INPUT, Uint8Array.of(...values[0], ...values[1]), true);
  machine.call("join", STATE);
  machine.call("root", STATE);
  machine.call("squeeze", 0, 0, 32);
  expectSame(`blake3 ${build}, join`, outputOf(machine, 32), algorithms.blake3(message, { key }));
}

/** Messages side by side: returns where each digest will be. */
const many = {
  blake3(machine, messages) {
    let at = INPUT;
    for (const message of messages) {
      machine.place(at, message, true);
      at += Math.max(1, Math.ceil(message.length / 64)) * 64;
    }
    machine.place(JOBS, new Uint8Array(Int32Array.from(messages, ({ length }) => length).buffer), false);
    return messages.map((_, i) => OUTPUT + i * 32);
  },
  blake2s(machine, messages) {
    const lanes = machine.call("lanes");
    const [slice, list] = [INPUT_SIZE / lanes, 1024 / lanes];
    const used = Array.from({ length: lanes }, () => ({ bytes: 0, jobs: 0 }));
    machine.place(WORKERS, new Uint8Array(0x200), false);
    machine.place(JOBS, new Uint8Array(BACKUP - JOBS), false);
    return messages.map((message, i) => {
      const lane = used[i % lanes];
      const at = INPUT + (i % lanes) * slice + lane.bytes;
      machine.place(at, message, true);
      machine.memory.setUint32(
        JOBS + 4 * ((i % lanes) * list + lane.jobs++),
        (0x80000000 | message.length) >>> 0,
        true,
      );
      lane.bytes += Math.max(1, Math.ceil(message.length / 64)) * 64;
      return at;
    });
  },
};

function checkMany(name, module) {
  const key = bytes(32);
  const messages = Array.from({ length: 24 }, (_, i) => bytes((i * 331) % 1025));
  const machine = new Machine(wasm(module, "simd128"));
  for (const mode of [{}, { key }]) {
    placeParameters(machine, parametersOf(name, mode).parameters, subjects[name].secret);
    const places = many[name](machine, messages);
    machine.call("many", messages.length);
    for (const [i, at] of places.entries()) {
      expectSame(`${name} many`, outputOf(machine, 32, at), algorithms[name](messages[i], mode));
    }
  }
}

/** An encoded subtree by its definition: nodes before their content, and the value of each; nodes after it in `nodes`. */
function encode(content, group, key, offset = 0n) {
  if (content.length <= group) return { value: chainingValue(content, { key, offset }), encoding: content, nodes: [] };
  let split = group;
  while (2 * split < content.length) split *= 2;
  const left = encode(content.subarray(0, split), group, key, offset);
  const right = encode(content.subarray(split), group, key, offset + BigInt(split));
  const node = Uint8Array.of(...left.value, ...right.value);
  return {
    value: mergeSubtrees(left.value, right.value, { key }),
    encoding: Uint8Array.of(...node, ...left.encoding, ...right.encoding),
    nodes: [...left.nodes, ...right.nodes, node],
  };
}

const KEYED_HASH = 16;

/** Every export of the subtrees' kernel, with the key, the content and the nodes secret. */
function checkSubtrees(build) {
  const [parameters, content, values, output] = [0x10000, 0x11000, 0x18000, 0x20000];
  const machine = new Machine(wasm("blake3-subtrees", build), 4);
  const key = bytes(32);
  machine.place(parameters, key, true);
  machine.place(parameters + 32, Uint8Array.of(KEYED_HASH, 0, 0, 0), false);
  for (const [length, per] of [1, 64, 1000, 1024, 1025, 3000, 8192, 9000, 12345].flatMap((n) =>
    [1, 2, 4].map((p) => [n, p]),
  )) {
    const message = bytes(length);
    const group = 1024 * per;
    const count = Math.ceil(length / group);
    const { value, encoding, nodes } = encode(message, group, key);
    const where = `subtrees ${build}, ${length} bytes by ${per}`;
    machine.place(content, message, true);
    machine.call("chunks", parameters, content, length, 0, 0, values);
    machine.call("merge", parameters, values, Math.ceil(length / 1024));
    expectSame(`${where}, chunks`, outputOf(machine, 32, values), value);
    machine.call("groups", parameters, content, length, per, 0, 0, values);
    if (count > 1) {
      machine.call("collect", parameters, values, count, output);
      const all = nodes.flatMap((node) => [...node]);
      expectSame(`${where}, collect`, outputOf(machine, all.length, output), Uint8Array.from(all));
    }
    machine.place(content, encoding, true);
    machine.call("gather", content, length, group, output);
    expectSame(`${where}, gather`, outputOf(machine, length, output), message);
    machine.call("encoded", parameters, content, length, per, 0, 0, values);
    if (count > 1 && machine.call("match", parameters, values, count, content, group) !== 0)
      throw new Error(`${where}: the nodes must match`);
    if (count > 1) machine.call("merge", parameters, values, 2);
    expectSame(`${where}, encoded`, outputOf(machine, 32, values), value);
    machine.call("clear", content, encoding.length);
    expectSame(`${where}, clear`, outputOf(machine, encoding.length, content), new Uint8Array(encoding.length));
  }
}

checkThatLeaksShow();
for (const build of BUILDS) {
  for (const name of Object.keys(subjects)) checkAlgorithm(name, build);
  checkJoin(build);
  checkSubtrees(build);
  console.log(`ok ${build}: nothing depends on a secret that must not`);
}
checkMany("blake2s", "blake2s-lanes");
checkMany("blake3", "blake3");
console.log(`ok many: nothing depends on a secret that must not; ${digests} digests`);
