// The command line of `npm run bench`.
import { parseArgs } from "node:util";
import { algorithms, modes, parseSize, sizeSets } from "./cases.mjs";
import { runtimeNames } from "./runtimes.mjs";

const builds = ["simd128", "baseline", "both"];
const measures = ["best", "median"];

/** Rounds, and milliseconds per task: of one round, and to warm up. */
const thorough = { rounds: 5, time: 60, warmup: 200 };
const quick = { rounds: 3, time: 15, warmup: 80 };
const forTargets = { rounds: 7, time: 40, warmup: 120 };

export const help = `usage: npm run bench -- [OPTION ...]

Times this package against its rivals, in rounds that take each in turn, and prints ratios of speed. Every digest is
compared with an independent implementation before and after it is timed; a wrong one is named and never timed.

  --algorithm LIST  default: all that this package has, of
                    ${Object.keys(algorithms).join(", ")}
  --mode LIST       of ${Object.keys(modes).join(", ")}; default: hash
  --size LIST       sizes such as 0, 64, 1KiB, 16MiB, or a set: ${Object.keys(sizeSets).join(", ")}; default: first
  --build NAME      ${builds.join(", ")}: which of our builds; default: both, compared by simd128
  --rival LIST      only these, by the table's headings
  --runtime LIST    of ${runtimeNames.join(", ")},
                    or the path of another node; default: node (this one)
  --rounds N        default ${thorough.rounds}
  --quick           ${quick.rounds} short rounds
  --by WHICH        ${measures.join(" or ")} of the rounds; default: best
  --speeds          also print ns, MB/s and bytes allocated per call for each rival
  --others          also SHA-256, SHA-512 and MD5 of node:crypto
  --addons          also install the native add-ons that need a C++ compiler
  --targets         instead of all that: what target-list.mjs needs, add-ons and native programs included, and how
                    we stand; for node, node26, bun; five minutes each
  --native          also build and run the native programs (needs cargo and go)
  --json FILE       write everything that was measured
  --help
`;

const text = { type: "string" };
const flag = { type: "boolean", default: false };
const declared = {
  algorithm: text,
  mode: { ...text, default: "hash" },
  size: { ...text, default: "first" },
  build: { ...text, default: "both" },
  rival: text,
  runtime: { ...text, default: "node" },
  rounds: text,
  quick: flag,
  by: { ...text, default: "best" },
  speeds: flag,
  others: flag,
  addons: flag,
  native: flag,
  targets: flag,
  json: text,
  help: flag,
};

/** The options, checked; throws an error with a message for the person where one is wrong. */
export function readOptions(argv) {
  const { values } = parseArgs({ args: argv, options: declared });
  const pace = values.quick ? quick : values.targets ? forTargets : thorough;
  return {
    ...values,
    ...pace,
    addons: values.addons || values.targets,
    native: values.native || values.targets,
    rounds: values.rounds === undefined ? pace.rounds : readCount(values.rounds),
    algorithms: values.algorithm && listOf(values.algorithm, Object.keys(algorithms), "algorithm"),
    modes: listOf(values.mode, Object.keys(modes), "mode"),
    sizes: split(values.size).flatMap((item) => sizeSets[item] ?? parseSize(item)),
    builds: readBuilds(values.build),
    rivals: values.rival && split(values.rival),
    runtimes: split(values.runtime),
    by: listOf(values.by, measures, "by")[0],
  };
}

function readCount(value) {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`--rounds: not a count of one or more: "${value}"`);
  return count;
}

function readBuilds(value) {
  const [build] = listOf(value, builds, "build");
  return build === "both" ? ["simd128", "baseline"] : [build];
}

const split = (value) => value.split(",").map((item) => item.trim());

function listOf(value, allowed, option) {
  const items = split(value);
  const unknown = items.find((item) => !allowed.includes(item));
  if (unknown !== undefined) throw new RangeError(`--${option}: "${unknown}" is none of ${allowed.join(", ")}`);
  return items;
}
