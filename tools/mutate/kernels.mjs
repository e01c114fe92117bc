// The first stage for mutants of the C: compiles a kernel with clang alone, as emcc does, and checks it by its exports, with
// test/support/kernel-checks/check-module.ts. Most mutants die here in about a second, without Emscripten's linker and vitest.
//
// An object file is all that the modules of a build are made of. So if all objects of a mutant are those of the C as it is, or
// differ in functions alone that the linker leaves out, its modules have the same bytes. That holds because clang gets the arguments that emcc gives it, which is checked at the start.
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { closure, modulesOf, sourcesOfC, sourcesOfModules } from "./sources.mjs";

const clang = process.env.CLANG ?? "clang-14";
const linker = clang.replace("clang", "wasm-ld");
const builds = { baseline: [], simd128: ["-msimd128", "-DSIMD"], loops: ["-msimd128", "-DSIMD", "-DLOOPS"] };
/** Microseconds of processor time without another call: each takes a thousand, and a new thread 200 000 to start. */
const STUCK = 800_000;
const POLL = 100;

const run = promisify(execFile);
const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Whether the compiler is there: a run without it has the other stages alone. */
export function hasClang() {
  try {
    execFileSync(linker, ["--version"], { stdio: "ignore" });
    execFileSync(clang, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The arguments of wasm/build.mjs for each source, by its path below wasm/. */
function flagsOfSources(root) {
  const text = readFileSync(join(root, "wasm/build.mjs"), "utf8");
  const list = (name) => JSON.parse(text.match(new RegExp(`^const ${name} = (\\[.*\\]);$`, "m"))[1]);
  const [release, common] = [list("release"), list("commonFlags")];
  const own = (file) => {
    if (/-scalars\.c$/.test(file)) return [...list("modes"), ...list("inSourceOrder")];
    return text.includes(`"${file}": modes`) ? list("modes") : [];
  };
  return (file, build) => [...release, ...common, ...builds[build], ...own(file)];
}

export class Kernels {
  #root;
  #folder;
  #flagsOf;
  #emscripten;
  #modules;
  #sources;
  /** The text that the compiler sees of each source in each build, and its object, by their digests. */
  #original = new Map();
  /** The modules, by the digests of their bytes: the linker leaves out functions that a build does not call. */
  #linked = new Map();
  /** The sources that a mutant reaches, and whether their objects differ. */
  #changed = new Map();
  #reached = new Map();
  #changedQuick = new Map();
  #closures;
  #checks;
  #known = [];
  #isReady = false;
  #worker;
  #calls;

  /** `folder` is for a copy of the C. Throws unless the C as it is passes all checks. */
  static async make(root, folder) {
    const kernels = new Kernels(root, folder);
    await kernels.#start();
    return kernels;
  }

  constructor(root, folder) {
    this.#root = root;
    this.#folder = folder;
    this.#flagsOf = flagsOfSources(root);
    this.#emscripten = execFileSync("emcc", ["--cflags"], { encoding: "utf8" }).trim().split(/\s+/);
    this.#modules = modulesOf(root);
    this.#sources = sourcesOfModules(root);
    const sources = [...this.#sources.values()].flat();
    this.#closures = new Map(sources.map((source) => [source, closure(root, [source])]));
  }

  async #start() {
    rmSync(this.#folder, { recursive: true, force: true });
    for (const file of sourcesOfC(this.#root)) cpSync(join(this.#root, file), join(this.#folder, file));
    this.#checks = join(this.#folder, "checks.mjs");
    await build({
      entryPoints: [join(this.#root, "test/support/kernel-checks/check-module.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: this.#checks,
      logLevel: "warning",
    });
    await this.#requireSameObjects();
    for (const module of this.#sources.keys()) {
      for (const build of Object.keys(builds)) {
        for (const source of this.#sources.get(module)) {
          const text = await this.#preprocess(source, build);
          const object = await this.#compile(source, build, "original");
          this.#original.set(`${source} ${build}`, { text, object: sha(readFileSync(object)) });
        }
        const bytes = await this.#link(module, build);
        this.#linked.set(`${module} ${build}`, sha(bytes));
        const wrong = await this.#check(module, bytes);
        if (wrong) throw new Error(`the C as it is fails: ${module}, ${build}: ${wrong}`);
        for (const source of this.#sources.get(module)) this.#reached.set(`${source} ${build}`, true);
        const quick = await this.#checkQuick(module, build);
        if (quick) throw new Error(`the C as it is fails without optimisation: ${module}, ${build}: ${quick}`);
      }
    }
    this.#reached.clear();
    this.#changedQuick.clear();
    this.#isReady = true;
  }

  /** emcc's object and clang's must be the same. */
  async #requireSameObjects() {
    const source = "wasm/blake3/blake3-compress.c";
    for (const build of Object.keys(builds)) {
      const object = join(this.#folder, "emcc.o");
      const flags = this.#flagsOf(source.slice(5), build);
      await run("emcc", [...flags, "-c", source.slice(5), "-o", object], { cwd: join(this.#folder, "wasm") });
      if (sha(readFileSync(object)) !== sha(readFileSync(await this.#compile(source, build, "original"))))
        throw new Error(`${clang} must make the same object of ${source}, ${build}, as emcc`);
    }
  }

  #objectOf(source, build, version) {
    return join(this.#folder, "objects", `${source.replaceAll("/", "_")}.${build}.${version}.o`);
  }

  #arguments(source, build) {
    return [...this.#emscripten, ...this.#flagsOf(source.slice(5), build), source.slice(5)];
  }

  async #preprocess(source, build) {
    const more = ["-E", "-P"];
    const options = { cwd: join(this.#folder, "wasm"), maxBuffer: 1 << 27 };
    const { stdout } = await run(clang, [...this.#arguments(source, build), ...more], options);
    return sha(stdout);
  }

  /** Returns the object's path; throws if the source does not compile. */
  async #compile(source, build, version, more = []) {
    const object = this.#objectOf(source, build, version);
    mkdirSync(join(this.#folder, "objects"), { recursive: true });
    const args = [...this.#arguments(source, build), ...more, "-c", "-o", object];
    await run(clang, args, { cwd: join(this.#folder, "wasm") });
    return object;
  }

  /** Returns the module's bytes. Where constants, stack and memory are is as in wasm/build.mjs. */
  async #link(module, build) {
    const objects = this.#sources
      .get(module)
      .map((source) => this.#objectOf(source, build, this.#changed.has(`${source} ${build}`) ? "mutant" : "original"));
    return this.#linkObjects(module, objects, ["--global-base=1024", "-z", "stack-size=8192"], 0x20000);
  }

  /**
   * The same without optimisation, which takes clang a third of the time with SIMD: nearly all mutants show there already. Only
   * the sources that a change reaches are compiled so. Returns undefined if the module needs its caller's memory, or if the
   * objects are the same.
   */
  async #linkQuick(module, build) {
    if (module === "blake3-subtrees") return undefined;
    const objects = [];
    let same = true;
    for (const source of this.#sources.get(module)) {
      const key = `${source} ${build}`;
      objects.push(this.#objectOf(source, build, this.#reached.get(key) ? "quick" : "original"));
      if (!this.#reached.get(key)) continue;
      if (!this.#changedQuick.has(key)) {
        const object = sha(readFileSync(await this.#compile(source, build, "quick", ["-O0"])));
        if (!this.#isReady) this.#original.get(key).quick = object;
        this.#changedQuick.set(key, !this.#isReady || object !== this.#original.get(key).quick);
      }
      if (this.#changedQuick.get(key)) same = false;
    }
    if (same) return undefined;
    return this.#linkObjects(module, objects, ["--global-base=131072", "-z", "stack-size=262144"], 0x80000);
  }

  async #linkObjects(module, objects, places, size) {
    const out = join(this.#folder, "module.wasm");
    const own = ["--no-entry", ...places];
    const guest = [
      "--import-memory",
      "--initial-memory=65536",
      "--max-memory=4294967296",
      "--export=__stack_pointer",
      "--no-check-features",
    ];
    const memory = module === "blake3-subtrees" ? guest : [`--initial-memory=${size}`, `--max-memory=${size}`];
    await run(linker, [...objects, ...own, ...memory, "-o", out]);
    return new Uint8Array(readFileSync(out));
  }

  /** Returns what is wrong with a module, if anything is. */
  async #check(module, bytes) {
    this.#worker ??= this.#startWorker();
    const worker = this.#worker;
    const answer = new Promise((resolve, reject) => {
      worker.answer = resolve;
      worker.fail = reject;
    });
    worker.postMessage({ module, bytes });
    const timer = setInterval(this.#stopIfStuck(worker), POLL);
    const { wrong, known } = await answer;
    clearInterval(timer);
    if (known) this.#known = known;
    return wrong;
  }

  /** While expected values are computed, at the start, nothing is called: that may take as long as it takes. */
  #stopIfStuck(worker) {
    let before = -1;
    let used = 0;
    return () => {
      const now = Atomics.load(this.#calls, 0);
      const { user } = process.cpuUsage();
      if (now !== before) used = user;
      before = now;
      if (!this.#isReady || user - used <= STUCK) return;
      this.#worker = undefined;
      worker.terminate();
      worker.answer({ wrong: "it does not end" });
    };
  }

  #startWorker() {
    this.#calls = new Int32Array(new SharedArrayBuffer(4));
    const data = { checks: this.#checks, known: this.#known, calls: this.#calls.buffer };
    const worker = new Worker(join(import.meta.dirname, "kernel-worker.mjs"), { workerData: data });
    worker.on("message", (answer) => worker.answer(answer));
    worker.on("error", (error) => worker.fail(error));
    return worker;
  }

  /** The outcomes of a mutant for each build: "killed", "unchanged", "invalid", or "alive". */
  async test(mutant) {
    const path = join(this.#folder, mutant.file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, mutant.at) + mutant.to + text.slice(mutant.at + mutant.from.length));
    const outcomes = [];
    try {
      for (const build of mutant.builds ?? Object.keys(builds))
        outcomes.push({ build, ...(await this.#testBuild(mutant, build)) });
    } catch (error) {
      if (error.code === undefined) throw error;
      return [{ build: "all", state: "invalid" }];
    } finally {
      writeFileSync(path, text);
      this.#changed.clear();
      this.#reached.clear();
      this.#changedQuick.clear();
    }
    return outcomes;
  }

  async #testBuild(mutant, build) {
    let alive = false;
    for (const module of this.#modulesWith(mutant)) {
      const reached = await this.#reach(module, build, mutant.file);
      if (reached.length === 0) continue;
      const wrong =
        (build !== "baseline" && (await this.#checkQuick(module, build))) ||
        (await this.#checkWhole(module, build, reached));
      if (wrong) return { state: "killed", stage: "kernel checks", by: `${module}: ${wrong.slice(0, 160)}` };
      alive ||= wrong === undefined;
    }
    return { state: alive ? "alive" : "unchanged" };
  }

  /** The sources of a module in which the compiler sees a change. */
  async #reach(module, build, file) {
    const reached = [];
    for (const source of this.#sources.get(module)) {
      if (!this.#closures.get(source).has(file)) continue;
      const key = `${source} ${build}`;
      const changed =
        this.#reached.get(key) ?? (await this.#preprocess(source, build)) !== this.#original.get(key).text;
      this.#reached.set(key, changed);
      if (changed) reached.push(source);
    }
    return reached;
  }

  async #checkQuick(module, build) {
    const bytes = await this.#linkQuick(module, build);
    return bytes && this.#check(module, bytes);
  }

  /** Returns what is wrong, undefined if nothing is, and an empty text if the bytes are the same. */
  async #checkWhole(module, build, reached) {
    let same = true;
    for (const source of reached) {
      const key = `${source} ${build}`;
      if (!this.#changed.has(key)) {
        const object = sha(readFileSync(await this.#compile(source, build, "mutant")));
        this.#changed.set(key, object !== this.#original.get(key).object);
      }
      if (this.#changed.get(key)) same = false;
    }
    if (same) return "";
    const bytes = await this.#link(module, build);
    return sha(bytes) === this.#linked.get(`${module} ${build}`) ? "" : this.#check(module, bytes);
  }

  /** Those of the word size that the line names come first. */
  #modulesWith({ file, line }) {
    const wide = /64/.test(line) && !/32/.test(line);
    const isLikely = (module) => /512|2b/.test(module) === wide;
    const names = [...this.#modules].filter(([, files]) => files.has(file)).map(([name]) => name);
    return names.sort((a, b) => isLikely(b) - isLikely(a));
  }

  async close() {
    await this.#worker?.terminate();
  }
}
