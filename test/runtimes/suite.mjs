// The suite as one JSON value: cases from test/vectors, the digest of a message for the pool from @noble/hashes, and a
// state of every algorithm saved by the Node that runs this.
import { readFileSync } from "node:fs";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import * as main from "../../dist/index.js";
import * as states from "../../dist/states.js";
import { isPlain, save } from "./project/body.mjs";

const LONGEST = 70_000;
const POOL_INPUT = 3 * 1024 * 1024 + 5;

function read(name) {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));
}

function casesOf(algorithm) {
  const { cases, modes, modeCases = [] } = read(algorithm);
  const byMode = modeCases.flatMap((entry) => Object.keys(modes).map((mode) => modeCase(entry, mode, modes[mode])));
  return [...cases, ...byMode]
    .filter(({ input }) => input <= LONGEST)
    .map(({ input, options, digest }) => ({ algorithm, input, ...(hasAny(options) && { options }), digest }));
}

// The plain hash at its default length, so that every check has it; the other modes with their long outputs.
function modeCase(entry, mode, options) {
  const { input, [mode]: digest } = entry;
  if (mode === "hash") return { input, digest: digest.slice(0, 64) };
  return { input, options: { ...options, length: digest.length / 2 }, digest };
}

const hasAny = (options) => options !== undefined && Object.keys(options).length > 0;

// A part of what the vectors hold: every runtime is to meet each kind of case, not each case.
function thinned(cases) {
  const plain = cases.filter(isPlain);
  const others = cases.filter((entry) => !isPlain(entry));
  return [...others.filter((_, i) => i % 5 === 0), ...plain.filter((_, i) => i % 4 === 0 || i === plain.length - 1)];
}

function poolCase() {
  const message = new Uint8Array(POOL_INPUT).map((_, i) => i % 251);
  return { input: POOL_INPUT, digest: main.toHex(nobleBlake3(message)) };
}

/** @param more cases beside those of the vectors */
export function makeSuite(more = []) {
  const names = Object.keys(main.algorithms);
  const suite = {
    cases: [...more, ...names.flatMap((name) => thinned(casesOf(name)))],
    pool: poolCase(),
    bao: read("bao-counting").cases,
  };
  return { ...suite, states: names.map((name) => save({ main, states }, suite, name)) };
}
