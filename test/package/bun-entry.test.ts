// The entries for Bun have separate kernels, with their rounds in loops. Bun runs them in test/runtimes; here they run
// in Node, and every length is compared with the default entry.

import { rmSync } from "node:fs";
import { join } from "node:path";
import type * as library from "blake-simd";
import { build, type PluginBuild } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { pattern, same } from "../support/messages.ts";
import { eachSubject, expected, range } from "../support/subjects.ts";

const root = join(import.meta.dirname, "../..");
const outfile = join(root, "build/for-bun", `${process.pid}.js`);

// The code that needs no kernel is the tests' own copy.
const shared = {
  name: "shared",
  setup({ onResolve }: PluginBuild) {
    onResolve({ filter: /\/shared\.js$/ }, () => ({ path: "../../dist/shared.js", external: true }));
  },
};

const { metafile } = await build({
  entryPoints: [join(root, "dist/conditional/index.js")],
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  conditions: ["bun"],
  plugins: [shared],
  metafile: true,
  outfile,
});
const bun = (await import(outfile)) as typeof library;
rmSync(outfile);

const SHORT = 4200;
const message = pattern(0x20001);
const shorter = range(0, SHORT);
const longer = [16_383, 16_385, 0xffff, 0x10001, 0x20001];

describe("the entries for Bun", () => {
  it("have no kernels but their own", () => {
    const kernels = Object.keys(metafile.inputs).filter((path) => path.startsWith("wasm/dist/"));
    expect(kernels).toHaveLength(7);
    expect(kernels.filter((path) => !path.endsWith(".bun.js"))).toEqual([]);
  });

  eachSubject((subject) => {
    const { algorithm, modes } = subject;
    const own = bun.algorithms[algorithm.algorithm as keyof typeof bun.algorithms] as unknown as typeof algorithm;
    // The vectors hold these.
    const wanted = new Map(shorter.map((length) => [length, algorithm(message.subarray(0, length))]));

    describe.each(["simd128", "baseline"] as const)("%s", (backend) => {
      beforeAll(() => bun.useBackend(backend));

      it("hash messages of every length", () => {
        const isWrong = (length: number) => !same(own(message.subarray(0, length)), wanted.get(length));
        expect(shorter.filter(isWrong)).toEqual([]);
      });

      it("hash long messages in every mode", () => {
        for (const options of modes) {
          for (const length of longer) {
            const bytes = message.subarray(0, length);
            expect(own(bytes, options)).toEqual(expected(subject, bytes, options));
          }
        }
      });

      it("hash many messages", () => {
        const messages = shorter.filter((length) => length < 1100).map((length) => message.subarray(0, length));
        const isWrong = (digest: Uint8Array, length: number) => !same(digest, wanted.get(length));
        expect(own.many(messages).filter(isWrong)).toEqual([]);
      });
    });
  });
});
