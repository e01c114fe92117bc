// Runs the built command and the programs whose lines it prints and whose lists it reads: the calls of `peer-cases.mjs`
// must give the same standard output and the same exit status. Prints what differs, and a count.
//
// node test/interop/peers.mjs FOLDER, where FOLDER has b3sum and blake2; b2sum is that of GNU coreutils, on the path.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { peerCases } from "./peer-cases.mjs";

const MIN_CASES = 200;
const command = fileURLToPath(new URL("../../dist/cli/blakesum.cjs", import.meta.url));
const tools = resolve(process.argv[2] ?? "build/ci/tools/bin");
const files = mkdtempSync(join(tmpdir(), "blakesum-peers-"));
const programs = { b2sum: "b2sum", b3sum: join(tools, "b3sum"), blake2: join(tools, "blake2") };

writeFiles();

function writeFiles() {
  mkdirSync(join(files, "folder"));
  const put = (name, content) => writeFileSync(join(files, name), content);
  const bytes = (length) => new Uint8Array(length).map((_, i) => i % 251);
  for (const length of [0, 1, 64, 65, 128, 129, 1024, 1025, 65536, 262144, 262145, 1000003])
    put(`${length}`, bytes(length));
  put("abc", "abc");
  for (const name of [
    "-dash",
    "back\\slash",
    "\\leading",
    "new\nline",
    "two  spaces",
    "(a) = bc",
    " leading",
    "*star",
    "#hash",
  ])
    put(name, name);
  for (const name of ["größe 文", "it's", 'quo"te', "both'\"", "-", "tab\there", "{", "~home", "a$b"]) put(name, name);
  writeFileSync(Buffer.concat([Buffer.from(join(files, "caf")), Buffer.from([0xe9])]), "latin-1");
  put("sparse", "");
  truncateSync(join(files, "sparse"), 130 * 1024 * 1024);
}

const env = { ...process.env, LC_ALL: "C.UTF-8", RUST_BACKTRACE: "0" };
function run(program, args, input = "") {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: files, env, input, maxBuffer: 1 << 28 });
  return { status, stdout: stdout.toString("latin1"), stderr: stderr.toString("latin1") };
}

let same = 0;
const cases = peerCases((peer, args) => run(programs[peer], args).stdout);
for (const { peer, peerArgs, args, stdin } of cases) {
  const expected = run(programs[peer], peerArgs, stdin);
  const got = run(process.execPath, [command, ...args], stdin);
  const different = ["status", "stdout"].filter((key) => got[key] !== expected[key]);
  if (different.length === 0) same++;
  for (const key of different) {
    console.log(`${peer} ${JSON.stringify(peerArgs)} < ${JSON.stringify(`${stdin}`.slice(0, 300))}: ${key}`);
    console.log(`  expected ${JSON.stringify(`${expected[key]}`.slice(0, 1000))}`);
    console.log(`  got      ${JSON.stringify(`${got[key]}`.slice(0, 1000))} of blakesum ${JSON.stringify(args)}`);
    console.log(`  standard error: ${JSON.stringify(got.stderr.slice(0, 500))}`);
  }
}
rmSync(files, { recursive: true });
console.log(`peers: ${same} of ${cases.length} calls the same`);
process.exitCode = same === cases.length && same >= MIN_CASES ? 0 : 1;
