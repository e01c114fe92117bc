// Which folder of js/ may import which, and that nothing goes in circles: neither there nor in wasm/.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

/** Each folder and the folders that it may import from, all of them above it in this list. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  input: [],
  sources: ["input"],
  engine: ["input"],
  algorithms: ["input", "engine"],
  tree: ["input", "engine"],
  subtrees: ["input", "engine", "algorithms", "tree"],
  streams: ["input", "sources", "engine"],
  parallel: ["input", "engine", "algorithms", "sources", "tree", "subtrees"],
  bao: ["input", "sources", "engine", "algorithms", "tree", "streams", "parallel"],
  hmac: ["input", "engine"],
  node: ["input", "hmac", "engine", "algorithms", "sources", "streams", "parallel"],
  entries: ["input", "engine", "algorithms", "sources", "subtrees", "streams", "parallel", "bao", "hmac", "node"],
  cli: ["sources", "parallel", "bao", "node", "entries"],
  // Takes the place of modules of the others in dist/javascript/.
  javascript: ["input", "engine"],
};

const files = readdirSync(join(ROOT, "js"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
  .map((file) => file.replaceAll("\\", "/"));

const folderOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "entries");

/** The files of js/ that a file imports, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, "js", file), "utf8");
  const specifiers = text.matchAll(/^(?:import|export)\b[^;"]*"(\.[^"]+)\.js";$/gm);
  return Array.from(specifiers, ([, path]) =>
    relative(join(ROOT, "js"), `${resolve(ROOT, "js", dirname(file), path!)}.ts`).replaceAll("\\", "/"),
  );
}

type Graph = ReadonlyMap<string, readonly string[]>;
const imports: Graph = new Map(files.map((file) => [file, importsOf(file)]));

/** A circle of a graph, as a path that begins and ends at the same file. */
function circleIn(graph: Graph): readonly string[] | undefined {
  const done = new Set<string>();
  const from = (path: readonly string[]): readonly string[] | undefined => {
    const file = path.at(-1)!;
    if (path.indexOf(file) < path.length - 1) return path.slice(path.indexOf(file));
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const circle = from([...path, next]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = from([file]);
    if (circle) return circle;
  }
  return undefined;
}

describe("the folders of js/", () => {
  it("are these, and each imports only from folders above it in the list", () => {
    const names = Object.keys(FOLDERS);
    expect([...new Set(files.map(folderOf))].toSorted()).toEqual(names.toSorted());
    for (const [i, [folder, allowed]] of Object.entries(FOLDERS).entries()) {
      for (const other of allowed) expect(names.indexOf(other), `${folder} from ${other}`).toBeLessThan(i);
    }
  });

  it.each(files)("%s imports what its folder may", (file) => {
    const folder = folderOf(file);
    const others = imports.get(file)!.map((path) => [path, folderOf(path)] as const);
    const wrong = others.filter(([, other]) => other !== folder && !FOLDERS[folder]!.includes(other));
    expect(wrong).toEqual([]);
  });

  it("have no circle of imports", () => {
    expect(circleIn(imports)).toBeUndefined();
    expect(circleIn(new Map([...imports, ["input/bytes.ts", ["index.ts"]]]))).toBeDefined();
  });

  it("are entered by the files of package.json's exports, which are next to them", () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const entries = Object.values<{ default?: string }>(exports)
      .map((entry) => entry.default?.replace(/^\.\/dist\/(.*)\.js$/, "$1.ts"))
      .filter((entry) => entry !== undefined && !entry.startsWith("javascript/"));
    expect(files.filter((file) => !file.includes("/")).toSorted()).toEqual(entries.toSorted());
  });
});
