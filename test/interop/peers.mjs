// Runs the built command and the programs that it stands in for: the same arguments and standard input must give the same
// standard output and the same exit status, and, if a case says so, the same standard error. Prints what differs, and a
// count for each program.
//
// node test/interop/peers.mjs FOLDER, where FOLDER has b3sum and blake2; b2sum is that of GNU coreutils, on the path.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { b2sumCases } from "./b2sum-cases.mjs";
import { b3sumCases } from "./b3sum-cases.mjs";
import { blake2Cases } from "./blake2-cases.mjs";
import { ownCases } from "./own-cases.mjs";

const MIN_CASES = 200;
const command = fileURLToPath(new URL("../../dist/cli/blakesum.cjs", import.meta.url));
const tools = resolve(process.argv[2] ?? "build/ci/tools/bin");
const folder = mkdtempSync(join(tmpdir(), "blakesum-peers-"));
const real = { b2sum: "b2sum", b3sum: join(tools, "b3sum"), blake2: join(tools, "blake2") };
const links = join(folder, "links");
const files = join(folder, "files");

mkdirSync(links);
for (const name of [...Object.keys(real), "blakesum"]) symlinkSync(command, join(links, name));
writeFiles();

function writeFiles() {
  mkdirSync(join(files, "folder"), { recursive: true });
  const put = (name, content) => writeFileSync(join(files, name), content);
  const bytes = (length) => Uint8Array.from({ length }, (_, i) => i % 251);
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

const env = { ...process.env, LC_ALL: "C.UTF-8", RUST_BACKTRACE: "0", COLUMNS: "100" };
const run = (program, { args, stdin = "" }) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: files, env, input: stdin, maxBuffer: 1 << 28 });
  return { status, stdout: stdout.toString("latin1"), stderr: stderr.toString("latin1") };
};

const toolbox = (program) => (args, stdin) => run(real[program], { args, stdin }).stdout;
const groups = [
  ["b2sum", b2sumCases(toolbox("b2sum")), "b2sum"],
  ["b3sum", b3sumCases(toolbox("b3sum")), "b3sum"],
  ["blake2", blake2Cases(), "blake2"],
  ["blakesum", ownCases(toolbox), undefined],
];

let [total, wrong] = [0, 0];
for (const [program, cases, peer] of groups) {
  let same = 0;
  for (const each of cases) {
    const expected = run(real[peer ?? each.peer], peer ? each : { ...each, args: each.peerArgs });
    const got = run(join(links, program), each);
    const keys = each.messages === "same" ? ["status", "stdout", "stderr"] : ["status", "stdout"];
    const different = keys.filter((key) => got[key] !== expected[key]);
    if (different.length === 0) same++;
    for (const key of different) {
      console.log(
        `${program} ${JSON.stringify(each.args)} < ${JSON.stringify(`${each.stdin ?? ""}`.slice(0, 300))}: ${key}`,
      );
      console.log(
        `  expected ${JSON.stringify(`${expected[key]}`.slice(0, 1000))}\n  got      ${JSON.stringify(`${got[key]}`.slice(0, 1000))}`,
      );
      if (key !== "stderr") console.log(`  standard error: ${JSON.stringify(got.stderr.slice(0, 500))}`);
    }
  }
  console.log(`${program}: ${same} of ${cases.length} invocations the same`);
  total += cases.length;
  wrong += cases.length - same;
}
rmSync(folder, { recursive: true });
console.log(`peers: ${total - wrong} of ${total} invocations the same`);
process.exitCode = wrong === 0 && total >= MIN_CASES ? 0 : 1;
