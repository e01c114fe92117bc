// Tests a mutant of the TypeScript with the tests that run its code, the most promising first, each file of them in a thread.
import { inventoryOf } from "./inventory.mjs";
import { Mirror } from "./mirror.mjs";
import { firstTestsOf } from "./sources.mjs";
import { runThread } from "./threads.mjs";

/** No mutant makes its tests take this many times longer and this many seconds more, unless it never ends. */
const SLOWER = 5;
const MORE = 3;
/** The tests of a file that are run at a time: the quickest first, each part with this many seconds more. */
const PARTS = [0.2, 1.5, Number.POSITIVE_INFINITY];
/** Of seconds of tests, if they are all tests of whole files. */
const ENOUGH = 40;

export class ThreadedTests {
  #mirror;
  #inventory;
  /** For a test file and a source, how often it was tried and killed. */
  #luck = new Map();
  /** Tests that pass alone, without a mutant. */
  #passing = new Map();

  /**
   * @param folder for the mirror
   * @param path of the file that keeps the inventory
   * @param results earlier ones, from which to learn which tests to try first
   */
  static async make(root, folder, path, results) {
    const mirror = await Mirror.make(root, folder);
    process.chdir(mirror.folder);
    const tests = new ThreadedTests(mirror, await inventoryOf(root, mirror, path));
    for (const { file, by } of results) if (by?.startsWith("test/")) tests.#learn(file, by.split(" ")[0], true);
    return tests;
  }

  constructor(mirror, inventory) {
    this.#mirror = mirror;
    this.#inventory = inventory;
  }

  /**
   * Tests a mutant for some seconds. Returns { state, by, tests }; the state is "open" if no test failed of those that run
   * the code.
   */
  test(mutant, seconds) {
    return this.#with(mutant, () => this.#testParts(mutant, seconds));
  }

  /** The same of all tests of the files that concern the source, those first that run its code most often. */
  testFiles(mutant) {
    return this.#with(mutant, () => this.#testWhole(mutant));
  }

  async #with(mutant, test) {
    const put = await this.#mirror.put(mutant);
    try {
      return put ? { state: put } : await test();
    } finally {
      await this.#mirror.restore(mutant);
    }
  }

  async #testWhole({ id, file: source }) {
    const counts = new Map();
    for (const i of this.#inventory.covering[id] ?? []) {
      const { file } = this.#inventory.tests[i];
      counts.set(file, (counts.get(file) ?? 0) + 1);
    }
    const files = [...counts].filter(([file]) => isFirst(source, file)).sort(([, a], [, b]) => b - a);
    const before = process.cpuUsage();
    const tried = [];
    for (const [file] of files) {
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1e6 > ENOUGH) break;
      tried.push(file);
      const workerData = { root: this.#mirror.folder, file: file.replace(/\.ts$/, ".js"), timeout: 60_000 };
      // What never ends has been found by then: a long time is that of the tests.
      if ((await runThread(workerData, ENOUGH)) === "fail") return { state: "killed", by: file };
    }
    return { state: "open", files: tried };
  }

  /** Out of the order of its file a test may fail on its own account: it must pass without the mutant. */
  async #testParts(mutant, most) {
    const outcome = await this.#run(mutant, most);
    const { part, ...shown } = outcome;
    if (!part) return shown;
    await this.#mirror.restore(mutant);
    if (await this.#passes(part)) return shown;
    this.#leaveOut(part);
    await this.#mirror.put(mutant);
    return this.#testParts(mutant, most);
  }

  #leaveOut({ file, killer }) {
    for (const test of this.#inventory.tests) {
      if (test.file === file && (!killer || test.number === killer.number)) test.isBad = true;
    }
  }

  async #run(mutant, most) {
    let seconds = 0;
    let count = 0;
    let parts = 0;
    for (const part of this.#partsFor(mutant)) {
      if (seconds + part.seconds > most && seconds > 0) break;
      const outcome = await this.#runPart(part);
      this.#learn(mutant.file, part.file, outcome.state === "killed");
      parts++;
      if (outcome.state === "killed") return { ...outcome, parts };
      seconds += part.seconds;
      count += part.tests.length;
    }
    return { state: "open", tests: count, parts };
  }

  /** The quick tests of each file, then the slow, each by how likely they are to fail for their time. */
  #partsFor({ id, file: source }) {
    const tests = (this.#inventory.covering[id] ?? [])
      .map((i) => this.#inventory.tests[i])
      .filter(({ isBad }) => !isBad);
    const parts = [];
    for (const [file, own] of groupBy(tests, ({ file }) => file)) {
      own.sort((a, b) => a.ms - b.ms);
      let rest = own;
      for (const most of PARTS) {
        const taken = takeFor(rest, most);
        rest = rest.slice(taken.length);
        if (taken.length === 0) break;
        const seconds = taken.reduce((sum, { ms }) => sum + ms / 1000, this.#inventory.starts[file]);
        parts.push({ file, tests: taken, seconds, cost: seconds / this.#chance(source, file) });
      }
    }
    return parts.sort((a, b) => a.cost - b.cost);
  }

  async #runPart({ file, tests, seconds }) {
    let killer;
    const ended = await this.#runTests(file, tests, seconds, (message) => {
      if (message.state === "fail") killer = { file, number: message.test, name: message.name };
    });
    if (ended === "pass") return { state: "open" };
    const by = ended === "timeout" ? "timeout" : `${file} ${killer?.number ?? ""}`;
    return { state: "killed", by, part: { file, tests, seconds, killer } };
  }

  #runTests(file, tests, seconds, receive) {
    const limit = MORE + SLOWER * seconds;
    const workerData = {
      root: this.#mirror.folder,
      file: file.replace(/\.ts$/, ".js"),
      tests: tests.map(({ number }) => number),
      timeout: 2000 * limit,
    };
    return runThread(workerData, limit, receive);
  }

  /** Whether what killed a mutant passes without one. */
  async #passes({ file, tests, seconds, killer }) {
    const own = killer ? tests.filter(({ number }) => number === killer.number) : tests;
    const key = `${file} ${own.map(({ number }) => number)}`;
    if (!this.#passing.has(key)) this.#passing.set(key, (await this.#runTests(file, own, seconds)) === "pass");
    return this.#passing.get(key);
  }

  /** How likely tests of a file are to kill a mutant of a source: by what they did so far, and before, by their names. */
  #chance(source, file) {
    const { tried, killed } = this.#luck.get(`${source} ${file}`) ?? { tried: 0, killed: 0 };
    return (killed + expectedChance(source, file)) / (tried + 1);
  }

  #learn(source, file, isKilled) {
    const key = `${source} ${file}`;
    const { tried, killed } = this.#luck.get(key) ?? { tried: 0, killed: 0 };
    this.#luck.set(key, { tried: tried + 1, killed: killed + isKilled });
  }
}

const isFirst = (source, file) =>
  firstTestsOf(source)
    .flat()
    .some((start) => file.startsWith(start));

function expectedChance(source, file) {
  return isFirst(source, file) ? 0.7 : 0.2;
}

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const item of list) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/** As many of the first as take this long, and one at least. */
function takeFor(tests, seconds) {
  let sum = 0;
  const end = tests.findIndex(({ ms }, i) => {
    sum += ms / 1000;
    return i > 0 && sum > seconds;
  });
  return end < 0 ? tests : tests.slice(0, end);
}
