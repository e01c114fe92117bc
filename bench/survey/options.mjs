// The command line of `npm run bench`.
import { parseArgs } from "node:util";
import { algorithms, modes, parseSize, shaCases, sizeSets, usedCases } from "../cases/cases.mjs";
import { runtimeNames } from "./runtimes.mjs";

const builds = ["simd128", "baseline", "both"];
const measures = ["best", "median"];

/** Rounds, and milliseconds per task: of one round, and to warm up. */
const thorough = { rounds: 5, time: 60, warmup: 200 };
const quick = { rounds: 3, time: 15, warmup: 80 };
const forTargets = { rounds: 7, time: 40, warmup: 200 };
const forUsed = { rounds: 12, time: 25, warmup: 150 };
const forSurvey = { rounds: 5, time: 30, warmup: 80 };

/** Whole runs under one name: what they measure, in which runtimes, by which of our builds. */
const plans = {
  readme: {
    lists: [{ modes: ["hash"], sizes: sizeSets.readme }],
    runtimes: ["node", "node26", "bun", "chromium", "firefox", "webkit"],
    builds: ["simd128"],
    pace: thorough,
    file: "readme",
  },
  used: {
    lists: [...usedCases, ...shaCases],
    runtimes: ["node", "node24", "node26", "bun", "deno", "chromium", "firefox", "webkit"],
    builds: ["simd128"],
    others: ["sha256"],
    pace: forUsed,
    file: "used",
  },
  survey: {
    lists: [
      {
        modes: Object.keys(modes).filter((mode) => !modes[mode].together && !modes[mode].written),
        sizes: sizeSets.survey,
      },
    ],
    runtimes: runtimeNames,
    builds: ["simd128", "baseline"],
    others: true,
    pace: forSurvey,
  },
};

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
  --readme          what the README and docs/speed.md show: ${plans.readme.runtimes.join(", ")};
                    add-ons and native programs; six minutes for each runtime; then writes both
  --used            calls as programs write them, a table in markdown for docs/speed.md: ${plans.used.runtimes.join(", ")};
                    three minutes for each runtime; --mode, --algorithm and --rounds make it less
  --survey          everything: every mode, size, build, rival and runtime; 80 minutes for each runtime
  --targets         instead of all that: what target-list.mjs needs, add-ons and native programs included, and how
                    we stand; for node, node26, bun, firefox, webkit; five minutes each
  --native          also build and run the native programs (needs cargo)
  --json FILE       write everything that was measured; --readme writes bench/results/PROCESSOR/readme.json
  --help
`;

const text = { type: "string" };
const flag = { type: "boolean", default: false };
const declared = {
  algorithm: text,
  mode: text,
  size: { ...text, default: "first" },
  build: text,
  rival: text,
  runtime: text,
  rounds: text,
  quick: flag,
  by: { ...text, default: "best" },
  speeds: flag,
  others: flag,
  addons: flag,
  native: flag,
  targets: flag,
  readme: flag,
  used: flag,
  survey: flag,
  json: text,
  help: flag,
};

/** The options, checked; throws an error with a message for the user if one is wrong. */
export function readOptions(argv) {
  const { values } = parseArgs({ args: argv, options: declared });
  const plan = Object.entries(plans).find(([name]) => values[name])?.[1];
  const everything = values.survey || values.readme || values.targets;
  const pace = values.quick ? quick : values.targets ? forTargets : (plan?.pace ?? thorough);
  return {
    ...values,
    ...pace,
    addons: values.addons || everything,
    native: values.native || everything,
    others: values.others || plan?.others,
    file: plan?.file,
    rounds: values.rounds === undefined ? pace.rounds : readCount(values.rounds),
    algorithms: values.algorithm && listOf(values.algorithm, Object.keys(algorithms), "algorithm"),
    lists: plan ? narrowed(plan.lists, values) : [readList(values)],
    builds: plan && values.build === undefined ? plan.builds : readBuilds(values.build ?? "both"),
    rivals: values.rival && split(values.rival),
    runtimes: values.runtime ? split(values.runtime) : (plan?.runtimes ?? ["node"]),
    by: listOf(values.by, measures, "by")[0],
  };
}

/** A plan's lists, of one mode or some if they are named. */
function narrowed(lists, { mode }) {
  if (mode === undefined) return lists;
  const wanted = listOf(mode, Object.keys(modes), "mode");
  return lists.map((list) => ({ ...list, modes: list.modes.filter((name) => wanted.includes(name)) }));
}

function readList({ mode = "hash", size }) {
  return {
    modes: listOf(mode, Object.keys(modes), "mode"),
    sizes: split(size).flatMap((item) => sizeSets[item] ?? parseSize(item)),
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
