// Runs the built command again and again, since a process for each call takes ten times as long: each time its code
// anew, with its own arguments, descriptors 0 to 2 and globals, which code may change before.
const { closeSync, openSync, readFileSync } = require("node:fs");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

const [, , bin] = process.argv;
const PARAMETERS = "require, module, exports, __filename, __dirname, process, WebAssembly, Date";
const compile = (code, filename) =>
  new Script(`(function (${PARAMETERS}) {${code.replace(/^#!.*/, "")}\n})`, { filename }).runInThisContext();
const command = compile(readFileSync(bin, "utf8"), bin);

/** node:fs whose standard input is some bytes, and whose outputs are kept, unless they are files. */
function filesWith(input, outputs, standard) {
  const fs = { ...require("node:fs") };
  const { fstatSync, readSync, writeSync } = fs;
  let rest = input;
  fs.fstatSync = (descriptor, ...options) => fstatSync(standard[descriptor] ?? descriptor, ...options);
  fs.readSync = (descriptor, target, ...place) => {
    if (descriptor !== 0 || 0 in standard) return readSync(standard[descriptor] ?? descriptor, target, ...place);
    const [offset = 0, length = target.length] = place;
    const piece = rest.subarray(0, length);
    target.set(piece, offset);
    rest = rest.subarray(piece.length);
    return piece.length;
  };
  fs.writeSync = (descriptor, bytes, ...place) => {
    if (!(descriptor in outputs) || descriptor in standard)
      return writeSync(standard[descriptor] ?? descriptor, bytes, ...place);
    outputs[descriptor].push(Buffer.from(bytes));
    return bytes.length;
  };
  return fs;
}

/** Runs the command to its end. */
function run({ args, input, before, env, files }) {
  const outputs = { 1: [], 2: [] };
  const standard = Object.fromEntries(Object.entries(files).map(([number, file]) => [number, openSync(...file)]));
  const modules = { "node:fs": filesWith(input, outputs, standard) };
  const load = (name) => (modules[name] ??= { ...require(name) });
  const usual = { ...process.env };
  Object.assign(process.env, env);
  return new Promise((resolve) => {
    const own = Object.create(process, {
      argv: { value: [process.execPath, bin, ...args] },
      getBuiltinModule: { value: process.getBuiltinModule && load },
      exitCode: {
        set(status) {
          for (const name of Object.keys(env)) delete process.env[name];
          Object.assign(process.env, usual);
          for (const descriptor of Object.values(standard)) closeSync(descriptor);
          resolve({ status, stdout: Buffer.concat(outputs[1]), stderr: Buffer.concat(outputs[2]) });
        },
      },
    });
    const given = [load, {}, {}, bin, dirname(bin), own, Object.create(WebAssembly), class extends Date {}];
    compile(before, "before.cjs")(...given);
    command(...given);
  });
}

let last = Promise.resolve();
process.on("message", ({ number, ...call }) => {
  last = last.then(() => run(call)).then((result) => process.send({ number, ...result }));
});
