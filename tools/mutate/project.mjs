// A copy of the project in which one mutant at a time is built and tested.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstTestsOf, modulesOf } from "./sources.mjs";

const FIRST_MINUTES = 4;
const WHOLE_MINUTES = 15;

export class Project {
  #folder;
  #modules;

  static async make(root, folder) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
    for (const file of files.split("\n").filter((name) => name && existsSync(join(root, name)))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(root, file), join(folder, file));
    }
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    // Tests of other processes run the build that is there: they see no mutant, but must pass.
    if (existsSync(join(root, "dist"))) cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
    return new Project(folder);
  }

  constructor(folder) {
    this.#folder = folder;
    this.#modules = modulesOf(folder);
  }

  /** Throws unless the whole suite passes without a mutant. */
  async requirePassing() {
    const { state } = await this.#suite(WHOLE_MINUTES, []);
    if (state !== "survived")
      throw new Error("the tests must pass without a mutant: npm run build, then npm run test:watch");
  }

  /** The outcomes of a mutant: one if it is TypeScript, one for each build if it is C. */
  async test(mutant) {
    const path = join(this.#folder, mutant.file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, mutant.at) + mutant.to + text.slice(mutant.at + mutant.from.length));
    try {
      if (mutant.file.startsWith("wasm/")) return await this.#testBuilds(mutant);
      return [{ build: "typescript", ...(await this.#outcome(mutant)) }];
    } finally {
      writeFileSync(path, text);
    }
  }

  async #testBuilds(mutant) {
    const modules =
      mutant.modules ?? [...this.#modules].filter(([, files]) => files.has(mutant.file)).map(([name]) => name);
    const built = join(this.#folder, "build/mutant");
    rmSync(built, { recursive: true, force: true });
    const { code } = await this.#run(5, "node", ["wasm/build.mjs", "--out", built, ...modules]);
    if (code !== 0) return [{ build: "all", state: "invalid" }];
    const outcomes = [];
    for (const build of mutant.builds ?? ["baseline", "simd128", "loops"]) {
      const changed = modules.filter((name) => this.#replace(built, name, build));
      const outcome = changed.length > 0 ? await this.#outcome(mutant) : { state: "unchanged" };
      outcomes.push({ build, ...outcome });
      for (const name of changed) this.#restore(name);
    }
    return outcomes;
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

  async #outcome({ file, tests, only }) {
    if (tests) return this.#suite(FIRST_MINUTES, only ? [...tests, "-t", only] : tests);
    const first = await this.#suite(FIRST_MINUTES, firstTestsOf(file));
    return first.state === "survived" ? this.#suite(WHOLE_MINUTES, []) : first;
  }

  async #suite(minutes, tests) {
    const args = ["run", "--config", "test/source.config.ts", "--bail", "1", "--reporter", "dot", ...tests];
    const { code, timedOut } = await this.#run(minutes, "node", ["node_modules/vitest/vitest.mjs", ...args]);
    if (timedOut) return { state: "killed", by: "timeout" };
    return { state: code === 0 ? "survived" : "killed" };
  }

  #run(minutes, command, args) {
    return new Promise((resolve) => {
      const child = spawn(command, args, { cwd: this.#folder, stdio: "ignore", detached: true });
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        process.kill(-child.pid, "SIGKILL");
      }, minutes * 60_000);
      child.on("exit", (code) => {
        clearTimeout(timer);
        resolve({ code, timedOut });
      });
    });
  }
}
