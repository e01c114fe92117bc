// A copy of the project in which one mutant at a time is built and tested.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { filesOf, firstTestsOf, modulesOf, sourcesOfModules } from "./sources.mjs";

// Of processor time, so that a busy machine kills no mutant. The slowest of the first tests take a quarter of it.
const FIRST_SECONDS = 240;
const WHOLE_SECONDS = 1800;
/** The C of each build, as far as the preprocessor knows them apart. */
const builds = { baseline: [], simd128: ["-msimd128", "-DSIMD"], loops: ["-msimd128", "-DSIMD", "-DLOOPS"] };
const clang = process.env.CLANG ?? "clang-14";

export class Project {
  #folder;
  #modules;
  #sources;
  #unchanged = new Map();

  static async make(root, folder) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of filesOf(root)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(root, file), join(folder, file));
    }
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    // Tests of other processes run the build that is there: they see no mutant, but must pass.
    if (existsSync(join(root, "dist"))) cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
    omitJavaScript(join(folder, "wasm/build.mjs"));
    return new Project(folder);
  }

  constructor(folder) {
    this.#folder = folder;
    this.#modules = modulesOf(folder);
    this.#sources = sourcesOfModules(folder);
    for (const module of this.#sources.keys()) {
      for (const build of Object.keys(builds))
        this.#unchanged.set(`${module} ${build}`, this.#preprocessed(module, build));
    }
  }

  /** Throws unless the whole suite passes without a mutant; writes to a file for which sources it did. */
  async requirePassing(stamp) {
    const sources = this.#digestOfSources();
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === sources) return;
    const { state } = await this.#suite(WHOLE_SECONDS, []);
    if (state !== "survived")
      throw new Error("the tests must pass without a mutant: npm run build, then npm run test:watch");
    writeFileSync(stamp, sources);
  }

  #digestOfSources() {
    const hash = createHash("sha256");
    const files = ["js", "wasm", "test"].flatMap((folder) =>
      readdirSync(join(this.#folder, folder), { recursive: true }).map((name) => join(this.#folder, folder, name)),
    );
    for (const file of files.filter((name) => statSync(name).isFile()).sort()) {
      hash.update(file.slice(this.#folder.length)).update(readFileSync(file));
    }
    return hash.digest("hex");
  }

  /**
   * The outcomes of a mutant: one if it is TypeScript, one for each build if it is C. What survives the first tests is run against the
   * whole suite, unless `quick`: then it is "open".
   */
  async test(mutant, { quick }) {
    const path = join(this.#folder, mutant.file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, mutant.at) + mutant.to + text.slice(mutant.at + mutant.from.length));
    try {
      if (mutant.file.startsWith("wasm/")) return await this.#testBuilds(mutant, quick);
      return [{ build: "typescript", ...(await this.#outcome(mutant, quick)) }];
    } finally {
      writeFileSync(path, text);
    }
  }

  /** A build is killed if the tests of one of its modules fail. The first tests of all modules go before the next ones. */
  async #testBuilds(mutant, quick) {
    const wanted = mutant.builds ?? Object.keys(builds);
    const modules = mutant.modules ?? this.#modulesWith(mutant.file);
    const folders = new Map();
    const outcomes = new Map();
    const isOpen = (module, build) => outcomes.get(build)?.state !== "killed" && this.#isChanged(module, build);
    for (let stage = 0; stage < this.#countOfStages(mutant, quick); stage++) {
      for (const module of modules) {
        const open = wanted.filter((build) => isOpen(module, build));
        if (open.length === 0) continue;
        if (!folders.has(module)) folders.set(module, await this.#build(module));
        if (!folders.get(module)) return [{ build: "all", state: "invalid" }];
        for (const build of open) {
          if (!this.#replace(folders.get(module), module, build)) continue;
          outcomes.set(build, await this.#stage(mutant, stage, module));
          this.#restore(module);
        }
      }
    }
    return wanted.map((build) => ({ build, ...(outcomes.get(build) ?? { state: "unchanged" }) })).map(opened(quick));
  }

  #modulesWith(file) {
    return [...this.#modules].filter(([, files]) => files.has(file)).map(([name]) => name);
  }

  #preprocessed(module, build) {
    const files = this.#sources.get(module).map((file) => join(this.#folder, file));
    const flags = ["--target=wasm32", "-std=gnu11", "-E", "-P", ...builds[build]];
    try {
      return files.map((file) => execFileSync(clang, [...flags, file], { stdio: ["ignore", "pipe", "ignore"] })).join();
    } catch {
      return undefined; // the build says what is wrong
    }
  }

  /** Without clang every module counts as changed, until its bytes are compared. */
  #isChanged(module, build) {
    const before = this.#unchanged.get(`${module} ${build}`);
    return before === undefined || this.#preprocessed(module, build) !== before;
  }

  /** Returns the folder of the built module, or undefined if it does not compile. */
  async #build(module) {
    const built = join(this.#folder, "build/mutant", module);
    rmSync(built, { recursive: true, force: true });
    mkdirSync(built, { recursive: true });
    cpSync(join(this.#folder, "wasm/dist/decoder.js"), join(built, "decoder.js"));
    const { code } = await this.#run(300, "node", ["wasm/build.mjs", "--out", built, module]);
    return code === 0 ? built : undefined;
  }

  /** Takes the bytes of one build from a folder of mutants; returns whether they differ. The loops run as simd128. */
  #replace(built, name, build) {
    const suffix = build === "loops" ? ".bun.js" : ".js";
    const line = build === "loops" ? "simd128" : build;
    const target = join(this.#folder, "wasm/dist", `${name}.js`);
    const kernel = (file) => readFileSync(file, "utf8").match(new RegExp(`^export const ${line} = .*$`, "m"))[0];
    const mutated = kernel(join(built, name + suffix));
    if (mutated === kernel(join(this.#folder, "wasm/dist", name + suffix))) return false;
    const text = readFileSync(target, "utf8");
    writeFileSync(`${target}.original`, text);
    writeFileSync(
      target,
      text.replace(kernel(target), () => mutated),
    );
    return true;
  }

  #restore(name) {
    const target = join(this.#folder, "wasm/dist", `${name}.js`);
    cpSync(`${target}.original`, target);
    rmSync(`${target}.original`);
  }

  #stagesOf({ file, tests, only }, module) {
    if (tests) return [only ? [...tests, "-t", only] : tests];
    return [...firstTestsOf(file, module), []];
  }

  /** How many lists of tests a mutant is run against; the last is the whole suite. */
  #countOfStages(mutant, quick) {
    const all = Math.max(...[...this.#modules.keys()].map((module) => this.#stagesOf(mutant, module).length));
    return quick && !mutant.tests ? all - 1 : all;
  }

  async #stage(mutant, stage, module) {
    const tests = this.#stagesOf(mutant, module)[stage];
    if (!tests) return { state: "survived" };
    return this.#suite(tests.length > 0 ? FIRST_SECONDS : WHOLE_SECONDS, tests);
  }

  async #outcome(mutant, quick) {
    const stages = this.#stagesOf(mutant);
    let outcome;
    for (const tests of quick ? stages.slice(0, -1) : stages) {
      outcome = await this.#suite(tests.length > 0 ? FIRST_SECONDS : WHOLE_SECONDS, tests);
      if (outcome.state === "killed") return outcome;
    }
    return opened(quick)(outcome);
  }

  async #suite(seconds, tests) {
    const args = ["run", "--config", "test/source.config.ts", "--bail", "1", "--reporter", "dot", ...tests];
    const { code, signal } = await this.#run(seconds, "node", ["node_modules/vitest/vitest.mjs", ...args]);
    if (signal) return { state: "killed", by: "timeout" };
    return { state: code === 0 ? "survived" : "killed" };
  }

  /** Runs a command that may take this much time of the processor. */
  #run(seconds, command, args) {
    return new Promise((resolve) => {
      const limited = ["-c", `ulimit -t ${seconds} && exec "$0" "$@"`, command, ...args];
      const child = spawn("sh", limited, { cwd: this.#folder, stdio: "ignore" });
      child.on("exit", (code, signal) => resolve({ code, signal }));
    });
  }
}

/** What has not met the whole suite has not survived it. */
const opened = (quick) => (outcome) =>
  quick && outcome.state === "survived" ? { ...outcome, state: "open" } : outcome;

/** The builds for engines without WebAssembly are not mutated, and take a third of the time. */
function omitJavaScript(file) {
  const text = readFileSync(file, "utf8");
  const call = /^ +if \(.*\) await writeJavaScriptOf\(.*$/m;
  if (!call.test(text)) throw new Error("wasm/build.mjs must call writeJavaScriptOf in one line");
  writeFileSync(file, text.replace(call, ""));
}
