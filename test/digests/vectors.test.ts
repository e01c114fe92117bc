// Vectors against every way of hashing: the official sets, each by the SHA-256 of its outputs
// (test/vectors/official.json), and the project's own, made by independent implementations.
import { type Algorithm, algorithms } from "blake-simd";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes } from "../support/messages.ts";
import {
  bytes,
  type Case,
  counting,
  hashOfHex,
  type LongCase,
  modeCases,
  type Options,
  type OutputSweep,
  officialSets,
  patterned,
  type Sweep,
  type Tree,
  type Algorithm as VectorName,
  vectors,
} from "../vectors/index.ts";

/** What any algorithm's file may have of whole messages and nodes. */
interface Sections {
  cases: Case[];
  long?: LongCase[];
  sweeps?: (Sweep | OutputSweep)[];
  trees?: Tree[];
}

let inputs = counting(1 << 20);

/** Counting bytes, made once. */
function inputOf(length: number): Uint8Array {
  if (length > inputs.length) inputs = counting(length);
  return inputs.subarray(0, length);
}

/** A message's digest by each way of hashing; that they agree is part of the check. */
function digestOf(algorithm: Algorithm<Options>, input: Uint8Array, options?: Options): Uint8Array {
  const digest = algorithm(input, options);
  expectBytes(algorithm.into(input, new Uint8Array(digest.length), options), digest);
  const at = Math.floor(input.length / 3);
  expectBytes(algorithm.create(options).update(input.subarray(0, at)).update(input.subarray(at)).digest(), digest);
  return digest;
}

/** The digests of a sweep: of each output length, or of each input length, in a way to hash. */
function* digestsOf(sweep: Sweep | OutputSweep, digestOf: (length: number) => Uint8Array): Generator<Uint8Array> {
  for (let n = sweep.from; n <= sweep.to; n++) yield digestOf(n);
}

/** How the first bytes of the inputs, one more each time, can be hashed. */
function waysOf(
  algorithm: Algorithm<Options>,
  { from, options }: Sweep,
): Record<string, (length: number) => Uint8Array> {
  const output = algorithm("", options);
  const hasher = algorithm.create(options).update(inputOf(Math.max(0, from - 1)));
  return {
    "one-shot": (length) => algorithm(inputOf(length), options),
    "into an output": (length) => algorithm.into(inputOf(length), output, options),
    "in two updates": (length) => {
      const at = (length * 7) % (length + 1);
      return algorithm.create(options).update(inputOf(at)).update(inputs.subarray(at, length)).digest();
    },
    "byte by byte, with a digest after each": (length) =>
      hasher.update(inputs.subarray(Math.max(0, length - 1), length)).digest(),
  };
}

/** Every way up to 4 KiB, and one of longer messages and under other options. */
function checkSweep(algorithm: Algorithm<Options>, sweep: Sweep | OutputSweep): void {
  if ("input" in sweep) {
    const digests = digestsOf(sweep, (length) => algorithm(inputOf(sweep.input), { ...sweep.options, length }));
    expect(hashOfHex(digests)).toBe(sweep.sha256);
    return;
  }
  const ways = Object.entries(waysOf(algorithm, sweep)).slice(0, sweep.from < 4096 && !sweep.options ? 4 : 1);
  for (const [way, digestOf] of ways) {
    expect(hashOfHex(digestsOf(sweep, digestOf)), `${sweep.from} to ${sweep.to} bytes, ${way}`).toBe(sweep.sha256);
  }
}

/** Recomputes a tree from its leaves upwards, each node under its own parameters. */
function checkTree(algorithm: Algorithm<Options>, { pattern, input, nodes }: Tree): void {
  const message = patterned(pattern, input);
  const digests: Uint8Array[] = [];
  for (const node of nodes) {
    const own =
      "children" in node ? Buffer.concat(node.children.map((i) => digests[i]!)) : message.subarray(node.from, node.to);
    digests.push(digestOf(algorithm, own, node.options));
    expectBytes(digests.at(-1)!, bytes(node.digest));
  }
}

function checkSections(algorithm: Algorithm<Options>, { cases, long, sweeps, trees }: Sections): void {
  each("cases", cases, ({ input, options, digest }) => {
    expectBytes(digestOf(algorithm, inputOf(input), options), bytes(digest), `${input} bytes`);
  });
  each("long outputs", long, ({ input, options, sha256 }) => {
    expect(hashOfHex([digestOf(algorithm, inputOf(input), options)])).toBe(sha256);
  });
  each("sweeps of lengths", sweeps, (sweep) => checkSweep(algorithm, sweep));
  each("trees", trees, (tree) => checkTree(algorithm, tree));
}

/** A test over a section, if the file has it. */
function each<Entry>(name: string, entries: Entry[] | undefined, check: (entry: Entry) => void): void {
  if (!entries) return;
  it(`${entries.length} ${name}`, () => {
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) check(entry);
  });
}

describe.each(Object.entries(algorithms))("%s", (name, value) => {
  const algorithm = value as Algorithm<Options>;
  const file = vectors(name as VectorName) as Sections;
  eachBackend((backend) => {
    // Of long messages, one build is enough: the proofs have both.
    const sweeps = file.sweeps?.filter(({ from }) => backend === "simd128" || from < 4096);
    checkSections(algorithm, { ...file, ...(sweeps && { sweeps }) });
  }, name);
});

describe("blake3 in its three modes", () => {
  eachBackend(() =>
    checkSections(algorithms.blake3 as Algorithm as Algorithm<Options>, { cases: modeCases(vectors("blake3")) }),
  );
});

const sets = officialSets();

it("every algorithm has an official set", () => {
  expect(new Set(sets.map((set) => set.algorithm))).toEqual(new Set(Object.keys(algorithms)));
});

describe.each(sets)("$name", ({ algorithm: name, requests, sha256 }) => {
  const algorithm = algorithms[name] as Algorithm<Options>;

  eachBackend(() => {
    it("official outputs", () => {
      expect(hashOfHex(requests.map(({ input, options }) => digestOf(algorithm, input, options)))).toBe(sha256);
    });
  }, name);
});
